import { type FormEvent, useState } from 'react'
import { api } from '#api/client.ts'
import { fieldError, messageOf } from '#api/failure.ts'
import { useReloadSession } from '#api/session.ts'
import { Button } from '#ui/actions/button.tsx'
import { showToast } from '#ui/feedback/toasts.tsx'
import { FormError } from '#ui/fields/form-error.tsx'
import { TextField } from '#ui/fields/text-field.tsx'

export function NameForm({ name: saved }: { name: string }) {
  const reload = useReloadSession()
  const [name, setName] = useState(saved)
  const [isPending, setIsPending] = useState(false)
  const [failure, setFailure] = useState<unknown>()
  const nameError = fieldError(failure, 'name')

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setIsPending(true)
    setFailure(undefined)
    try {
      await api.patch('/profile', { name })
      showToast('Your name was changed.')
      await reload()
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
          label="Name"
          isLabelHidden
          autoComplete="name"
          description="What your colleagues see beside what you did."
          value={name}
          onChange={setName}
          errorMessage={nameError}
          maxLength={200}
          isRequired
          className="min-w-48 flex-1"
        />
        <Button type="submit" isPending={isPending} isDisabled={name.trim() === saved}>
          Save
        </Button>
      </div>
      <FormError>{failure !== undefined && !nameError && messageOf(failure)}</FormError>
    </form>
  )
}
