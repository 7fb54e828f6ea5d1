import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { chargeSql, numberParameters } from '../../../src/customers/ledger/statement/charge-queries.ts'
import { type ChargeParts, kindOfCharge, nameOfCharge } from '../../../src/customers/ledger/statement/parts.ts'
import { type ConnectionPool, createPool } from '../../../src/foundation/db/pool.ts'
import { createTestDatabase } from '../../support/database.ts'

const none: ChargeParts = {
  admits: false,
  isAlone: true,
  hasBudgets: false,
  meters: {},
  ofCatalogue: false,
  listsRevealed: false,
  views: null,
  spendsReserved: false,
}
const admits = { admits: true }
const delivers = { ofCatalogue: true }
const exports = { store_exports: 'each_once' } as const
const knownExports = { store_exports: 'read' } as const
const rows = { search_rows: 'counted' } as const
const credits = { contact_credits: 'each_once' } as const

/** What requests with a key need: alone, and several at once. */
const ofKeys: Partial<ChargeParts>[] = [
  {},
  ...[exports, knownExports].flatMap((stores) => [
    { ...delivers, meters: stores },
    { ...delivers, meters: { ...rows, ...stores } },
    { ...delivers, meters: { ...rows, ...stores }, listsRevealed: true },
    { ...delivers, meters: stores, listsRevealed: true },
    { meters: { ...credits, ...stores } },
  ]),
]
/** What people need, and requests that were counted before. */
const others: Partial<ChargeParts>[] = [
  { meters: rows },
  { meters: rows, views: 'rows' },
  { ...delivers, meters: rows, views: 'page' },
  { ...delivers, meters: rows, views: 'page', listsRevealed: true },
  { ...delivers, meters: exports },
  { ...delivers, meters: knownExports },
  { meters: { ...credits, ...exports } },
  { meters: { ...credits, ...knownExports } },
  { meters: { ...credits, ...exports }, spendsReserved: true },
  { meters: { ...credits, ...knownExports }, spendsReserved: true },
  { meters: exports, spendsReserved: true },
  { meters: knownExports, spendsReserved: true },
]
const sent: ChargeParts[] = [
  ...ofKeys.flatMap((parts) => [
    { ...none, ...admits, ...parts },
    { ...none, ...admits, ...parts, isAlone: false },
    ...(parts.meters ? [{ ...none, ...admits, ...parts, isAlone: false, hasBudgets: true }] : []),
  ]),
  ...others.map((parts) => ({ ...none, ...parts })),
]
const named = sent.map((parts) => [nameOfCharge(parts, kindOfCharge(parts)), parts] as const)

let db: ConnectionPool
beforeAll(async () => {
  db = createPool({ url: (await createTestDatabase()).url, applicationName: 'under test', maxConnections: 1 })
})
afterAll(() => db.end())

const golden = join(import.meta.dirname, 'golden')

describe.each(named)('%s', (name, parts) => {
  test('is the text that is kept beside the tests', async () => {
    await expect(`${chargeSql(parts)}\n`).toMatchFileSnapshot(join(golden, `${name}.golden.sql`))
  })

  // A coordinator of Citus shows no indexes in its plans.
  test.skipIf(inject('citusNodes'))('finds every row by an index', async () => {
    const { text, names } = numberParameters(chargeSql(parts))
    await db.query('set plan_cache_mode = force_generic_plan')
    await db.query(`prepare ${name} as ${text}`)
    const values = names.length > 0 ? `(${names.map(() => 'null').join()})` : ''
    const { rows } = await db
      .query<{ 'QUERY PLAN': string }>(`set enable_seqscan = off; explain execute ${name}${values}`)
      .then((results) => (results as unknown as { rows: { 'QUERY PLAN': string }[] }[])[1]!)
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    for (const table of ['ledger', 'reveals', 'store_exports', 'usage_counters', 'key_counters', 'viewed_pages'])
      expect(plan).not.toMatch(new RegExp(`Seq Scan on ${table}\\b`))
  })
})

test('no other text is kept', () => {
  expect(readdirSync(golden).sort()).toEqual(named.map(([name]) => `${name}.golden.sql`).sort())
})
