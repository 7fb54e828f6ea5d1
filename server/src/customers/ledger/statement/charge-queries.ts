/**
 * The statement that admits requests of an account and charges them. It is one text for each combination of what they need
 * (`ChargeParts`), all of them in `server/test/customers/ledger/golden`. What it writes, it writes only if everything fits: the windows, then
 * what the meters have left, by the state in which it began. If something else was paid meanwhile, so that a meter would exceed
 * its allowance after all, a check constraint fails it (`isAllowanceExceeded`), and it is sent again.
 *
 * It locks in this order, so that two of them cannot deadlock: the windows, a viewed page, reveals and exports in ascending
 * order, the account's counters by meter, the keys' counters by key and meter, the hour of a person.
 */

import { violatesConstraint } from '@storedex/pg-lanes/failures'
import type { Queryable } from '../../../foundation/db/pool.ts'
import { meters as allMeters, type Meter } from '../../accounts/plans.ts'
import { admittedCte, keysBeforeCte, newCte, stateCte } from './allowance-queries.ts'
import { type ChargeParts, nameOfCharge } from './parts.ts'
import { insertCte, insertedBy, pageCte, settlementCtes, spendsCte, userRowsCte } from './settlement-queries.ts'

/** Values of the named parameters. */
export type ChargeValues = Record<string, unknown>

/** The outcome; columns of parts that a statement lacks are missing. */
export interface ChargeOutcomeRow {
  is_current?: boolean
  /** Whether the requests were counted in their windows. */
  is_admitted: boolean
  is_paid: boolean
  /** The windows, after the requests if they were admitted. */
  minute_started_ms?: number | null
  minute_used?: number | null
  day?: string | null
  day_used?: number | null
  /** The version of the catalogue. */
  version?: string
  /** Contacts that are revealed: `contact milliseconds`, separated by commas; null for none. */
  known?: string | null
  /** Of a view: the rows that it was charged, and the hour of the person before it. */
  rows_charged?: number
  hour_started_at?: Date | null
  hour_rows?: number | null
  /** And for each meter `…_taken`, `…_of_keys`, `…_new` and `…_needed` (`MeterColumns`). */
  [column: string]: unknown
}

/** The columns of a meter. */
export interface MeterColumns {
  /** Used and reserved. */
  taken: number
  /** The same of keys that have a budget: `key taken`, separated by commas; null for none. */
  of_keys: string | null
  /** Ids that are new, separated by commas; null for none. */
  new: string | null
  /** Of a request that was not paid: how much it needs. */
  needed: number | null
}

const allowanceConstraints = [
  'usage_counters_within_allowance',
  'key_counters_within_budget',
  'person_windows_within_allowance',
]

/** Whether a charge failed because a meter would have exceeded its allowance, a budget, or the hour of the person. */
export function isAllowanceExceeded(error: unknown): boolean {
  return violatesConstraint(error, allowanceConstraints)
}

const statements = new Map<string, NumberedStatement>()

export async function sendCharge(
  db: Queryable,
  { parts, kind, values }: { parts: ChargeParts; kind: string; values: ChargeValues },
): Promise<ChargeOutcomeRow> {
  const name = nameOfCharge(parts, kind)
  let statement = statements.get(name)
  if (!statement) {
    statement = numberParameters(chargeSql(parts))
    statements.set(name, statement)
  }
  const { rows } = await db.query<ChargeOutcomeRow>({
    name,
    text: statement.text,
    values: statement.names.map((parameter) => values[parameter] ?? null),
  })
  return rows[0]!
}

/** A statement with named parameters, such as `:account_id::bigint`, and the order in which PostgreSQL numbers them. */
interface NumberedStatement {
  /** The text with `$1`, `$2`, …; null stands for a value that none of its parameters has. */
  text: string
  names: readonly string[]
}

export function numberParameters(named: string): NumberedStatement {
  const names: string[] = []
  const text = named.replace(/(?<![:\w]):([a-z_]{1,60})/g, (_, name: string) => {
    if (!names.includes(name)) names.push(name)
    return `$${names.indexOf(name) + 1}`
  })
  return { text, names }
}

