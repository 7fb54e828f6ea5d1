import { useQuery } from '@tanstack/react-query'
import { call } from '#api/client.ts'
import { signInOptionsQuery, useReloadSession, useSession } from '#api/session.ts'
import { PageHeader } from '#ui/data/page-header.tsx'
import { NameFieldForm } from '../name-field-form.tsx'
import { Section } from '../section.tsx'
import { PasskeySection } from './passkey-section.tsx'
import { PasswordForm } from './password-form.tsx'

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
