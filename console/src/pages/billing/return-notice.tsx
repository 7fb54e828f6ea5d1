import { Button } from '#ui/actions/button.tsx'
import { Banner } from '#ui/feedback/banner.tsx'
import { Spinner } from '#ui/feedback/spinner.tsx'
import type { Billing } from './api.ts'
import type { BillingSearch } from './search.ts'
import type { Waiting } from './use-awaited-plan.ts'

/** A way back from the payment provider. */
export interface Return {
  /** The address on arrival. */
  search: BillingSearch
  /** The account had access then. */
  hadAccess: boolean
}

/** True if a change of the plan is expected. */
export function isAwaiting({ search: { returned, plan }, hadAccess }: Return): boolean {
  return returned === 'checkout' ? plan !== undefined : returned === 'portal' && !hadAccess
}

/** The account's state once the change has arrived; null when the page need not poll. */
export function expectationOf({ search, hadAccess }: Return): ((billing: Billing) => boolean) | null {
  const { returned, plan, billing: interval } = search
  if (returned === 'checkout' && plan)
    return ({ plan: now, api_access: access }) =>
      access.enabled && now.slug === plan && (interval === undefined || now.billing === interval)
  if (returned !== 'portal') return null
  // With access nothing particular is expected: what changes within the minute is shown.
  return ({ api_access: access }) => !hadAccess && access.enabled
}

interface ReturnNoticeProps {
  trip: Return
  state: Waiting
  billing: Billing
  onCheckAgain: () => void
}

/** After the payment provider: that it is waited for, that the plan is there, or what to do. */
export function ReturnNotice({ trip, state, billing, onCheckAgain }: ReturnNoticeProps) {
  const text = noticeText(trip, state, billing)
  if (text === null) return null
  const isLate = isAwaiting(trip) && state === 'late'
  return (
    <div className="mb-4">
      <Banner
        tone={isLate ? 'warning' : 'info'}
        isAnnounced
        actions={
          isLate ? (
            <Button isSmall onPress={onCheckAgain}>
              Check again
            </Button>
          ) : isAwaiting(trip) && state === 'waiting' ? (
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

function noticeText({ search, hadAccess }: Return, state: Waiting, { plan }: Billing): string | null {
  const { returned } = search
  if (returned === 'canceled') return 'You left the payment page. Nothing was bought, and nothing is charged.'
  if (returned === 'checkout' && search.plan) return checkoutText(state, plan.name)
  if (returned !== 'portal') return null
  return hadAccess
    ? 'Changes that you made at the payment provider are shown here as soon as it reports them.'
    : recoveryText(state, plan.name)
}

function checkoutText(state: Waiting, planName: string): string {
  if (state === 'arrived') return `Your plan is now ${planName}.`
  return state === 'waiting'
    ? 'Waiting for the payment provider…'
    : 'The payment provider has not reported a change. If you confirmed the plan, it can take a few minutes: check again, and do not buy it a second time. If you left the page before confirming, nothing is charged.'
}

function recoveryText(state: Waiting, planName: string): string {
  if (state === 'arrived') return `Your plan ${planName} is open again.`
  return state === 'waiting'
    ? 'Waiting for the payment provider… If you paid, access opens in a moment.'
    : 'The payment provider has not reported a payment. If you paid, it can take a few minutes: check again. Otherwise open Manage billing once more.'
}
