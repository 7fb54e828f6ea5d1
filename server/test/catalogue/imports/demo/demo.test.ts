import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { importDemonstration, importSandbox } from '../../../../src/catalogue/imports/demo/demo.ts'
import { importStores } from '../../../../src/catalogue/imports/stores/import-stores.ts'
import { catalogueFolder, openTestCatalogue, readHistories, type TestCatalogue } from '../support/test-catalogue.ts'
import { applyChange, reverseOf, trackedFieldsOf } from '../support/tracked-store.ts'

let catalogue: TestCatalogue
beforeAll(async () => {
  catalogue = await openTestCatalogue()
})

const lineCount = async (path: string) =>
  (await readFile(join(catalogueFolder, path), 'utf8')).trimEnd().split('\n').length
const sandbox = join(catalogueFolder, 'sandbox')
const demo = join(catalogueFolder, 'demo')

const countPeople = async (mode: string) => {
  const { rows } = await catalogue.db.query(
    'select count(*) as total from contacts join stores on stores.id = store_id where mode = $1',
    [mode],
  )
  return rows[0].total
}

test('the sandbox is imported in mode test with its contacts, and a second import changes nothing', async () => {
  const stores = await lineCount('sandbox/stores.ndjson')
  const people = await lineCount('sandbox/contacts.ndjson')
  expect(await importSandbox(catalogue.context, sandbox)).toMatchObject({ inserted: stores + people, rejected: 0 })
  const batch = await catalogue.batch()
  expect(await importSandbox(catalogue.context, sandbox)).toMatchObject({ unchanged: stores + people, rejected: 0 })
  expect(await catalogue.batch()).toBe(batch)
  const rows = await catalogue.rows()
  expect([rows.length, new Set(rows.map((row) => row.mode))]).toEqual([stores, new Set(['test'])])
  expect(await countPeople('test')).toBe(people)
})

test('the demonstration is imported in mode live, continues after an interruption, and is not repeated once complete', async () => {
  const stores = (await lineCount('demo/stores.ndjson')) + (await lineCount('demo/real-shops.ndjson'))
  const people = await lineCount('demo/contacts.ndjson')
  await importStores(catalogue.context, { file: join(demo, 'stores.ndjson'), extendTaxonomy: false })
  const result = await importDemonstration(catalogue.context, demo)
  expect(result).toMatchObject({ read: stores + people, rejected: 0 })
  expect((await catalogue.rows()).filter((row) => row.mode === 'live')).toHaveLength(stores)
  expect(await countPeople('live')).toBe(people)

  const histories = await readHistories(catalogue.db)
  await catalogue.importStores([{ domain: 'aurora-candles.example', name: 'Ours now' }])
  await catalogue.db.query('delete from contacts where store_id = (select min(store_id) from contacts)')
  const remaining = await countPeople('live')
  expect(await importDemonstration(catalogue.context, demo)).toBeNull()
  expect((await catalogue.store('aurora-candles.example'))!.document.name).toBe('Ours now')
  expect(await countPeople('live')).toBe(remaining)
  expect(await readHistories(catalogue.db)).toEqual(
    new Map(histories).set('aurora-candles.example', [
      ...histories.get('aurora-candles.example')!,
      expect.objectContaining({ field: 'name', before: 'Aurora Candles', after: 'Ours now' }),
    ]),
  )
})

test('invented stores of the demonstration have an invented half year that leads to what they are, real shops have none', async () => {
  const fresh = await openTestCatalogue()
  await importDemonstration(fresh.context, demo)
  const [now, start] = [fresh.context.clock.now().getTime(), Date.parse('2026-05-03T12:00:00.000Z')]
  const histories = await readHistories(fresh.db)
  let changedStores = 0
  for (const { document, aliases } of await fresh.rows()) {
    const [added, ...changes] = histories.get(document.domain)!
    expect(added).toMatchObject({ field: 'added_to_catalogue' })
    const isInvented = document.domain.endsWith('.example')
    const times = [added!, ...changes].map(({ at }) => Date.parse(at))
    expect(times, document.domain).toEqual(times.toSorted((a, b) => a - b))
    expect(times[0], document.domain).toBe(isInvented ? start : now)
    if (!isInvented) expect(changes, document.domain).toEqual([])
    if (changes.length > 0) changedStores++
    // Taking the newest change back first has to fit what the store is now.
    changes
      .toReversed()
      .map(reverseOf)
      .reduce(applyChange, trackedFieldsOf({ ...document, aliases }))
  }
  expect(changedStores).toBeGreaterThan(1_000)
  // Each day is a batch of its time, by which pruning and readers of batches find it.
  const { rowCount } = await fresh.db.query(
    'select from store_changes c where not exists (select from catalogue_batches b where b.batch = c.batch and b.written_at = c.at)',
  )
  expect(rowCount).toBe(0)
})

test('an installation that has only the stores of the demonstration gets its contacts', async () => {
  await catalogue.db.query("delete from installation where name = 'demonstration_contacts'")
  await catalogue.db.query('delete from contacts')
  const people = await lineCount('demo/contacts.ndjson')
  expect(await importDemonstration(catalogue.context, demo)).toMatchObject({ read: people, inserted: people })
})

test('importing sandbox and demonstration writes no rejects files', async () => {
  expect((await readdir(sandbox)).concat(await readdir(demo)).filter((name) => name.includes('rejects'))).toEqual([])
})
