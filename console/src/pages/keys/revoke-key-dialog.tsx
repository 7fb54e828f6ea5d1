import { call } from '#api/client.ts'
import { messageOf } from '#api/failure.ts'
import { useReload } from '#api/query.ts'
import { showToast } from '#ui/feedback/toasts.tsx'
import { ConfirmDialog } from '#ui/overlays/confirm-dialog.tsx'
import type { ApiKey } from './api.ts'

interface RevokeKeyDialogProps {
  account: string
  /** Undefined while the dialog is closed. */
  apiKey: ApiKey | undefined
  onClose: () => void
}

const undoMs = 10_000

export function RevokeKeyDialog({ account, apiKey, onClose }: RevokeKeyDialogProps) {
  const reload = useReload('listKeys')
  const undo = async (key: ApiKey) => {
    try {
      await call('undoKeyRevocation', { account, key: key.id })
      showToast(`“${key.name}” works again.`)
    } catch (error) {
      showToast(messageOf(error))
    }
    await reload()
  }
  const revoke = async (key: ApiKey) => {
    await call('revokeKey', { account, key: key.id })
    showToast(`“${key.name}” was revoked.`, {
      action: { label: 'Undo', onPress: () => void undo(key) },
      timeoutMs: undoMs,
    })
    void reload()
  }
  return (
    <ConfirmDialog
      title={`Revoke “${apiKey?.name}”?`}
      isOpen={apiKey !== undefined}
      onClose={onClose}
      confirmLabel="Revoke"
      isDanger
      onConfirm={() => apiKey && revoke(apiKey)}
    >
      <p>
        Programs that use <code className="font-mono">{apiKey?.display}</code> are refused at once. You can undo this
        for ten seconds; after that it is permanent.
      </p>
    </ConfirmDialog>
  )
}
