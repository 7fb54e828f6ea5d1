import { formatNumber } from '#lib/format.ts'
import { Badge } from '#ui/data/badge.tsx'
import { type RadioCard, RadioCards } from '#ui/fields/radio-cards.tsx'
import { RadioGroup } from '#ui/fields/radio-group.tsx'
import type { Billing, Plan } from './api.ts'
import { annualSaving, formatPrice } from './labels.ts'
import type { BillingInterval, PaidPlan } from './search.ts'

interface PlanChoiceProps {
  billing: Billing
  plans: readonly Plan[]
  plan: PaidPlan
  interval: BillingInterval
  onChange: (choice: { plan: PaidPlan; billing: BillingInterval }) => void
}

/** The plans side by side, to choose one and its billing interval. */
export function PlanChoice({ billing, plans, plan, interval, onChange }: PlanChoiceProps) {
  const saving = annualSaving(plans.find(({ slug }) => slug === plan)?.offers ?? [])
  return (
    <>
      <RadioGroup
        label="Billed"
        isRow
        options={[
          { id: 'monthly', label: 'Monthly' },
          { id: 'annual', label: saving > 0 ? `Annually, ${saving} % less` : 'Annually' },
        ]}
        value={interval}
        onChange={(chosen: BillingInterval) => onChange({ plan, billing: chosen })}
        className="mb-3 flex-row! flex-wrap items-center gap-x-4!"
      />
      <RadioCards
        label="Plan"
        cards={plans.map((each) => planCard(each, billing, interval))}
        value={plan}
        onChange={(chosen) => chosen !== 'free' && onChange({ plan: chosen, billing: interval })}
      />
    </>
  )
}

function planCard(plan: Plan, billing: Billing, interval: BillingInterval): RadioCard<Plan['slug']> {
  const badge = plan.current ? (
    <Badge tone="accent">Current</Badge>
  ) : (
    billing.former?.plan === plan.slug && <Badge>Until now</Badge>
  )
  return {
    id: plan.slug,
    title: plan.name,
    ...(badge && { badge }),
    isDisabled: plan.slug === 'free',
    children: (
      <>
        <span className="mt-1 block">{priceText(plan, interval)}</span>
        {plan.slug !== 'free' && (
          <span className="mt-1 flex flex-wrap gap-x-3 text-muted text-xs sm:mt-2 sm:flex-col">
            {figures.map(([name, label]) => (
              <span key={name}>
                <span className="text-text">{formatNumber(plan.limits[name])}</span> {label}
              </span>
            ))}
          </span>
        )}
      </>
    ),
  }
}

/** Each of them a month. */
const figures = [
  ['contact_credits', 'contact credits'],
  ['store_exports', 'store exports'],
  ['search_rows', 'search rows'],
] as const

function priceText({ slug, offers }: Plan, interval: BillingInterval): string {
  if (slug === 'free') return 'No access to data'
  const offer = offers.find(({ billing }) => billing === interval)
  if (offer?.price) return formatPrice(offer.price)
  return offer?.for_sale ? 'Price on the payment page' : 'By arrangement'
}
