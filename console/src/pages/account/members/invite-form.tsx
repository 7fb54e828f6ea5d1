import { type FormEvent, useState } from 'react'
import { useAccount } from '#api/account.tsx'
import { fieldError, messageOf } from '#api/failure.ts'
import type { Role } from '#api/session.ts'
import { FormError } from '#ui/fields/form-error.tsx'
import { RadioGroup } from '#ui/fields/radio-group.tsx'
import { TextField } from '#ui/fields/text-field.tsx'
import { FormActions } from '#ui/overlays/dialog.tsx'
import { mayManage, roles } from '../roles.ts'
import { invite, type SentInvitation } from './members-api.ts'

interface InviteFormProps {
  account: string
  onSent: (sent: SentInvitation) => void
  onCancel: () => void
}

export function InviteForm({ account, onSent, onCancel }: InviteFormProps) {
  const { role: ownRole } = useAccount()
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('member')
  const [isPending, setIsPending] = useState(false)
  const [failure, setFailure] = useState<unknown>()
  const emailError = fieldError(failure, 'email')

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setIsPending(true)
    setFailure(undefined)
    try {
      onSent(await invite(account, { email: email.trim(), role }))
    } catch (error) {
      setFailure(error)
    } finally {
      setIsPending(false)
    }
  }
  return (
    <form onSubmit={submit} className="space-y-4">
      <TextField
        label="Email"
        type="email"
        autoComplete="off"
        value={email}
        onChange={setEmail}
        errorMessage={emailError}
        isRequired
        autoFocus
      />
      <RadioGroup
        label="Role"
        options={roles.filter(({ id }) => mayManage(ownRole, id))}
        value={role}
        onChange={setRole}
      />
      <FormError>{failure !== undefined && !emailError && messageOf(failure)}</FormError>
      <FormActions isPending={isPending} onCancel={onCancel}>
        Invite
      </FormActions>
    </form>
  )
}
