import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import type { CurrentAccount } from '#api/account.tsx'
import { call } from '#api/client.ts'
import { failureProps, messageOf } from '#api/failure.ts'
import { pageQuery, useReload } from '#api/query.ts'
import { Pagination } from '#ui/data/pagination.tsx'
import { SkeletonRows } from '#ui/feedback/skeleton.tsx'
import { EmptyState, ErrorState } from '#ui/feedback/states.tsx'
import { showToast } from '#ui/feedback/toasts.tsx'
import type { ApiKey } from './api.ts'
import { KeysTable } from './keys-table.tsx'
import { RevokeKeyDialog } from './revoke-key-dialog.tsx'

// Forms, which the page's first load does not need.
const ChangeBudgetDialog = lazy(() => import('./budget/change-budget-dialog.tsx'))
const ChangeScopesDialog = lazy(() => import('./scopes/change-scopes-dialog.tsx'))
const RotateKeyDialog = lazy(() => import('./rotate-key-dialog.tsx'))

interface KeyListProps {
  account: CurrentAccount
  isAdmin: boolean
}

/** The keys that the address asks for, and what can be done with each. */
export function KeyList({ account: current, isAdmin }: KeyListProps) {
  const { id: account, access: hasAccess } = current
  const { show, cursor } = useSearch({ from: '/app/keys' })
  const navigate = useNavigate()
  const [budgeted, setBudgeted] = useState<ApiKey>()
  const [scoped, setScoped] = useState<ApiKey>()
  const [rotated, setRotated] = useState<ApiKey>()
  const [revoked, setRevoked] = useState<ApiKey>()
  const { data, error, isPending, isFetching, isPlaceholderData, refetch } = useQuery(
    pageQuery('listKeys', { account, state: show ?? 'usable', limit: 100, cursor }),
  )
  const reload = useReload('listKeys')
  const change = useMutation({
    mutationFn: ({ key, id }: { key: ApiKey; id: 'suspendKey' | 'resumeKey' }) => call(id, { account, key: key.id }),
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
        <NoKeys isEnded={show === 'ended'} isAdmin={isAdmin} hasAccess={hasAccess} />
      ) : (
        <KeysTable
          keys={data.data}
          isOutdated={isPlaceholderData}
          actions={
            isAdmin && show !== 'ended'
              ? {
                  onChangeBudget: setBudgeted,
                  onChangeScopes: setScoped,
                  onRotate: setRotated,
                  onRevoke: setRevoked,
                  onSuspend: (key) => change.mutate({ key, id: 'suspendKey' }),
                  onResume: (key) => change.mutate({ key, id: 'resumeKey' }),
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
      <Suspense>
        {budgeted && <ChangeBudgetDialog account={account} apiKey={budgeted} onClose={() => setBudgeted(undefined)} />}
        {scoped && <ChangeScopesDialog account={current} apiKey={scoped} onClose={() => setScoped(undefined)} />}
        {rotated && <RotateKeyDialog account={account} apiKey={rotated} onClose={() => setRotated(undefined)} />}
      </Suspense>
      <RevokeKeyDialog account={account} apiKey={revoked} onClose={() => setRevoked(undefined)} />
    </>
  )
}

function NoKeys({ isEnded, isAdmin, hasAccess }: { isEnded: boolean; isAdmin: boolean; hasAccess: boolean }) {
  const title = isEnded ? 'No key has ended' : 'There are no keys yet'
  return (
    <div className="rounded-lg border border-line bg-surface">
      <EmptyState title={title}>{whatToDo(isEnded, isAdmin, hasAccess)}</EmptyState>
    </div>
  )
}

function whatToDo(isEnded: boolean, isAdmin: boolean, hasAccess: boolean): string {
  if (isEnded) return 'Keys that expired or were revoked appear here.'
  if (!isAdmin) return 'An admin can create one.'
  if (!hasAccess) return 'They can be created once the plan has API access.'
  return 'Create one for each program, so that each can be revoked alone.'
}
