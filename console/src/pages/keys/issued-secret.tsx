import { Button } from '#ui/actions/button.tsx'
import { Link } from '#ui/actions/link.tsx'
import { CodeBlock } from '#ui/data/code-block.tsx'
import { Banner } from '#ui/feedback/banner.tsx'
import { CopyField } from '#ui/fields/copy-field.tsx'
import { DialogActions } from '#ui/overlays/dialog.tsx'
import { firstCall } from './first-call.ts'
import type { IssuedKey } from './queries.ts'

interface IssuedSecretProps {
  issued: IssuedKey
  onDone: () => void
}

/** The secret of a new key, the only time that it is shown, and a first call with it. */
export function IssuedSecret({ issued: { key, secret }, onDone }: IssuedSecretProps) {
  const call = firstCall(window.location.origin, key, secret)
  return (
    <div className="space-y-4">
      <Banner tone="warning" isAnnounced>
        Copy the secret now. It is not shown again.
      </Banner>
      <CopyField label="Secret key" value={secret} />
      {call && (
        <div>
          <p className="mb-1 font-medium">Try it</p>
          <CodeBlock label="command" code={call.command} />
          {call.note && <p className="mt-1 text-muted text-xs">{call.note}</p>}
        </div>
      )}
      <p className="text-muted">
        Send it as a bearer token. <Link href="/docs">The documentation</Link> has all calls.
      </p>
      <DialogActions>
        <Button variant="primary" onPress={onDone}>
          Done
        </Button>
      </DialogActions>
    </div>
  )
}
