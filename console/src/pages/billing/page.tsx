import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useEffectEvent } from 'react'
import { useAccount, useAccounts } from '#api/account.tsx'
import { failureProps } from '#api/failure.ts'
import { callQuery } from '#api/query.ts'
import { PageHeader } from '#ui/data/page-header.tsx'
import { Banner } from '#ui/feedback/banner.tsx'
import { PageSpinner } from '#ui/feedback/spinner.tsx'
import { ErrorState } from '#ui/feedback/states.tsx'
import { billingQuery } from './api.ts'
import { BillingOverview } from './billing-overview.tsx'

export default function BillingPage() {
  const { id, name } = useAccount()
  const linked = useLinkedAccount()
  const billing = useQuery(billingQuery(id))
  const plans = useQuery({ ...callQuery('listPlans', { account: id }), staleTime: 0 })
  const failed = [billing, plans].find(({ data, isError }) => isError && !data)
  const retry = () => void Promise.all([billing.refetch(), plans.refetch()])
  return (
    <div className="max-w-5xl">
      <PageHeader title="Billing" />
      {linked === 'unknown' && (
        <div className="mb-4">
          <Banner tone="warning">
            The link that you opened is about an account that you are not a member of. This is the plan of {name}.
          </Banner>
        </div>
      )}
      {linked === 'changing' ? (
        <PageSpinner />
      ) : failed ? (
        <ErrorState
          {...failureProps(failed.error)}
          onRetry={retry}
          isRetrying={billing.isFetching || plans.isFetching}
        />
      ) : billing.data && plans.data ? (
        <BillingOverview account={id} billing={billing.data} plans={plans.data.data} />
      ) : (
        <PageSpinner />
      )}
    </div>
  )
}

/**
 * A link of the API names its account: changes to it, and takes it out of the address. Returns `changing` until then, and
 * `unknown` for an account that the person is no member of.
 */
function useLinkedAccount(): 'changing' | 'unknown' | null {
  const { account: linked, ...search } = useSearch({ from: '/app/billing' })
  const { accounts, current, switchTo } = useAccounts()
  const navigate = useNavigate()
  const isMember = accounts.some(({ id }) => id === linked)
  const follow = useEffectEvent((id: string) => {
    if (id !== current?.id) switchTo(id)
    void navigate({ to: '/billing', replace: true, search })
  })
  useEffect(() => {
    if (linked !== undefined && isMember) follow(linked)
  }, [linked, isMember])
  if (linked === undefined) return null
  return isMember ? 'changing' : 'unknown'
}
