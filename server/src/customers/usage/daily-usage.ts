import { type Static, Type } from 'typebox'
import { Refusal } from '../../foundation/kernel/errors.ts'
import type { IdSealer } from '../../foundation/kernel/ids.ts'
import { ClosedObject, Nullable, OneOf, RequestId } from '../../foundation/kernel/shapes.ts'
import { formatDay, type Period, startOfMonthBefore, utcDayAt } from '../../foundation/kernel/time.ts'
import type { Meter } from '../accounts/plans.ts'
import { authorize } from '../auth/access.ts'
import type { CallerContext } from '../auth/caller.ts'
import { readingUsage } from './account-usage.ts'
import type { DailyUsageQuery } from './parameters.ts'
import { type SeriesKind, type SeriesRow, selectDailyUsage } from './queries.ts'
import { nameSpenders } from './spenders.ts'

const maxDays = 400
/** Series of a meter with a name of their own; the others are added up. */
const namedSeries = 8
const dayMs = 86_400_000

const meters = ['contact_credits', 'store_exports', 'search_rows'] as const satisfies readonly Meter[]
const Day = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', examples: ['2026-11-01'] })

export const DailyUsage = ClosedObject({
  object: Type.Literal('usage_by_day'),
  from: Day,
  to: Day,
  kept_since: Type.String({ ...Day, description: 'Entries before this day are only in the file of the ledger.' }),
  by: Type.Union([Type.Literal('meter'), Type.Literal('key'), Type.Literal('person')]),
  series: Type.Array(
    ClosedObject({
      meter: OneOf(meters),
      kind: OneOf(['meter', 'key', 'person', 'keys', 'people', 'unknown', 'others'] satisfies SeriesKind[], {
        description: 'keys: all API keys together; people: all people of the console; unknown: not recorded.',
      }),
      id: Nullable(Type.String({ pattern: '^(key|per)_[A-Za-z]{16}$', maxLength: 20 })),
      name: Type.String({ maxLength: 200 }),
      days: Type.Array(ClosedObject({ day: Day, amount: Type.Integer({ minimum: 1 }) }), {
        maxItems: maxDays,
        description: 'The days on which something was spent, oldest first.',
      }),
    }),
    { maxItems: meters.length * (namedSeries + 1), description: 'By meter; the largest sums first.' },
  ),
  request_id: RequestId,
})
type DailyUsage = Static<typeof DailyUsage>

interface DailyUsageContext extends CallerContext {
  ids: IdSealer
  ledgerDetailMonths: number
}

/** What was spent on each UTC day of a range, by meter, or within each meter by key or by user. */
export async function readDailyUsage(ctx: DailyUsageContext, query: DailyUsageQuery): Promise<DailyUsage> {
  authorize(ctx, readingUsage)
  const { mode = 'live', by = 'meter' } = query
  const keptSince = startOfMonthBefore(ctx.now, ctx.ledgerDetailMonths)
  const range = daysOf(query, ctx.caller.entitlement.period, keptSince)
  const accountId = ctx.caller.accountId
  const rows = await selectDailyUsage(ctx.db, by, {
    accountId,
    mode,
    since: range.start,
    until: range.end,
    named: namedSeries,
  })
  const ownerOf = ({ kind, id }: SeriesRow) => ({
    key_id: kind === 'key' ? id : null,
    person_id: kind === 'person' ? id : null,
  })
  const spenderOf = await nameSpenders({ db: ctx.db, ids: ctx.ids, accountId }, rows.map(ownerOf))
  const series = rows.map((row) => {
    const spender = spenderOf(ownerOf(row))
    const { meter, kind, days } = row
    return { meter, kind, id: spender?.id ?? null, name: spender?.name ?? nameOf(kind, meter), days }
  })
  return {
    object: 'usage_by_day',
    from: formatDay(range.start),
    to: formatDay(new Date(range.end.getTime() - 1)),
    kept_since: formatDay(keptSince),
    by,
    series: meters.flatMap((meter) => series.filter((each) => each.meter === meter)),
    request_id: ctx.requestId,
  }
}

/** The days from the beginning of the first to the end of the last; those that are packed already are left out. */
function daysOf({ from, to }: DailyUsageQuery, period: Period, keptSince: Date): Period {
  const first = from === undefined ? utcDayAt(period.start).start : startOfDay('from', from)
  const last = to === undefined ? utcDayAt(new Date(period.end.getTime() - 1)).start : startOfDay('to', to)
  const end = new Date(last.getTime() + dayMs)
  if (last < first) throw new Refusal('invalid_request', 'from must not be after to.', { param: 'from' })
  if (end.getTime() - first.getTime() > maxDays * dayMs)
    throw new Refusal('invalid_request', `from and to may span ${maxDays} days at most.`, { param: 'from' })
  if (last < keptSince)
    throw new Refusal('invalid_request', `Usage by day is kept since ${formatDay(keptSince)}.`, { param: 'to' })
  return { start: first < keptSince ? keptSince : first, end }
}

function startOfDay(param: 'from' | 'to', day: string): Date {
  const start = new Date(`${day}T00:00:00.000Z`)
  if (Number.isNaN(start.getTime()) || formatDay(start) !== day)
    throw new Refusal('invalid_request', `${param} must be a day, like 2026-11-01.`, { param })
  return start
}

const meterNames: Partial<Record<Meter, string>> = {
  contact_credits: 'Contact credits',
  store_exports: 'Store exports',
  search_rows: 'Search rows',
}

function nameOf(kind: SeriesKind, meter: Meter): string {
  switch (kind) {
    case 'meter':
      return meterNames[meter] ?? meter
    case 'keys':
      return 'API keys'
    case 'people':
      return 'People in the console'
    case 'others':
      return 'Others'
    default:
      return 'Not recorded'
  }
}
