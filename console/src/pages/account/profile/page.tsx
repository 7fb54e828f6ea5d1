import { useQuery } from '@tanstack/react-query'
import { signInOptionsQuery, useSession } from '#api/session.ts'
import { PageHeader } from '#ui/data/page-header.tsx'
import { Section } from '../section.tsx'
import { NameForm } from './name-form.tsx'
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
