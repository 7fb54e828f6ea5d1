import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { type CurrentAccount, useAccount, useIsAtLeast } from '#api/account.tsx'
import { failureProps, messageOf } from '#api/failure.ts'
import { Button } from '#ui/actions/button.tsx'
import { Link } from '#ui/actions/link.tsx'
import { PageHeader } from '#ui/data/page-header.tsx'
import { Pagination } from '#ui/data/pagination.tsx'
import { Banner } from '#ui/feedback/banner.tsx'
import { EmptyState } from '#ui/feedback/empty-state.tsx'
import { ErrorState } from '#ui/feedback/error-state.tsx'
import { SkeletonRows } from '#ui/feedback/skeleton.tsx'
import { showToast } from '#ui/feedback/toasts.tsx'
import { Segmented } from '#ui/fields/segmented.tsx'
import { CreateKeyDialog } from './create-key-dialog.tsx'
import { KeysTable } from './keys-table.tsx'
import { type ApiKey, keysQuery, resumeKey, suspendKey, useReloadKeys } from './queries.ts'
import { RevokeKeyDialog } from './revoke-key-dialog.tsx'
import { RotateKeyDialog } from './rotate-key-dialog.tsx'

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
      <KeyList account={account.id} isAdmin={isAdmin} />
      <CreateKeyDialog account={account.id} isOpen={isCreating} onClose={() => setIsCreating(false)} />
    </>
  )
}

const noAccessReason = 'The API needs a plan with access: keys of this account are refused until there is one.'

function whyNotCreate({ access }: CurrentAccount, isAdmin: boolean): string | undefined {
  if (!isAdmin) return 'Only admins and owners of the account create keys.'
  return access ? undefined : 'The plan has no API access. Billing says how to get it.'
}

function KeyList({ account, isAdmin }: { account: string; isAdmin: boolean }) {
  const { show, cursor } = useSearch({ from: '/app/keys' })
  const navigate = useNavigate()
  const [rotated, setRotated] = useState<ApiKey>()
  const [revoked, setRevoked] = useState<ApiKey>()
  const { data, error, isPending, isFetching, isPlaceholderData, refetch } = useQuery(
    keysQuery(account, show ?? 'usable', cursor),
  )
  const reload = useReloadKeys(account)
  const change = useMutation({
    mutationFn: ({ key, work }: { key: ApiKey; work: typeof suspendKey }) => work(account, key.id),
    onError: (failure) => showToast(messageOf(failure)),
    onSettled: reload,
  })
  if (isPending) return <SkeletonRows rows={4} />
  if (error) return <ErrorState {...failureProps(error)} onRetry={() => void refetch()} isRetrying={isFetching} />
  const { next_cursor: next } = data
  const goTo = (to: string | undefined) => void navigate({ to: '/keys', search: { show, cursor: to } })
  return (
    <>
      {data.data.length === 0 ? (
        <div className="rounded-lg border border-line bg-surface">
          {show === 'ended' ? (
            <EmptyState title="No key has ended">Keys that expired or were revoked appear here.</EmptyState>
          ) : (
            <EmptyState title="There are no keys yet">
              {isAdmin ? 'Create one for each program, so that each can be revoked alone.' : 'An admin can create one.'}
            </EmptyState>
          )}
        </div>
      ) : (
        <KeysTable
          keys={data.data}
          isOutdated={isPlaceholderData}
          actions={
            isAdmin && show !== 'ended'
              ? {
                  onRotate: setRotated,
                  onRevoke: setRevoked,
                  onSuspend: (key) => change.mutate({ key, work: suspendKey }),
                  onResume: (key) => change.mutate({ key, work: resumeKey }),
                  changing: change.isPending ? change.variables.key.id : undefined,
                }
              : undefined
          }
        />
      )}
      {(next || cursor) && (
        <Pagination
          onPrevious={cursor ? () => goTo(undefined) : undefined}
          onNext={next ? () => goTo(next) : undefined}
          isPending={isPlaceholderData}
        />
      )}
      <RotateKeyDialog account={account} apiKey={rotated} onClose={() => setRotated(undefined)} />
      <RevokeKeyDialog account={account} apiKey={revoked} onClose={() => setRevoked(undefined)} />
    </>
  )
}
