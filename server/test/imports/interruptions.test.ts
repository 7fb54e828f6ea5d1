import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { generateStores } from '../../../bench/generate.ts'
import { importStores } from '../../src/imports/import-stores.ts'
import { contentOf, openWorld } from './world.ts'

const program = join(import.meta.dirname, 'import-process.ts')
const tsx = import.meta.resolve('tsx')

const ndjson = (records: Iterable<object>) => [...records].map((record) => JSON.stringify(record)).join('\n')

/** Runs an import and kills it some time after it has told of as many records; false when it was done before. */
async function importAndKill(url: string, file: string, afterRecords: number, delayMs: number): Promise<boolean> {
  const child = spawn(process.execPath, ['--import', tsx, program, url, file], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const enough = (async () => {
    for await (const text of child.stdout) if (Number(String(text).trim().split('\n').at(-1)) >= afterRecords) return
  })()
  await Promise.race([enough, exited])
  await new Promise((resolve) => setTimeout(resolve, delayMs))
  child.kill('SIGKILL')
  const [, signal] = await exited
  return signal === 'SIGKILL'
}

test('an import killed at any moment leaves whole records only, and once more finishes it', async () => {
  const killed = await openWorld()
  const whole = await openWorld()
  const stores = [...generateStores(6_000)]
  // Half are there already and will be updated, some of them with other aliases.
  const old = stores
    .slice(0, 8_000)
    .map((store, number) => ({ ...store, name: 'Old', aliases: number % 3 ? store.aliases : [] }))
  for (const world of [killed, whole]) await world.importFile('old.ndjson', ndjson(old))
  const file = await killed.write('new.ndjson', ndjson(stores))
  await importStores(whole.context, { file, extendTaxonomy: false })
  const expected = new Map((await contentOf(whole.db)).map((store) => [domainOf(store), JSON.stringify(store)]))
  const before = new Map((await contentOf(killed.db)).map((store) => [domainOf(store), JSON.stringify(store)]))

  let kills = 0
  for (const [afterRecords, delayMs] of [
    [0, 20],
    [0, 150],
    [2_000, 0],
    [4_000, 10],
  ] as const) {
    if (await importAndKill(killed.url, file, afterRecords, delayMs)) kills++
    const content = await contentOf(killed.db)
    for (const store of content)
      expect([expected.get(domainOf(store)), before.get(domainOf(store))]).toContain(JSON.stringify(store))
    const { rows } = await killed.db.query('select distinct batch from stores order by batch')
    expect(rows.at(-1)).toEqual({ batch: await killed.batch() })
  }
  expect(kills).toBeGreaterThan(0)

  const result = await importStores(killed.context, { file, extendTaxonomy: false })
  expect(result.read).toBe(6_000)
  expect(result.unchanged).toBeGreaterThan(0)
  expect(await contentOf(killed.db)).toEqual(await contentOf(whole.db))
  expect(await importStores(killed.context, { file, extendTaxonomy: false })).toMatchObject({ unchanged: 6_000 })
})

function domainOf(store: object): string {
  return (store as { document: { domain: string } }).document.domain
}

test('two imports at once leave what they leave one after the other, each batch in one piece', async () => {
  const world = await openWorld()
  const one = [...generateStores(9_000, 1)]
  const two = [...generateStores(9_000, 2)]
  // Both write the shared ones: names from the first, scores from the second.
  const shared = one.slice(0, 3_000).map(({ domain }) => domain)
  const files = await Promise.all([
    world.write(
      'one.ndjson',
      ndjson([...shared.map((domain) => ({ domain, name: `Shared ${domain}` })), ...one.slice(3_000)]),
    ),
    world.write('two.ndjson', ndjson([...two, ...shared.map((domain) => ({ domain, lead_fit_score: 42 }))])),
  ])
  const results = await Promise.all(files.map((file) => importStores(world.context, { file, extendTaxonomy: false })))
  expect(results.map((result) => result.rejected)).toEqual([0, 0])
  const rows = await world.rows()
  expect(rows).toHaveLength(18_000)
  const stored = new Map(rows.map((row) => [row.document.domain, row]))
  for (const domain of shared) {
    const { document, negated_score } = stored.get(domain)!
    expect([document.name, document.lead_fit_score, negated_score]).toEqual([`Shared ${domain}`, 42, -42])
  }
  const inserted = results.reduce((sum, result) => sum + result.inserted, 0)
  expect(inserted).toBe(18_000)
  expect(Math.max(...rows.map((row) => row.batch))).toBe(await world.batch())
})

test('two imports that both teach the taxonomy agree on the tokens', async () => {
  const world = await openWorld()
  const records = (side: string) =>
    Array.from({ length: 4_500 }, (_, number) => ({
      domain: `${side}-${number}.example`,
      technologies: { apps: [`learnt_${number % 7}`, `learnt_${side}_${number % 11}`] },
    }))
  const files = await Promise.all(['x', 'y'].map((side) => world.write(`${side}.ndjson`, ndjson(records(side)))))
  await Promise.all(files.map((file) => importStores(world.context, { file, extendTaxonomy: true })))
  const { rows: words } = await world.db.query<{ value: string; token: number }>(
    `select value, token from taxonomy_values where facet = 'app' and value like 'learnt%'`,
  )
  expect(words).toHaveLength(7 + 11 + 11)
  const tokens = new Map(words.map((word) => [word.value, word.token]))
  const rows = await world.rows()
  expect(rows).toHaveLength(9_000)
  for (const row of rows)
    expect(row.tokens).toEqual(row.document.technologies.apps.map((app) => tokens.get(app)!).sort((a, b) => a - b))
})
