import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { fieldError, messageOf } from '#api/failure.ts'
import { FormError } from '#ui/fields/form-error.tsx'
import { Select } from '#ui/fields/select.tsx'
import { TextField } from '#ui/fields/text-field.tsx'
import { Dialog, FormActions } from '#ui/overlays/dialog.tsx'
import { createAccount } from '../operator-api.ts'
import { type PlanSlug, planOptions } from '../words.ts'

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
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const [plan, setPlan] = useState<PlanSlug>('free')
  const [isPending, setIsPending] = useState(false)
  const [failure, setFailure] = useState<unknown>()
  const nameError = fieldError(failure, 'name')
  const emailError = fieldError(failure, 'email')

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setIsPending(true)
    setFailure(undefined)
    try {
      const { account } = await createAccount({ name, plan, ...(email.trim() && { email: email.trim() }) })
      void queryClient.invalidateQueries({ queryKey: ['operator', 'accounts'] })
      onClose()
      await navigate({ to: '/operator/accounts/$account', params: { account: account.id } })
    } catch (error) {
      setFailure(error)
      setIsPending(false)
    }
  }
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
      <FormError>{failure && !nameError && !emailError ? messageOf(failure) : undefined}</FormError>
      <FormActions isPending={isPending} onCancel={onClose}>
        Create account
      </FormActions>
    </form>
  )
}
