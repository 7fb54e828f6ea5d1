import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { type ConnectionPool, createPool, type Queryable } from '../../../../src/foundation/db/pool.ts'
import type { ListPosition } from '../../../../src/foundation/kernel/list-pages.ts'
import { selectReveals } from '../../../../src/product/exports/revealed/queries.ts'
import { readRevealQuote } from '../../../../src/product/quotes/queries.ts'
import { createTestDatabase } from '../../../support/database.ts'

/** Reveals of account 7; another account has as many. */
const count = 200_000
const scope = { accountId: 7, mode: 'live' as const }

let pool: ConnectionPool
beforeAll(async () => {
  pool = createPool({ url: (await createTestDatabase()).url, applicationName: 'reveal records', maxConnections: 1 })
  // Ten at a time, as reveals are, at most ten of a store.
  await pool.query(
    `insert into reveals (account_id, mode, contact_id, revealed_at, key_id)
     select account, 'live', (n / 10) * 4096 + n % 10, '2026-01-01'::timestamptz + (n / 10) * interval '1 minute', 1
     from generate_series(0, $1::integer - 1) n, unnest('{7,8}'::bigint[]) account`,
    [count],
  )
  await pool.query('analyze reveals')
})
afterAll(() => pool.end())

const idOf = (n: number) => Math.floor(n / 10) * 4096 + (n % 10)
const positionOf = (row: { revealed_at: Date; contact_id: number }): ListPosition => ({
  at: row.revealed_at,
  row: row.contact_id,
})

describe('the people that an account has revealed', () => {
  test('are read newest first, each once, also where many were revealed at the same time', async () => {
    const read: number[] = []
    for (let after: ListPosition | null = null; read.length < 999; ) {
      const rows = await selectReveals(pool, { ...scope, after, storeId: null, limit: 37 })
      read.push(...rows.map((row) => row.contact_id))
      after = positionOf(rows.at(-1)!)
    }
    expect(read).toEqual(Array.from({ length: read.length }, (_, index) => idOf(count - 1 - index)))
  })

  test('those of one store are read alone', async () => {
    const storeId = 1_234
    const rows = await selectReveals(pool, { ...scope, after: null, storeId, limit: 7 })
    expect(rows.map((row) => row.contact_id)).toEqual([9, 8, 7, 6, 5, 4, 3].map((number) => storeId * 4096 + number))
    const rest = await selectReveals(pool, { ...scope, after: positionOf(rows.at(-1)!), storeId, limit: 7 })
    expect(rest.map((row) => row.contact_id)).toEqual([2, 1, 0].map((number) => storeId * 4096 + number))
  })

  test.each([
    ['the first page', null, null],
    ['a page in the middle', { at: new Date('2026-01-07T00:00:00Z'), row: 5 }, null],
    ['the last page', { at: new Date('2026-01-01T00:00:00Z'), row: 9 }, null],
    ['a page of a store', null, 1_234],
  ])('of 200,000, %s reads no more than its own rows', async (_, after, storeId) => {
    let rowsRead = Number.NaN
    const explaining = {
      query: async ({ name, text, values }: { name: string; text: string; values: unknown[] }) => {
        await pool.query('set plan_cache_mode = force_generic_plan')
        const { rows } = await pool.query({
          name: `explained_${name}`,
          text: `explain (analyze, buffers, format json) ${text}`,
          values,
        })
        const [{ Plan: plan }] = rows[0]['QUERY PLAN']
        rowsRead = largest(plan)
        expect(JSON.stringify(plan)).toContain(storeId === null ? 'reveals_by_time' : 'reveals_pkey')
        return { rows: [] }
      },
    } as unknown as Queryable
    await selectReveals(explaining, { ...scope, after, storeId, limit: 26 })
    expect(rowsRead).toBeGreaterThan(0)
    expect(rowsRead).toBeLessThanOrEqual(26)
  })
})

interface PlanNode {
  'Actual Rows': number
  'Rows Removed by Filter'?: number
  Plans?: PlanNode[]
}

/** The most rows that any node of a plan has read. */
function largest(node: PlanNode): number {
  const own = node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)
  return Math.max(own, ...(node.Plans ?? []).map(largest))
}

// A coordinator of Citus shows no indexes in its plans.
test.skipIf(inject('citusNodes'))('a quote of 1,000 people reads primary keys only', async () => {
  const contactIds = Array.from({ length: 1_000 }, (_, index) => idOf(index * 7))
  // In an empty table every index costs the same.
  await pool.query(`
    insert into store_exports (account_id, mode, period_start, store_id, exported_at)
    select 7, 'live', '2026-11-01T00:00:00Z', n, timestamptz '2026-11-01T00:00:00Z' + n * interval '1 s'
    from generate_series(1, 20000) as n`)
  await pool.query('analyze store_exports')
  let plan = ''
  const explaining = {
    query: async ({ text, values }: { text: string; values: unknown[] }) => {
      await pool.query('set plan_cache_mode = force_generic_plan; set enable_seqscan = off')
      const { rows } = await pool.query({ name: 'explained_quote', text: `explain ${text}`, values })
      plan = rows.map((row) => row['QUERY PLAN']).join('\n')
      return { rows: [{}] }
    },
  } as unknown as Queryable
  const periodStart = new Date('2026-11-01T00:00:00Z')
  await readRevealQuote(explaining, {
    ...scope,
    contactIds,
    deliverEmails: 'all',
    periodStart,
    creditsPeriodStart: periodStart,
  })
  for (const index of ['contacts_pkey', 'reveals_pkey', 'store_exports_pkey']) expect(plan).toContain(index)
  expect(plan).not.toContain('Seq Scan')
})
