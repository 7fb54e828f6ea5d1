import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { failureProps, hasCode } from '#api/failure.ts'
import { callQuery } from '#api/query.ts'
import { CopyButton } from '#ui/actions/copy-button.tsx'
import { Link } from '#ui/actions/link.tsx'
import { PageHeader } from '#ui/data/page-header.tsx'
import { PageSpinner } from '#ui/feedback/spinner.tsx'
import { EmptyState, ErrorState } from '#ui/feedback/states.tsx'
import { AccountActions } from './account-actions.tsx'
import { AccountSections } from './account-sections.tsx'
import { AccountTerms } from './account-terms.tsx'

/** One account, as its operator sees it. */
export default function OperatorAccountPage() {
  const { account: id } = useParams({ from: '/app/operator/accounts/$account' })
  const { data, error, isFetching, refetch } = useQuery(callQuery('getAccount', { id }))
  if (hasCode(error, 'account_not_found'))
    return (
      <>
        <PageHeader title="No such account" />
        <EmptyState title="There is no account with this id">
          <Link href="/operator/accounts">Go to all accounts</Link>
        </EmptyState>
      </>
    )
  return (
    <>
      <PageHeader
        title={data?.account.name ?? 'Account'}
        description={
          <span className="flex flex-wrap items-center gap-x-3">
            <span className="inline-flex items-center gap-1 font-mono text-xs">
              {id}
              <CopyButton text={id} label="Copy id" isQuiet />
            </span>
            {data?.account.email && <bdi className="wrap-anywhere">{data.account.email}</bdi>}
          </span>
        }
        actions={data && <AccountActions account={data.account} />}
      />
      {error ? (
        <ErrorState {...failureProps(error)} onRetry={() => void refetch()} isRetrying={isFetching} />
      ) : data ? (
        <>
          <AccountTerms details={data} />
          <AccountSections details={data} />
        </>
      ) : (
        <PageSpinner />
      )}
    </>
  )
}
