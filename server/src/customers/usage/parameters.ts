import { type Static, Type } from 'typebox'
import { Refusal } from '../../foundation/kernel/errors.ts'
import type { IdSealer } from '../../foundation/kernel/ids.ts'
import { listParameters } from '../../foundation/kernel/list-pages.ts'
import { ClosedObject, Timestamp } from '../../foundation/kernel/shapes.ts'
import { parseTimestamp } from '../../foundation/kernel/time.ts'

const mode = Type.Optional(
  Type.Union([Type.Literal('live'), Type.Literal('test')], { default: 'live', description: 'Live data or sandbox.' }),
)

export const AccountUsageQuery = ClosedObject({ mode })
export type AccountUsageQuery = Static<typeof AccountUsageQuery>

const Day = (description: string) =>
  Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description, examples: ['2026-11-01'] })

export const DailyUsageQuery = ClosedObject({
  mode,
  from: Type.Optional(Day('First day, in UTC; default: the first day of the period.')),
  to: Type.Optional(Day('Last day, in UTC; default: the last day of the period. At most 400 days.')),
  by: Type.Optional(
    Type.Union([Type.Literal('meter'), Type.Literal('key'), Type.Literal('person')], {
      default: 'meter',
      description: 'What a series stands for, within each meter.',
    }),
  ),
})
export type DailyUsageQuery = Static<typeof DailyUsageQuery>

/** The filters of the ledger, for the list and the file. */
const ledgerFilters = {
  mode,
  meter: Type.Optional(
    Type.Union([Type.Literal('contact_credits'), Type.Literal('store_exports'), Type.Literal('search_rows')]),
  ),
  key: Type.Optional(Type.String({ pattern: '^key_[A-Za-z]{16}$', description: 'Spent by this API key.' })),
  person: Type.Optional(Type.String({ pattern: '^per_[A-Za-z]{16}$', description: 'Spent by this person.' })),
  since: Type.Optional(Timestamp('Spent at this time or later.')),
  until: Type.Optional(Timestamp('Spent before this time.')),
}

export const LedgerFileQuery = ClosedObject(ledgerFilters)
export const LedgerListQuery = ClosedObject({ ...ledgerFilters, ...listParameters })
export type LedgerListQuery = Static<typeof LedgerListQuery>
export type LedgerFileQuery = Static<typeof LedgerFileQuery>

/** The filters with internal ids and times. */
export interface LedgerFilters {
  keyId: number | null
  userId: number | null
  since: Date | undefined
  until: Date | undefined
}

export function openLedgerFilters(ids: IdSealer, query: LedgerFileQuery): LedgerFilters {
  return {
    keyId: openId(ids, 'key', query.key),
    userId: openId(ids, 'person', query.person),
    since: openTime('since', query.since),
    until: openTime('until', query.until),
  }
}

function openId(ids: IdSealer, kind: 'key' | 'person', text: string | undefined): number | null {
  if (text === undefined) return null
  const opened = ids.open(text)
  if (opened?.kind !== kind)
    throw new Refusal('invalid_request', `${kind} must be an id from this list.`, { param: kind })
  return opened.value
}

function openTime(param: 'since' | 'until', text: string | undefined): Date | undefined {
  if (text === undefined) return undefined
  const moment = parseTimestamp(text)
  if (moment === null)
    throw new Refusal('invalid_request', `${param} must be a date and time with offset, like 2026-11-01T00:00:00Z.`, {
      param,
    })
  return new Date(moment)
}
