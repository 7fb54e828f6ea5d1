import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '#api/client.ts'
import { fieldError, messageOf } from '#api/failure.ts'
import { useReload } from '#api/query.ts'
import { useSubmit } from '#lib/use-submit.ts'
import { FormError } from '#ui/fields/field.tsx'
import { Select } from '#ui/fields/select.tsx'
import { TextField } from '#ui/fields/text-field.tsx'
import { Dialog, FormActions } from '#ui/overlays/dialog.tsx'
import type { OperatorAccount } from '../api.ts'
import { planOptions } from '../labels.ts'

interface NewAccountDialogProps {
  isOpen: boolean
  onClose: () => void
}

export function NewAccountDialog({ isOpen, onClose }: NewAccountDialogProps) {
  return (
    <Dialog title="New account" isOpen={isOpen} onClose={onClose}>
      <NewAccountForm onClose={onClose} />
    </Dialog>
  )
}

function NewAccountForm({ onClose }: { onClose: () => void }) {
  const reload = useReload('listAccounts')
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const [plan, setPlan] = useState<OperatorAccount['plan']>('free')
  const { submit, isPending, failure } = useSubmit(async () => {
    const body = { name, plan, ...(email.trim() && { email: email.trim() }) }
    const { account } = await call('createAccount', { body })
    void reload()
    onClose()
    await navigate({ to: '/operator/accounts/$account', params: { account: account.id } })
  })
  const nameError = fieldError(failure, 'name')
  const emailError = fieldError(failure, 'email')
  return (
    <form onSubmit={submit}>
      <div className="space-y-4">
        <TextField
          label="Name"
          description="Of the customer, as they call themselves."
          value={name}
          onChange={setName}
          errorMessage={nameError}
          maxLength={200}
          isRequired
          autoFocus
        />
        <TextField
          label="Email"
          description="A contact for invoices. It is not an invitation to sign in."
          type="email"
          value={email}
          onChange={setEmail}
          errorMessage={emailError}
          maxLength={254}
        />
        <Select
          label="Plan"
          description="Granted by hand: nobody is charged for it."
          options={planOptions}
          value={plan}
          onChange={setPlan}
        />
      </div>
      <FormError>{failure !== undefined && !nameError && !emailError && messageOf(failure)}</FormError>
      <FormActions isPending={isPending} onCancel={onClose}>
        Create account
      </FormActions>
    </form>
  )
}
