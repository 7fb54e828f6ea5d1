import { useState } from 'react'
import { call } from '#api/client.ts'
import { messageOf } from '#api/failure.ts'
import { useReload } from '#api/query.ts'
import { useSubmit } from '#lib/use-submit.ts'
import { FormError } from '#ui/fields/field.tsx'
import { RadioGroup } from '#ui/fields/radio-group.tsx'
import { Dialog, FormActions } from '#ui/overlays/dialog.tsx'
import type { ApiKey, IssuedKey } from './api.ts'
import { IssuedSecret } from './issued-secret.tsx'

interface RotateKeyDialogProps {
  account: string
  apiKey: ApiKey
  onClose: () => void
}

export default function RotateKeyDialog({ account, apiKey, onClose }: RotateKeyDialogProps) {
  const [issued, setIssued] = useState<IssuedKey>()
  const reload = useReload('listKeys')
  const finish = (rotated: IssuedKey) => {
    setIssued(rotated)
    void reload()
  }
  return (
    <Dialog
      title={issued ? `Key “${issued.key.name}” was rotated` : `Rotate “${apiKey.name}”?`}
      isOpen
      onClose={onClose}
      size="medium"
      isQuestion
    >
      {issued ? (
        <IssuedSecret issued={issued} onDone={onClose} />
      ) : (
        <RotateKeyForm account={account} apiKey={apiKey} onRotated={finish} onCancel={onClose} />
      )}
    </Dialog>
  )
}

const overlaps = [
  { id: '86400', label: 'For a day', description: 'Time to replace it without a gap.' },
  { id: '604800', label: 'For a week', description: 'If several programs use it.' },
  { id: '3600', label: 'For an hour' },
  { id: '0', label: 'Not at all', description: 'If somebody else may know it. Programs that use it stop at once.' },
] as const

interface RotateKeyFormProps {
  account: string
  apiKey: ApiKey
  onRotated: (issued: IssuedKey) => void
  onCancel: () => void
}

function RotateKeyForm({ account, apiKey, onRotated, onCancel }: RotateKeyFormProps) {
  const [overlap, setOverlap] = useState<(typeof overlaps)[number]['id']>('86400')
  const { submit, isPending, failure } = useSubmit(async () => {
    const body = { overlap_seconds: Number(overlap) }
    onRotated(await call('rotateKey', { account, key: apiKey.id, body }))
  })
  return (
    <form onSubmit={submit} className="space-y-4">
      <p>
        You get a new key with the same name, mode, scopes and expiry. Put it in place of the old one; both spend from
        the same budget, if there is one.
      </p>
      <RadioGroup label="The old key still works" options={overlaps} value={overlap} onChange={setOverlap} />
      <FormError>{failure !== undefined && messageOf(failure)}</FormError>
      <FormActions isPending={isPending} onCancel={onCancel}>
        Rotate
      </FormActions>
    </form>
  )
}
