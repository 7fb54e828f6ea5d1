import { useRouter } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { Autocomplete } from 'react-aria-components/Autocomplete'
import { Dialog } from 'react-aria-components/Dialog'
import { Input } from 'react-aria-components/Input'
import { Menu } from 'react-aria-components/Menu'
import { Modal, ModalOverlay } from 'react-aria-components/Modal'
import { SearchField } from 'react-aria-components/SearchField'
import { MenuItem } from '#ui/actions/menu.tsx'
import { backdropClass } from '#ui/overlays/dialog.tsx'
import { usePaletteActions } from './palette-actions.ts'

/** Pages and actions by name. The arrow keys choose, Enter does it. */
export default function Palette({ onClose }: { onClose: () => void }) {
  const router = useRouter()
  const actions = usePaletteActions()
  const run = (id: string) => {
    onClose()
    const action = actions.find((each) => each.id === id)
    if (action?.href) router.history.push(action.href)
    else action?.run?.()
  }
  return (
    <ModalOverlay
      isOpen
      onOpenChange={(open) => !open && onClose()}
      isDismissable
      className={`${backdropClass} p-3 sm:pt-[12vh]`}
    >
      <Modal className="mx-auto max-w-lg">
        <Dialog aria-label="Go to a page or action" className="rounded-lg bg-surface shadow-overlay outline-none">
          <Autocomplete filter={contains}>
            <SearchField
              aria-label="Page or action"
              autoFocus
              className="flex items-center gap-2 border-line border-b px-3"
            >
              <Search aria-hidden className="size-4 text-muted" />
              <Input
                placeholder="Page or action"
                className="h-11 flex-1 outline-none [&::-webkit-search-cancel-button]:hidden"
              />
            </SearchField>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it has to be reachable by keyboard */}
            <section tabIndex={0} aria-label="Results" className="max-h-[50vh] overflow-auto rounded-b-lg">
              <Menu
                aria-label="Pages and actions"
                items={actions}
                onAction={(id) => run(String(id))}
                renderEmptyState={() => <p className="px-2 py-3 text-muted">Nothing fits.</p>}
                className="p-1 outline-none"
              >
                {({ id, label, hint, icon: Icon }) => (
                  <MenuItem id={id} icon={Icon && <Icon aria-hidden className="text-muted" />} hint={hint}>
                    {label}
                  </MenuItem>
                )}
              </Menu>
            </section>
          </Autocomplete>
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}

/** Every word that was typed begins or is inside one of the action's. */
function contains(text: string, typed: string): boolean {
  const words = typed.toLowerCase().split(/\s+/)
  return words.every((word) => text.toLowerCase().includes(word))
}
