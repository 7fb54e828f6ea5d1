import { useEffect, useState } from 'react'
import { Button } from '#ui/actions/button.tsx'
import { Banner } from '#ui/feedback/banner.tsx'
import { Spinner } from '#ui/feedback/spinner.tsx'
import type { Billing } from './billing-api.ts'
import type { BillingSearch } from './search.ts'
import { useAwaitedPlan, type Waiting } from './use-awaited-plan.ts'

interface ReturnNoticeProps {
  account: string
  /** What the address said on the way back. */
  trip: BillingSearch
  /** Whether the account had access when the page came back. */
  hadAccess: boolean
  /** The new plan is there. */
  onArrived: () => void
}

/** After the payment provider: waits until it has told the server, and says so. */
export function ReturnNotice({ account, trip, hadAccess, onArrived }: ReturnNoticeProps) {
  const [attempt, setAttempt] = useState(0)
  const { state, billing } = useAwaitedPlan(account, expectationOf(trip, hadAccess), attempt)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once
  useEffect(() => {
    if (state === 'arrived') onArrived()
  }, [state])
  const text = noticeText(trip, hadAccess, state, billing)
  if (text === null) return null
  const isWaiting = state === 'waiting' && isAwaiting(trip, hadAccess)
  return (
    <div className="mb-4">
      <Banner
        tone={state === 'late' && isAwaiting(trip, hadAccess) ? 'warning' : 'info'}
        isAnnounced
        actions={
          state === 'late' && isAwaiting(trip, hadAccess) ? (
            <Button isSmall onPress={() => setAttempt((count) => count + 1)}>
              Check again
            </Button>
          ) : isWaiting ? (
            <span aria-hidden>
              <Spinner isImmediate />
            </span>
          ) : null
        }
      >
        {text}
      </Banner>
    </div>
  )
}

/** Whether a change of the plan is expected. */
function isAwaiting({ returned, plan }: BillingSearch, hadAccess: boolean): boolean {
  return returned === 'checkout' ? plan !== undefined : returned === 'portal' && !hadAccess
}

function expectationOf(trip: BillingSearch, hadAccess: boolean): ((billing: Billing) => boolean) | null {
  const { returned, plan, billing: interval } = trip
  if (returned === 'checkout' && plan)
    return ({ plan: now, api_access: access }) =>
      access.enabled && now.slug === plan && (interval === undefined || now.billing === interval)
  if (returned !== 'portal') return null
  // With access nothing particular is expected: what changes within the minute is shown.
  return ({ api_access: access }) => !hadAccess && access.enabled
}

function noticeText(
  { returned, plan }: BillingSearch,
  hadAccess: boolean,
  state: Waiting,
  billing: Billing | undefined,
): string | null {
  if (returned === 'canceled') return 'You left the payment page. Nothing was bought, and nothing is charged.'
  if (state === 'arrived' && billing)
    return returned === 'checkout'
      ? `Your plan is now ${billing.plan.name}.`
      : `Your plan ${billing.plan.name} is open again.`
  if (returned === 'checkout' && plan)
    return state === 'waiting'
      ? 'Waiting for the payment provider…'
      : 'The payment provider has not reported a change. If you confirmed the plan, it can take a few minutes: check again, and do not buy it a second time. If you left the page before confirming, nothing is charged.'
  if (returned === 'portal' && !hadAccess)
    return state === 'waiting'
      ? 'Waiting for the payment provider… If you paid, access opens in a moment.'
      : 'The payment provider has not reported a payment. If you paid, it can take a few minutes: check again. Otherwise open Manage billing once more.'
  return returned === 'portal'
    ? 'Changes that you made at the payment provider are shown here as soon as it reports them.'
    : null
}
