import { useQueryClient } from '@tanstack/react-query'
import { ChevronDown, Copy } from 'lucide-react'
import { useState } from 'react'
import { useIsAtLeast } from '#api/account.tsx'
import { call } from '#api/client.ts'
import type { Reply } from '#api/operations.ts'
import { saveFile } from '#lib/save-file.ts'
import { Button } from '#ui/actions/button.tsx'
import { copyText } from '#ui/actions/copy-button.tsx'
import { Menu, MenuItem } from '#ui/actions/menu.tsx'
import { showToast } from '#ui/feedback/toasts.tsx'
import { ConfirmDialog } from '#ui/overlays/confirm-dialog.tsx'

type Format = Reply<'copyStore'>['format']

interface CopyStoreProps {
  account: string
  domain: string
}

/** Takes the store along. That uses a store export, so it asks first; once, until the page is reloaded. */
export function CopyStore({ account, domain }: CopyStoreProps) {
  const client = useQueryClient()
  const [asking, setAsking] = useState<Format>()
  const mayCopy = useIsAtLeast('member')
  const agreedKey = ['store-copy-agreed', account, domain]
  const copy = async (format: Format) => {
    const { content, filename } = await call('copyStore', { account, domain, body: { format } })
    client.setQueryData(agreedKey, true)
    try {
      await copyText(content)
      showToast(`${domain} is copied as ${format.toUpperCase()}.`)
    } catch {
      // It is paid for: it must not be lost where a browser allows copying only at once.
      saveFile(filename, content)
      showToast(`The browser did not allow copying. ${filename} is saved instead.`)
    }
  }
  const begin = (format: Format) => {
    if (!client.getQueryData(agreedKey)) return setAsking(format)
    copy(format).catch((error) => showToast(error instanceof Error ? error.message : 'This did not work.'))
  }
  if (!mayCopy)
    return <Button disabledReason="A viewer cannot use store exports. Ask an admin of the account.">Copy</Button>
  return (
    <>
      <Menu
        label="Copy the store"
        placement="bottom end"
        trigger={
          <Button>
            <Copy aria-hidden />
            Copy
            <ChevronDown aria-hidden />
          </Button>
        }
      >
        <MenuItem onAction={() => begin('json')}>Copy as JSON</MenuItem>
        <MenuItem onAction={() => begin('csv')}>Copy as CSV</MenuItem>
      </Menu>
      <ConfirmDialog
        title={`Copy ${domain} as ${asking?.toUpperCase()}?`}
        isOpen={asking !== undefined}
        onClose={() => setAsking(undefined)}
        confirmLabel={`Copy as ${asking?.toUpperCase()}`}
        onConfirm={() => asking && copy(asking)}
      >
        <p>This uses one store export, if the account has not taken this store in the current period already.</p>
      </ConfirmDialog>
    </>
  )
}
