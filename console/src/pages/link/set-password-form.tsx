import { useState } from 'react'
import { call } from '#api/client.ts'
import { fieldError, messageOf } from '#api/failure.ts'
import type { Reply } from '#api/operations.ts'
import { Button } from '#ui/actions/button.tsx'
import { FormError } from '#ui/fields/field.tsx'
import { TextField } from '#ui/fields/text-field.tsx'
import { useEnter } from './open-link-button.tsx'

export function SetPasswordForm({ token, link }: { token: string; link: Reply<'lookAtLink'> }) {
  const [name, setName] = useState(link.name ?? '')
  const [password, setPassword] = useState('')
  const { enter, isPending, failure } = useEnter(() =>
    call('setPasswordByLink', { body: { token, password, ...(link.needs_name && { name }) } }),
  )
  const passwordError = fieldError(failure, 'password')
  const nameError = fieldError(failure, 'name')

  return (
    <form onSubmit={enter}>
      <div className="space-y-4">
        {link.needs_name && (
          <TextField
            label="Name"
            autoComplete="name"
            value={name}
            onChange={setName}
            errorMessage={nameError}
            isRequired
            autoFocus
          />
        )}
        <input type="text" name="username" autoComplete="username" value={link.email} readOnly hidden />
        <TextField
          label="New password"
          type="password"
          autoComplete="new-password"
          description="At least 12 characters. A few words in a row are easier to remember than signs."
          value={password}
          onChange={setPassword}
          errorMessage={passwordError}
          isRequired
          autoFocus={!link.needs_name}
        />
      </div>
      <FormError>{failure !== undefined && !passwordError && !nameError && messageOf(failure)}</FormError>
      <div className="mt-6 flex flex-col">
        <Button type="submit" variant="primary" isPending={isPending}>
          Set password
        </Button>
      </div>
    </form>
  )
}
