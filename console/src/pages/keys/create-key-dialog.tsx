import { useState } from 'react'
import { useReload } from '#api/query.ts'
import { Dialog } from '#ui/overlays/dialog.tsx'
import type { IssuedKey } from './api.ts'
import { CreateKeyForm } from './create-key-form.tsx'
import { IssuedSecret } from './issued-secret.tsx'

interface CreateKeyDialogProps {
  account: string
  onClose: () => void
}

/** The form, and then the secret. A press outside closes neither: a secret that is gone cannot be had again. */
export default function CreateKeyDialog({ account, onClose }: CreateKeyDialogProps) {
  const [issued, setIssued] = useState<IssuedKey>()
  const reload = useReload('listKeys')
  const finish = (created: IssuedKey) => {
    setIssued(created)
    void reload()
  }
  return (
    <Dialog
      title={issued ? `Key “${issued.key.name}” was created` : 'Create key'}
      isOpen
      onClose={onClose}
      size="medium"
      isQuestion
    >
      {issued ? (
        <IssuedSecret issued={issued} onDone={onClose} />
      ) : (
        <CreateKeyForm account={account} onCreated={finish} onCancel={onClose} />
      )}
    </Dialog>
  )
}
