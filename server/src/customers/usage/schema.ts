import type { Static } from 'typebox'
import { ClosedObject, Count, GrowingEnum, Timestamp } from '../../foundation/kernel/shapes.ts'
import type { Entitlement } from '../accounts/account.ts'
import { planProperties } from '../accounts/plan-shapes.ts'

const period = {
  period_start: Timestamp('Start of the period, inclusive.'),
  period_end: Timestamp('End of the period, exclusive.'),
}

/** The plan in a usage report. */
export const UsagePlan = ClosedObject(planProperties, {
  title: 'UsagePlan',
  description: 'The plan in force and the state of its subscription.',
})

export function reportPlan({ plan, planName, status, trial }: Entitlement): Static<typeof UsagePlan> {
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
    used: Count('What the key has spent in this period, also before the budget was set.'),
    remaining: Count('What is left of the budget, less what the running exports of the key have reserved.'),
  },
  { title: 'MeterBudget', description: 'What a key may spend of one meter, in the period of that meter.' },
)

/** The figures of a usage report: what `readUsage` returns. */
export const usageFigures = {
  contact_credits: ClosedObject(
    {
      total: Count('Credits of the current cap: the trial’s during a trial, otherwise the plan’s for a month.'),
      used: Count('Credits spent in this period by all keys and by the people who use the web application.'),
      remaining: Count(
        'Credits left in this period, less what running exports have reserved: so it can be less than total minus used.',
      ),
      paid_plan_total: Count('Credits a month of the plan without a trial.'),
      ...period,
    },
    {
      title: 'ContactCreditsUsage',
      description:
        'Contact credits: one for each contact that is revealed for the first time. They are shared with the web application of this service, so used grows without your calls.',
    },
  ),
  store_exports: ClosedObject(
    {
      limit: Count('Unique stores that may be delivered in a period.'),
      used: Count('Stores delivered in this period, each counted once.'),
      reserved: Count('Exports reserved by running exports: neither used nor remaining.'),
      remaining: Count('Stores left in this period: the limit less used and reserved.'),
      ...period,
    },
    {
      title: 'StoreExportsUsage',
      description:
        'Store exports: one for each store that a lookup, search, enrichment, reveal or export delivers, once per period.',
    },
  ),
  api_requests: ClosedObject(
    {
      limit: Count('Requests that may be made in a UTC day.'),
      used: Count('Requests of this UTC day, including this one.'),
      remaining: Count('Requests left in this UTC day.'),
      ...period,
    },
    {
      title: 'ApiRequestsUsage',
      description: 'Requests to the API in a UTC day, of all keys of the account and mode.',
    },
  ),
  search_rows: ClosedObject(
    {
      limit: Count('Search rows that may be returned in a period.'),
      used: Count('Rows that searches returned in this period, those of people in the web application included.'),
      remaining: Count(
        'Rows left in this period, less what running exports have reserved: so it can be less than the limit minus used.',
      ),
      ...period,
    },
    {
      title: 'SearchRowsUsage',
      description: 'Search rows: one for each row that a search of stores or contacts returns.',
    },
  ),
  rate_limit: ClosedObject(
    {
      limit: Count('Requests in one interval, of all keys of the account and mode.'),
      interval: GrowingEnum('Length of the fixed window.', { minute: null }),
    },
    { title: 'RateLimit', description: 'How many requests may be made in a short time.' },
  ),
}
