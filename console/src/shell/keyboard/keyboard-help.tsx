import { Dialog } from '#ui/overlays/dialog.tsx'
import { KeyHint, shortcuts } from './keyboard-context.tsx'

export default function KeyboardHelp({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard" isOpen onClose={onClose}>
      <dl className="grid grid-cols-[auto_1fr] items-center gap-x-4 gap-y-2">
        {shortcuts.map(({ keys, effect }) => (
          <div key={keys} className="contents">
            <dt>
              <KeyHint keys={keys} />
            </dt>
            <dd>{effect}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
