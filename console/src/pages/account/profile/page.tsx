import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '#api/client.ts'
import { fieldError, messageOf } from '#api/failure.ts'
import { useReload } from '#api/query.ts'
import { signInOptionsQuery, useReloadSession, useSession } from '#api/session.ts'
import { useSubmit } from '#lib/use-submit.ts'
import { Button } from '#ui/actions/button.tsx'
import { PageHeader } from '#ui/data/page-header.tsx'
import { showToast } from '#ui/feedback/toasts.tsx'
import { FormError } from '#ui/fields/field.tsx'
import { TextField } from '#ui/fields/text-field.tsx'
import { NameFieldForm, Section } from '../settings-form.tsx'
import { PasskeySection } from './passkey-section.tsx'

export default function ProfilePage() {
  const { person } = useSession()
  const { data: options } = useQuery(signInOptionsQuery)
  return (
    <div className="max-w-2xl">
      <PageHeader title="Profile" description={<span className="wrap-anywhere">{person.email}</span>} />
      <Section title="Name">
        <NameForm key={person.name} name={person.name} />
      </Section>
      <Section title="Password">
        <PasswordForm />
      </Section>
      <PasskeySection isPossible={options?.passkeys ?? true} />
    </div>
  )
}

function NameForm({ name: saved }: { name: string }) {
  return (
    <NameFieldForm
      label="Name"
      autoComplete="name"
      description="What your colleagues see beside what you did."
      initial={saved}
      button="Save"
      isUnchanged={(name) => name.trim() === saved}
      save={(name) => call('changeProfile', { body: { name } })}
      done="Your name was changed."
      reload={useReloadSession()}
    />
  )
}

function PasswordForm() {
  const { person } = useSession()
  const reload = useReload('listSessions')
  const [password, setPassword] = useState('')
  const { submit, isPending, failure } = useSubmit(async () => {
    await call('changePassword', { body: { password } })
    setPassword('')
    showToast('Your password was changed. All other sessions were ended.')
    await reload()
  })
  const passwordError = fieldError(failure, 'password')
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
