import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { loadDemonstration, loadSandbox } from '../../src/imports/demo.ts'
import { importStores } from '../../src/imports/import-stores.ts'
import { catalogue, openWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})

const lineCount = async (path: string) => (await readFile(join(catalogue, path), 'utf8')).trimEnd().split('\n').length
const sandbox = join(catalogue, 'sandbox')
const demo = join(catalogue, 'demo')

test('the whole sandbox is in mode test, once', async () => {
  const count = await lineCount('sandbox/stores.ndjson')
  expect(await loadSandbox(world.context, sandbox)).toMatchObject({ inserted: count, rejected: 0 })
  const batch = await world.batch()
  expect(await loadSandbox(world.context, sandbox)).toMatchObject({ unchanged: count, rejected: 0 })
  expect(await world.batch()).toBe(batch)
  const rows = await world.rows()
  expect([rows.length, new Set(rows.map((row) => row.mode))]).toEqual([count, new Set(['test'])])
})

test('the whole demonstration is live, is taken up again when it was cut short, and then left alone', async () => {
  const count = (await lineCount('demo/stores.ndjson')) + (await lineCount('demo/real-shops.ndjson'))
  await importStores(world.context, { file: join(demo, 'stores.ndjson'), extendTaxonomy: false })
  const result = await loadDemonstration(world.context, demo)
  expect(result).toMatchObject({ read: count, rejected: 0 })
  expect((await world.rows()).filter((row) => row.mode === 'live')).toHaveLength(count)

  await world.importRecords([{ domain: 'aurora-candles.example', name: 'Ours now' }])
  expect(await loadDemonstration(world.context, demo)).toBeNull()
  expect((await world.store('aurora-candles.example'))!.document.name).toBe('Ours now')
})

test('loading what ships writes no files beside it', async () => {
  expect((await readdir(sandbox)).concat(await readdir(demo)).filter((name) => name.includes('rejects'))).toEqual([])
})
