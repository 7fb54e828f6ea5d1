import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useAccount, useIsAtLeast } from '#api/account.tsx'
import { call } from '#api/client.ts'
import { useReloadSession } from '#api/session.ts'
import { Button } from '#ui/actions/button.tsx'
import { PageHeader } from '#ui/data/page-header.tsx'
import { showToast } from '#ui/feedback/toasts.tsx'
import { ConfirmDialog } from '#ui/overlays/confirm-dialog.tsx'
import { NameFieldForm, Section } from '../settings-form.tsx'
import { CloseAccount } from './close-account.tsx'

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

function AccountNameForm({ account, name: saved }: { account: string; name: string }) {
  return (
    <NameFieldForm
      label="Account name"
      autoComplete="organization"
      initial={saved}
      button="Save"
      isUnchanged={(name) => name.trim() === saved}
      save={(name) => call('renameAccount', { account, body: { name } })}
      done="The account was renamed."
      reload={useReloadSession()}
    />
  )
}

function LeaveAccount({ account, name }: { account: string; name: string }) {
  const [isOpen, setIsOpen] = useState(false)
  const reload = useReloadSession()
  const navigate = useNavigate()
  return (
    <>
      <Button onPress={() => setIsOpen(true)}>Leave account</Button>
      <ConfirmDialog
        title={`Leave ${name}?`}
        isOpen={isOpen}
        onClose={() => setIsOpen(false)}
        confirmLabel="Leave account"
        isDanger
        onConfirm={async () => {
          await call('leaveAccount', { account })
          showToast(`You left ${name}.`)
          await reload()
          await navigate({ to: '/stores' })
        }}
      >
        <p>Only an admin of the account can let you in again. Invitations that you sent end.</p>
      </ConfirmDialog>
    </>
  )
}