/** The text, with named parameters. */
export function chargeSql(parts: ChargeParts): string {
  const { admits, isAlone, views } = parts
  const meters = allMeters.filter((meter) => parts.meters[meter])
  const spent = meters.filter((meter) => parts.meters[meter] !== 'read')
  const once = meters.filter((meter) => parts.meters[meter] === 'each_once')
  const decidesLast = isAlone && once.length > 0
  const ctes = [
    ...(isAlone ? once.map((meter) => newCte(meter)) : []),
    parts.hasBudgets && !isAlone && keysBeforeCte(meters),
    stateCte(parts, meters),
    admits ? admittedCte(parts) : 'admitted as materialized (\n  select 1 as one from state where rows_fit\n)',
    decidesLast && 'paying as materialized (\n  select 1 as one from admitted cross join state where others_fit\n)',
    ...once.map((meter) => insertCte(meter, parts)),
    views === 'page' && pageCte(parts),
    spent.length > 0 && spendsCte(spent, parts),
    spent.length > 0 && settlementCtes(parts),
    views && spent.length > 0 && userRowsCte,
  ].filter((cte) => typeof cte === 'string')
  return `with ${ctes.join(',\n')}\n${answerSql(parts, meters, spent)}`
}

/** Contacts that are revealed, with their times in milliseconds. */
const knownSql = `(
         select string_agg(contact_id || ' ' || (extract(epoch from revealed_at) * 1000)::bigint, ',')
         from reveals
         where account_id = :account_id::bigint and mode = :mode::text and contact_id = any (:contact_ids::bigint[]))`

function answerSql(parts: ChargeParts, meters: readonly Meter[], spent: readonly Meter[]): string {
  const { admits, isAlone, ofCatalogue, views, meters: kinds, listsRevealed, hasBudgets } = parts
  const ofMeter = (meter: Meter) => {
    const isSpent = spent.includes(meter)
    const isOnce = kinds[meter] === 'each_once'
    const after = (counted: string, before: string) =>
      isSpent ? `coalesce((select taken from ${counted} where meter = '${meter}'), ${before})` : before
    const ofLoneKey = `case when :${meter}_budget::integer is not null
         then :counter_key_id::bigint || ' ' || ${after('key_counted', `s.${meter}_of_key`)} end`
    const ofKeys = `(
         select string_agg(kb.counter_key_id || ' ' || ${isSpent ? 'coalesce(kc.taken, kb.taken)' : 'kb.taken'}, ',')
         from keys_before kb${isSpent ? '\n         left join key_counted kc on kc.key_id = kb.counter_key_id and kc.meter = kb.meter' : ''}
         where kb.meter = '${meter}')`
    return [
      `${after('counted', `s.${meter}`)} as ${meter}_taken`,
      ...(isAlone || hasBudgets ? [`${isAlone ? ofLoneKey : ofKeys} as ${meter}_of_keys`] : []),
      ...(isOnce ? [`(select string_agg(id::text, ',') from ${insertedBy[meter]}) as ${meter}_new`] : []),
      ...(isOnce && isAlone
        ? [`case when not s.others_fit then (select needed from ${meter}_new) end as ${meter}_needed`]
        : []),
    ]
  }
  const columns = [
    ...(admits
      ? [
          `a.minute_used is not null as is_admitted, a.minute_used is not null${isAlone ? ' and s.others_fit' : ''} as is_paid`,
          's.is_current',
          `(extract(epoch from coalesce(a.minute_started_at, s.minute_started_at)) * 1000)::bigint as minute_started_ms,
       coalesce(a.minute_used, s.minute_used) as minute_used, coalesce(a.day, s.day) as day,
       coalesce(a.day_used, s.day_used) as day_used`,
        ]
      : [`false as is_admitted, s.rows_fit${isAlone ? ' and s.others_fit' : ''} as is_paid`]),
    ...(ofCatalogue ? ['s.version'] : []),
    ...meters.flatMap(ofMeter),
    ...(listsRevealed || kinds.contact_credits === 'each_once' ? [`${knownSql} as known`] : []),
    ...(views
      ? [
          "coalesce((select amount from spends where meter = 'search_rows'), 0) as rows_charged",
          's.hour_started_at, s.hour_rows',
        ]
      : []),
    ...(views === 'page' ? ['s.rows_needed as search_rows_needed'] : []),
    ...(admits ? [flushOnlyCharges(spent)] : []),
  ]
  return `select ${columns.join(',\n       ')}
from state s${admits ? '\nleft join admitted a on true' : ''}`
}

/**
 * SQL column that makes the commit asynchronous if nothing is charged: then only requests were counted, and a crash of
 * PostgreSQL may lose the last moments of those. A charge waits for its own commit, which flushes all earlier ones; so does a
 * transaction that keeps more than the charge.
 */
const flushOnlyCharges = (
  spent: readonly Meter[],
) => `case when ${spent.length > 0 ? 'not exists (select 1 from spends) and ' : ''}not :keeps_more::boolean
       then set_config('synchronous_commit', 'off', true) end as flushed`
