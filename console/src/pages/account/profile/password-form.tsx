import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api } from '#api/client.ts'
import { fieldError, messageOf } from '#api/failure.ts'
import { useSession } from '#api/session.ts'
import { Button } from '#ui/actions/button.tsx'
import { showToast } from '#ui/feedback/toasts.tsx'
import { FormError } from '#ui/fields/form-error.tsx'
import { TextField } from '#ui/fields/text-field.tsx'

export function PasswordForm() {
  const { person } = useSession()
  const client = useQueryClient()
  const [password, setPassword] = useState('')
  const [isPending, setIsPending] = useState(false)
  const [failure, setFailure] = useState<unknown>()
  const passwordError = fieldError(failure, 'password')

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setIsPending(true)
    setFailure(undefined)
    try {
      await api.post('/profile/password', { password })
      setPassword('')
      showToast('Your password was changed. All other sessions were ended.')
      await client.invalidateQueries({ queryKey: ['person', 'sessions'] })
    } catch (error) {
      setFailure(error)
    } finally {
      setIsPending(false)
    }
  }
  return (
    <form onSubmit={submit}>
      <input type="hidden" name="username" autoComplete="username" value={person.email} />
      <div className="flex flex-wrap items-start gap-2">
        <TextField
          label="New password"
          isLabelHidden
          type="password"
          autoComplete="new-password"
          placeholder="New password"
          description="At least 12 characters. It ends your other sessions."
          value={password}
          onChange={setPassword}
          errorMessage={passwordError}
          isRequired
          className="min-w-48 flex-1"
        />
        <Button type="submit" isPending={isPending}>
          Change password
        </Button>
      </div>
      <FormError>{failure !== undefined && !passwordError && messageOf(failure)}</FormError>
    </form>
  )
}
