import { useAccount, useIsAtLeast } from '#api/account.tsx'
import { PageHeader } from '#ui/data/page-header.tsx'
import { Section } from '../section.tsx'
import { AccountNameForm } from './account-name-form.tsx'
import { CloseAccount } from './close-account.tsx'
import { LeaveAccount } from './leave-account.tsx'

export default function AccountSettingsPage() {
  const { id, name } = useAccount()
  const isAdmin = useIsAtLeast('admin')
  const isOwner = useIsAtLeast('owner')
  return (
    <div className="max-w-2xl">
      <PageHeader title="Settings" description={`Of the account ${name}`} />
      <Section title="Name of the account">
        {isAdmin ? (
          <AccountNameForm key={name} account={id} name={name} />
        ) : (
          <p>
            <span className="font-medium wrap-anywhere">{name}</span>{' '}
            <span className="text-muted">Admins and owners can change it.</span>
          </p>
        )}
      </Section>
      <Section title="Leave this account" description="You can no longer see anything of it. What you did stays.">
        <LeaveAccount account={id} name={name} />
      </Section>
      {isOwner && (
        <Section
          title="Close this account"
          description="For good: access ends, and all keys and invitations are revoked. What it has revealed and spent stays on file. An account with a running subscription cannot be closed: cancel the plan under Manage billing first, and close it when the plan has ended."
        >
          <CloseAccount account={id} name={name} />
        </Section>
      )}
    </div>
  )
}
