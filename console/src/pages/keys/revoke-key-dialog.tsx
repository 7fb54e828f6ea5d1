import { messageOf } from '#api/failure.ts'
import { showToast } from '#ui/feedback/toasts.tsx'
import { ConfirmDialog } from '#ui/overlays/confirm-dialog.tsx'
import { type ApiKey, revokeKey, undoRevocation, useReloadKeys } from './queries.ts'

interface RevokeKeyDialogProps {
  account: string
  /** Undefined while the dialog is closed. */
  apiKey: ApiKey | undefined
  onClose: () => void
}

const undoMs = 10_000

export function RevokeKeyDialog({ account, apiKey, onClose }: RevokeKeyDialogProps) {
  const reload = useReloadKeys(account)
  const undo = async (key: ApiKey) => {
    try {
      await undoRevocation(account, key.id)
      showToast(`“${key.name}” works again.`)
    } catch (error) {
      showToast(messageOf(error))
    }
    await reload()
  }
  const revoke = async (key: ApiKey) => {
    await revokeKey(account, key.id)
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
