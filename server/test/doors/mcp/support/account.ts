import type { TestApp, TestKey } from '../../../support/app.ts'
import type { Json } from '../../../support/client.ts'

interface Spent {
  /** Requests that counted to the day. */
  requests: number
  /** Amounts of the ledger by meter. */
  ledger: Record<string, number>
  reveals: number
}

/** What an account has used in its mode, as the database has it. */
export async function spentBy(app: TestApp, { account }: TestKey): Promise<Spent> {
  const number = app.accountNumber(account)
  const ledger = await app.db.query<{ meter: string; amount: number }>(
    'select meter, sum(amount)::integer as amount from ledger where account_id = $1 group by meter order by meter',
    [number],
  )
  const { rows } = await app.db.query<{ requests: number; reveals: number }>(
    `select coalesce((select sum(day_used)::integer from request_windows where account_id = $1), 0) as requests,
            (select count(*)::integer from reveals where account_id = $1) as reveals`,
    [number],
  )
  return { ...rows[0]!, ledger: Object.fromEntries(ledger.rows.map(({ meter, amount }) => [meter, amount])) }
}

/** A reply of the API as tools give it: without nulls, empty values and what only programs need. */
export function withoutNothing(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutNothing)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value)
    .filter(([name]) => !['object', 'request_id', 'engine_ms'].includes(name))
    .map(([name, member]) => [name, withoutNothing(member)])
    .filter(([, member]) => member !== null && (typeof member !== 'object' || Object.keys(member).length > 0))
  return Object.fromEntries(members)
}
