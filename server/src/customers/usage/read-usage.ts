import type { Queryable } from '../../foundation/db/pool.ts'
import type { Mode } from '../../foundation/kernel/ids.ts'
import { formatDay, type Period, utcDayAt } from '../../foundation/kernel/time.ts'
import type { Entitlement } from '../accounts/account.ts'
import { readUsageCounters } from '../ledger/balance-queries.ts'
import { remaining } from '../ledger/outcome.ts'

interface PeriodBounds {
  period_start: string
  period_end: string
}

interface Meter extends PeriodBounds {
  limit: number
  used: number
  remaining: number
}

/** What an account may use and has used, as `GET /usage` and the command line return it. */
export interface Usage {
  contact_credits: PeriodBounds & { total: number; used: number; remaining: number; paid_plan_total: number }
  store_exports: Meter & { reserved: number }
  api_requests: Meter
  search_rows: Meter
  rate_limit: { limit: number; interval: 'minute' }
}

export interface UsageQuery {
  accountId: number
  mode: Mode
  entitlement: Entitlement
  now: Date
}

/** Reads the usage of one account and mode; the entitlement is the one that charges are checked against. */
export async function readUsage(db: Queryable, { accountId, mode, entitlement, now }: UsageQuery): Promise<Usage> {
  const { limits, paidPlanCredits, period, creditsPeriod } = entitlement
  const day = utcDayAt(now)
  const counters = await readUsageCounters(db, {
    accountId,
    mode,
    periodStart: period.start,
    creditsPeriodStart: creditsPeriod.start,
    day: formatDay(day.start),
  })
  return {
    contact_credits: {
      total: limits.contact_credits,
      used: counters.contact_credits_used,
      remaining: remaining(limits.contact_credits, counters.contact_credits_used + counters.contact_credits_reserved),
      paid_plan_total: paidPlanCredits,
      ...boundsOf(creditsPeriod),
    },
    store_exports: {
      limit: limits.store_exports,
      used: counters.store_exports_used,
      reserved: counters.store_exports_reserved,
      remaining: remaining(limits.store_exports, counters.store_exports_used + counters.store_exports_reserved),
      ...boundsOf(period),
    },
    api_requests: {
      limit: limits.requests_per_day,
      used: counters.requests_used,
      remaining: remaining(limits.requests_per_day, counters.requests_used),
      ...boundsOf(day),
    },
    search_rows: {
      limit: limits.search_rows,
      used: counters.search_rows_used,
      remaining: remaining(limits.search_rows, counters.search_rows_used + counters.search_rows_reserved),
      ...boundsOf(period),
    },
    rate_limit: { limit: limits.requests_per_minute, interval: 'minute' },
  }
}

function boundsOf({ start, end }: Period): PeriodBounds {
  return { period_start: start.toISOString(), period_end: end.toISOString() }
}
