import { Button } from '#ui/actions/button.tsx'
import { FormError } from '#ui/fields/field.tsx'
import type { Billing, Plan, PlanOffer } from './api.ts'
import { formatPrice, ownersText } from './labels.ts'
import type { BillingInterval, PaidPlan } from './search.ts'

interface ChangePlanProps {
  billing: Billing
  chosen: { plan: Plan; interval: BillingInterval }
  isOwner: boolean
  /** For the payment provider to report the last change. */
  isWaiting: boolean
  isOpening: boolean
  problem: string | undefined
  /** `isPortal`: the way there is the provider's page for everything, instead of one for this plan. */
  onChange: (offer: { plan: PaidPlan; billing: BillingInterval }, isPortal: boolean) => void
}

/** Explains the chosen plan, with the button that goes there. */
export function ChangePlan({ billing, chosen, isOwner, isWaiting, isOpening, problem, onChange }: ChangePlanProps) {
  const { plan, interval } = chosen
  const offer = plan.offers.find((each) => each.billing === interval)
  if (!offer || plan.slug === 'free') return null
  const { slug } = plan
  const refusal = !isOwner
    ? `Only ${ownersText(billing.owners)} can change the plan.`
    : isWaiting
      ? 'Wait for the payment provider: the last change may be on its way.'
      : reasonAgainst(offer)
  return (
    <div className="mt-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="min-w-48 flex-1 text-muted" id="change-plan-text">
          {isOwner ? meaningOf(offer, plan, billing) : refusal}
        </p>
        <Button
          variant={offer.change === 'recover' ? 'secondary' : 'primary'}
          isPending={isOpening}
          disabledReason={refusal}
          aria-describedby="change-plan-text"
          onPress={() => onChange({ plan: slug, billing: interval }, offer.change === 'downgrade')}
        >
          Change plan
        </Button>
      </div>
      <FormError>{problem}</FormError>
    </div>
  )
}

function reasonAgainst({ change, link }: PlanOffer): string | undefined {
  if (change === 'current') return 'This is your plan.'
  if (change === 'end_trial') return 'This is the plan of your trial. End the trial to start it.'
  if (change === 'support') return 'Ask the operator of this service for this plan.'
  return link === null ? 'Ask the operator of this service for a lower plan.' : undefined
}

function meaningOf(offer: PlanOffer, plan: Plan, billing: Billing): string {
  const what = offer.price ? `${plan.name} for ${formatPrice(offer.price)}` : plan.name
  switch (offer.change) {
    case 'buy':
      return `${what}. You confirm on the payment page; nothing is charged before.`
    case 'upgrade':
      return `${what} instead of ${billing.plan.name}. The payment page shows what is due today; nothing is charged before you confirm.`
    case 'downgrade':
      return offer.link === null
        ? 'Your plan was granted by the operator of this service, who can also lower it.'
        : `${what}. A lower plan, or monthly instead of annual, is chosen on the provider’s page and starts when the paid period ends.`
    case 'recover':
      return 'The open invoice comes first: it is paid on the provider’s page. After that you can choose another plan.'
    case 'current':
      return 'This is your plan.'
    case 'end_trial':
      return `This is the plan of your trial. It starts when the trial ends, or when you end it.`
    case 'support':
      return `${plan.name} is not sold here. Ask the operator of this service.`
  }
}
