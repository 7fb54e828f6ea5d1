import { beforeAll, expect, test } from 'vitest'
import { refreshSearchStatistics } from '../../../src/catalogue/writing/queries.ts'
import type { Client } from '../../../src/foundation/db/pool.ts'
import { openTestCatalogue, type TestCatalogue } from '../imports/support/test-catalogue.ts'

const stores = Array.from({ length: 20 }, (_, index) => ({ domain: `shop-${index}.example`, name: `Shop ${index}` }))
const takenAt = new Date('2026-11-01T12:00:00.000Z')

let catalogue: TestCatalogue
beforeAll(async () => {
  catalogue = await openTestCatalogue()
  await catalogue.importStores(stores)
  await catalogue.importContacts([
    { store_domain: 'shop-1.example', external_id: '1', first_name: 'Mara', last_name: 'Test', role: 'marketing' },
  ])
})

async function countsAfterLargeImport(limit: (client: Client) => Client = (client) => client) {
  const client = await catalogue.db.connect()
  try {
    await client.query('begin')
    await refreshSearchStatistics(limit(client), true, takenAt)
    const { rows } = await client.query('select stores, contacts, taken_at from catalogue_statistics')
    return rows
  } finally {
    await client.query('rollback')
    client.release()
  }
}

/** What a coordinator knows of tables that are spread over machines: nothing, whether they are analyzed or not. */
const withoutAnalyze = (client: Client) =>
  new Proxy(client, {
    get: (target, name) =>
      name === 'query'
        ? async (text: string, values?: unknown[]) =>
            text.startsWith('analyze') ? { rows: [] } : target.query(text, values)
        : Reflect.get(target, name),
  })

test.each([
  ['as PostgreSQL counted them', undefined],
  ['counted, where PostgreSQL knows none of these tables', withoutAnalyze],
])('the numbers of stores and contacts are kept after a large import, %s', async (_title, limit) => {
  expect(await countsAfterLargeImport(limit)).toEqual([{ stores: 20, contacts: 1, taken_at: takenAt }])
})
