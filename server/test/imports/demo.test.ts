import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { importDemonstration, importSandbox } from '../../src/imports/demo.ts'
import { importStores } from '../../src/imports/stores/import-stores.ts'
import { catalogueFolder, openTestCatalogue, type TestCatalogue } from './support/test-catalogue.ts'

let world: TestCatalogue
beforeAll(async () => {
  world = await openTestCatalogue()
})

const lineCount = async (path: string) =>
  (await readFile(join(catalogueFolder, path), 'utf8')).trimEnd().split('\n').length
const sandbox = join(catalogueFolder, 'sandbox')
const demo = join(catalogueFolder, 'demo')

const countPeople = async (mode: string) => {
  const { rows } = await world.db.query(
    'select count(*) as total from contacts join stores on stores.id = store_id where mode = $1',
    [mode],
  )
  return rows[0].total
}

test('the whole sandbox is in mode test, with its people, once', async () => {
  const stores = await lineCount('sandbox/stores.ndjson')
  const people = await lineCount('sandbox/contacts.ndjson')
  expect(await importSandbox(world.context, sandbox)).toMatchObject({ inserted: stores + people, rejected: 0 })
  const batch = await world.batch()
  expect(await importSandbox(world.context, sandbox)).toMatchObject({ unchanged: stores + people, rejected: 0 })
  expect(await world.batch()).toBe(batch)
  const rows = await world.rows()
  expect([rows.length, new Set(rows.map((row) => row.mode))]).toEqual([stores, new Set(['test'])])
  expect(await countPeople('test')).toBe(people)
})

test('the whole demonstration is live, is taken up again when it was cut short, and then left alone', async () => {
  const stores = (await lineCount('demo/stores.ndjson')) + (await lineCount('demo/real-shops.ndjson'))
  const people = await lineCount('demo/contacts.ndjson')
  await importStores(world.context, { file: join(demo, 'stores.ndjson'), extendTaxonomy: false })
  const result = await importDemonstration(world.context, demo)
  expect(result).toMatchObject({ read: stores + people, rejected: 0 })
  expect((await world.rows()).filter((row) => row.mode === 'live')).toHaveLength(stores)
  expect(await countPeople('live')).toBe(people)

  await world.importRecords([{ domain: 'aurora-candles.example', name: 'Ours now' }])
  await world.db.query('delete from contacts where store_id = (select min(store_id) from contacts)')
  const remaining = await countPeople('live')
  expect(await importDemonstration(world.context, demo)).toBeNull()
  expect((await world.store('aurora-candles.example'))!.document.name).toBe('Ours now')
  expect(await countPeople('live')).toBe(remaining)
})

test('an installation that had the demonstration before it had people gets them', async () => {
  await world.db.query("delete from installation where name = 'demonstration_contacts'")
  await world.db.query('delete from contacts')
  const people = await lineCount('demo/contacts.ndjson')
  expect(await importDemonstration(world.context, demo)).toMatchObject({ read: people, inserted: people })
})

test('loading what ships writes no files beside it', async () => {
  expect((await readdir(sandbox)).concat(await readdir(demo)).filter((name) => name.includes('rejects'))).toEqual([])
})
