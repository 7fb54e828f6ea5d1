import { useNavigate, useSearch } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { type CurrentAccount, useAccount, useIsAtLeast } from '#api/account.tsx'
import { Button } from '#ui/actions/button.tsx'
import { Link } from '#ui/actions/link.tsx'
import { PageHeader } from '#ui/data/page-header.tsx'
import { Banner } from '#ui/feedback/banner.tsx'
import { Segmented } from '#ui/fields/segmented.tsx'
import { KeyList } from './key-list.tsx'

const CreateKeyDialog = lazy(() => import('./create-key-dialog.tsx'))

const states = [
  { id: 'usable', label: 'In use' },
  { id: 'ended', label: 'Ended' },
] as const

export default function KeysPage() {
  const account = useAccount()
  const isAdmin = useIsAtLeast('admin')
  const { show } = useSearch({ from: '/app/keys' })
  const navigate = useNavigate()
  const [isCreating, setIsCreating] = useState(false)
  const reason = whyNotCreate(account, isAdmin)
  const create = (
    <Button variant="primary" disabledReason={reason} onPress={() => setIsCreating(true)}>
      <Plus aria-hidden />
      Create key
    </Button>
  )
  return (
    <>
      <PageHeader
        title="Keys"
        description="Programs use the API with a key. What it spends is the account’s."
        actions={create}
      />
      {!account.access && (
        <div className="mb-4">
          <Banner tone="warning">
            {noAccessReason} <Link href="/billing">Go to Billing</Link>
          </Banner>
        </div>
      )}
      <div className="mb-3 flex">
        <Segmented
          label="Which keys"
          isLabelHidden
          options={states}
          value={show ?? 'usable'}
          onChange={(next) => void navigate({ to: '/keys', search: { show: next === 'ended' ? 'ended' : undefined } })}
        />
      </div>
      <KeyList account={account} isAdmin={isAdmin} />
      {isCreating && (
        <Suspense>
          <CreateKeyDialog account={account.id} onClose={() => setIsCreating(false)} />
        </Suspense>
      )}
    </>
  )
}

const noAccessReason = 'The API needs a plan with access: keys of this account are refused until there is one.'

function whyNotCreate({ access }: CurrentAccount, isAdmin: boolean): string | undefined {
  if (!isAdmin) return 'Only admins and owners of the account create and change keys.'
  return access ? undefined : 'The plan has no API access. Billing says how to get it.'
}
