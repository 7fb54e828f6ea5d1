import { type FormEvent, useState } from 'react'
import { fieldError, messageOf } from '#api/failure.ts'
import { Button } from '#ui/actions/button.tsx'
import { showToast } from '#ui/feedback/toasts.tsx'
import { FormError } from '#ui/fields/form-error.tsx'
import { TextField } from '#ui/fields/text-field.tsx'
import { addPasskey } from './passkeys-api.ts'

export function PasskeyForm({ onAdded }: { onAdded: () => Promise<unknown> }) {
  const [name, setName] = useState('')
  const [isPending, setIsPending] = useState(false)
  const [failure, setFailure] = useState<unknown>()
  const nameError = fieldError(failure, 'name')

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setIsPending(true)
    setFailure(undefined)
    try {
      await addPasskey(name.trim())
      setName('')
      showToast('The passkey was added.')
      await onAdded()
    } catch (error) {
      setFailure(error)
    } finally {
      setIsPending(false)
    }
  }
  return (
    <form onSubmit={submit}>
      <div className="flex flex-wrap items-start gap-2">
        <TextField
          label="Name of a new passkey"
          isLabelHidden
          placeholder="Such as: work laptop"
          autoComplete="off"
          value={name}
          onChange={setName}
          errorMessage={nameError}
          maxLength={200}
          isRequired
          className="min-w-48 flex-1"
        />
        <Button type="submit" isPending={isPending}>
          Add passkey
        </Button>
      </div>
      <FormError>{failure !== undefined && !nameError && messageOf(failure)}</FormError>
    </form>
  )
}
