import { type Static, Type } from 'typebox'
import { ClosedObject, Count, Nullable, TaxonomyValue, Timestamp } from '../../foundation/kernel/shapes.ts'
import type { Entitlement } from '../accounts/account.ts'
import { planSlugs } from '../accounts/plans.ts'

const period = {
  period_start: Timestamp('Start of the period, inclusive.'),
  period_end: Timestamp('End of the period, exclusive.'),
}

/** The plan in a usage report. */
export const PlanStanding = ClosedObject(
  {
    slug: Type.Enum(planSlugs),
    name: Type.String({ maxLength: 200 }),
    status: TaxonomyValue({ description: 'Subscription state, such as active, trialing or past_due.' }),
    trial: ClosedObject(
      { active: Type.Boolean(), ends_at: Nullable(Timestamp('End of the trial.')) },
      { title: 'PlanTrial' },
    ),
  },
  { title: 'PlanStanding' },
)

export function reportPlan({ plan, planName, status, trial }: Entitlement): Static<typeof PlanStanding> {
  return {
    slug: plan,
    name: planName,
    status,
    trial: { active: trial.active, ends_at: trial.endsAt?.toISOString() ?? null },
  }
}

export const BudgetFigures = ClosedObject(
  {
    limit: Count('What the key may spend in the period of the meter.'),
    used: Count('What it has spent in this period, also before the budget was set.'),
    remaining: Count('What is left of the budget, less what running exports have reserved.'),
  },
  { title: 'BudgetFigures' },
)

/** The figures of a usage report: what `readUsage` returns. */
export const usageFigures = {
  contact_credits: ClosedObject(
    {
      total: Count('Credits in the current cap: the trial’s during a trial, else the plan’s.'),
      used: Count('Credits spent in this period.'),
      remaining: Count('Credits left in this period.'),
      paid_plan_total: Count('The paid plan’s monthly credits.'),
      ...period,
    },
    { title: 'ContactCreditsUsage' },
  ),
  store_exports: ClosedObject(
    {
      limit: Count('Unique stores per period.'),
      used: Count('Stores delivered in this period, each once.'),
      reserved: Count('Reserved by unfinished work.'),
      remaining: Count('Stores left in this period.'),
      ...period,
    },
    { title: 'StoreExportsUsage' },
  ),
  api_requests: ClosedObject(
    {
      limit: Count('Requests per UTC day.'),
      used: Count('Requests of this day, including this one.'),
      remaining: Count('Requests left today.'),
      ...period,
    },
    { title: 'RequestsUsage' },
  ),
  search_rows: ClosedObject(
    {
      limit: Count('Search rows per period.'),
      used: Count('Rows returned by searches in this period.'),
      remaining: Count('Rows left in this period.'),
      ...period,
    },
    { title: 'SearchRowsUsage' },
  ),
  rate_limit: ClosedObject(
    {
      limit: Count('Requests in one interval.'),
      interval: Type.Literal('minute', { description: 'Length of the fixed window.' }),
    },
    { title: 'RateLimits' },
  ),
}
