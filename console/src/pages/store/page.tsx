import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { ExternalLink } from 'lucide-react'
import { useAccount } from '#api/account.tsx'
import { useTaxonomy } from '#api/catalogue.ts'
import { ApiFailure, failureProps, hasCode } from '#api/failure.ts'
import { meteredCallQuery } from '#api/metered.ts'
import { Link } from '#ui/actions/link.tsx'
import { PageHeader } from '#ui/data/page-header.tsx'
import { SkeletonRows, useDelayed } from '#ui/feedback/skeleton.tsx'
import { EmptyState, ErrorState } from '#ui/feedback/states.tsx'
import { AddToListButton } from '../lists/add-to-list-button.tsx'
import { ClosedState } from '../search/closed-state.tsx'
import { LimitState } from '../search/result-problem.tsx'
import { CopyStore } from './copy-store.tsx'
import { StoreContacts } from './store-contacts.tsx'
import { StoreFacts } from './store-facts.tsx'
import { StoreHistory } from './store-history.tsx'
import { StoreNavigation } from './store-navigation.tsx'
import { StoreTechnologies } from './store-technologies.tsx'

export default function StorePage() {
  const { domain } = useParams({ from: '/app/stores/$domain' })
  const { access } = useAccount()
  return (
    <>
      <StoreNavigation domain={domain} />
      {access ? <OpenStore key={domain} domain={domain} /> : <ClosedStore domain={domain} />}
    </>
  )
}

function ClosedStore({ domain }: { domain: string }) {
  return (
    <>
      <PageHeader title={domain} />
      <ClosedState what="Stores" />
    </>
  )
}

function OpenStore({ domain }: { domain: string }) {
  const { id: account } = useAccount()
  const { data: store, error, isFetching, refetch } = useQuery(meteredCallQuery('viewStore', { account, domain }))
  const { data: taxonomy } = useTaxonomy()
  const isLoading = useDelayed(!store || !taxonomy)
  if (error) return <StoreProblem {...{ domain, error, isFetching }} onRetry={() => void refetch()} />
  return (
    <>
      <PageHeader
        title={store?.name ?? domain}
        description={
          <Link href={`https://${store?.domain ?? domain}/`} isExternal className="inline-flex items-center gap-1">
            {store?.domain ?? domain}
            <ExternalLink aria-hidden className="size-3.5" />
          </Link>
        }
        actions={
          store && (
            <>
              <AddToListButton account={account} kind="stores" items={{ domains: [store.domain] }} />
              <CopyStore account={account} domain={store.domain} />
            </>
          )
        }
      />
      {store && taxonomy ? (
        <div className="grid items-start gap-6 xl:grid-cols-[20rem_1fr]">
          <StoreFacts store={store} taxonomy={taxonomy} />
          <div className="flex min-w-0 flex-col gap-6">
            <StoreContacts account={account} store={store} taxonomy={taxonomy} />
            <StoreTechnologies technologies={store.technologies} taxonomy={taxonomy} />
            <StoreHistory account={account} domain={domain} first={store.history} taxonomy={taxonomy} />
          </div>
        </div>
      ) : (
        isLoading && <SkeletonRows />
      )}
    </>
  )
}

interface StoreProblemProps {
  domain: string
  error: unknown
  isFetching: boolean
  onRetry: () => void
}

function StoreProblem({ domain, error, isFetching, onRetry }: StoreProblemProps) {
  const content = () => {
    if (hasCode(error, 'store_not_found') || hasCode(error, 'invalid_domain'))
      return (
        <EmptyState title={error.message}>
          Nothing was charged. Search for another domain on the page Stores.
        </EmptyState>
      )
    if (hasCode(error, 'api_access_required')) return <ClosedState what="Stores" reason={error.message} />
    if (error instanceof ApiFailure && error.code === 'rate_limit_exceeded')
      return <LimitState failure={error} onRetry={onRetry} isRetrying={isFetching} />
    return <ErrorState {...failureProps(error)} onRetry={onRetry} isRetrying={isFetching} />
  }
  return (
    <>
      <PageHeader title={domain} />
      {content()}
    </>
  )
}
