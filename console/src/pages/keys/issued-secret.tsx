import { useState } from 'react'
import { Button } from '#ui/actions/button.tsx'
import { Link } from '#ui/actions/link.tsx'
import { Tabs } from '#ui/data/tabs.tsx'
import { Banner } from '#ui/feedback/banner.tsx'
import { CodeBlock, CopyField } from '#ui/fields/copyable.tsx'
import { DialogActions } from '#ui/overlays/dialog.tsx'
import type { IssuedKey } from './api.ts'
import { type FirstCall, firstCalls } from './first-call.ts'

interface IssuedSecretProps {
  issued: IssuedKey
  onDone: () => void
}

/** The secret of a new key, the only time that it is shown, and ways to use it. */
export function IssuedSecret({ issued: { key, secret }, onDone }: IssuedSecretProps) {
  const ways = firstCalls(window.location.origin, key, secret)
  // Not in the address, as other tabs: this page cannot be shared or come back to.
  const [way, setWay] = useState<string>(ways[0]?.id ?? '')
  return (
    <div className="space-y-4">
      <Banner tone="warning" isAnnounced>
        Copy the secret now. It is not shown again.
      </Banner>
      <CopyField label="Secret key" value={secret} />
      {ways.length > 0 && (
        <div>
          <p className="font-medium">Try it</p>
          <Tabs
            label="Ways to use the key"
            tabs={ways.map((each) => ({ id: each.id, label: each.label, content: <Way way={each} /> }))}
            selected={way}
            onChange={setWay}
          />
        </div>
      )}
      <p className="text-muted">
        Programs send it as a bearer token. <Link href="/docs">The documentation</Link> has all calls.
      </p>
      <DialogActions>
        <Button variant="primary" onPress={onDone}>
          Done
        </Button>
      </DialogActions>
    </div>
  )
}

function Way({ way: { parts, notes } }: { way: FirstCall }) {
  return (
    <div className="space-y-2">
      {parts.map(({ title, label, code }) => (
        <div key={label} className="space-y-1">
          {title && <p className="font-medium text-xs">{title}</p>}
          <CodeBlock label={label} code={code} />
        </div>
      ))}
      {notes.map((note) => (
        <p key={note} className="text-muted text-xs">
          {note}
        </p>
      ))}
    </div>
  )
}
