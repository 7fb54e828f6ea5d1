import { beforeAll, describe, expect, inject, test } from 'vitest'
import { type LedgerPage, selectDailyUsage, selectNewestEntries } from '../../../src/customers/usage/queries.ts'
import { createPool, type Queryable } from '../../../src/foundation/db/pool.ts'
import { executedScans } from '../../search/support/tables.ts'
import { atEnd } from '../../support/cleanup.ts'
import { createTestDatabase } from '../../support/database.ts'

const accounts = 10
const entriesPerAccount = 20_000
const now = new Date('2026-11-20T00:00:00Z')
const dayMs = 86_400_000
let db: Queryable

beforeAll(async () => {
  const { url } = await createTestDatabase()
  const pool = createPool({ url, applicationName: 'storedex test' })
  atEnd(() => pool.end())
  db = pool
  // Spread over 400 days, three meters and seven keys.
  await db.query(
    `
insert into ledger (account_id, mode, meter, period_start, amount, request_id, spent_at, key_id)
select a, 'live', (array['contact_credits', 'store_exports', 'search_rows'])[1 + n % 3], '2026-11-01', 1 + n % 5, 'req_' || n,
       $1::timestamptz - n * interval '400 days' / $3::integer, n % 7
from generate_series(1, $3::integer) n, generate_series(1, $2::integer) a`,
    [now, accounts, entriesPerAccount],
  )
  await db.query('analyze ledger')
})

/** The one statement that a query sends. */
async function statementOf(
  query: (recorder: Queryable) => Promise<unknown>,
): Promise<{ text: string; values: unknown[] }> {
  const sent: { text: string; values: unknown[] }[] = []
  await query({
    query: async (text, values = []) => {
      sent.push({ text: text as string, values: [...values] })
      return { rows: [], rowCount: 0, command: '', oid: 0, fields: [] }
    },
  })
  expect(sent).toHaveLength(1)
  return sent[0]!
}

// A coordinator of Citus shows no indexes in its plans.
describe.skipIf(inject('citusNodes'))('with 200,000 entries, the index by time is enough', () => {
  const month = { accountId: 3, mode: 'live' as const, since: new Date(now.getTime() - 30 * dayMs), until: now }

  test.each(['meter', 'key', 'person'] as const)('for daily usage by %s', async (by) => {
    const statement = await statementOf((recorder) => selectDailyUsage(recorder, by, { ...month, named: 8 }))
    expect(await executedScans(db, statement)).toEqual(['ledger_by_time'])
  })

  const page: LedgerPage = {
    ...{ accountId: 3, mode: 'live', meter: undefined, limit: 26, after: null },
    ...{ keyId: null, userId: null, since: undefined, until: undefined },
  }
  test.each([
    ['the first page of the ledger', page],
    ['a later page', { ...page, after: { at: new Date(now.getTime() - 100 * dayMs), row: 77 } }],
    ['a page of a key and a meter', { ...page, keyId: 3, meter: 'search_rows' as const }],
    ['a page of a range', { ...page, since: month.since, until: month.until }],
  ])('for %s', async (_what, wanted) => {
    const statement = await statementOf((recorder) => selectNewestEntries(recorder, wanted))
    expect(await executedScans(db, statement)).toEqual(['ledger_by_time'])
  })

  test('a late page reads no more than the first', async () => {
    const late = { ...page, after: { at: new Date(now.getTime() - 390 * dayMs), row: 77 } }
    const [first, last] = await Promise.all([page, late].map(blocksRead))
    expect(last).toBeLessThanOrEqual(first! + 3)
  })

  /** How many blocks of 8 kB the page needs. */
  async function blocksRead(wanted: LedgerPage): Promise<number> {
    const { text, values } = await statementOf((recorder) => selectNewestEntries(recorder, wanted))
    const { rows } = await db.query(`explain (analyze, buffers, format json) ${text}`, values)
    const plan = rows[0]['QUERY PLAN'][0].Plan
    return plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
  }
})
