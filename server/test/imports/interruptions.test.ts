import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { generateStores } from '../../../bench/generate.ts'
import { importStores } from '../../src/imports/import-stores.ts'
import { contentOf, openWorld, type World } from './world.ts'

const program = join(import.meta.dirname, 'import-process.ts')
const tsx = import.meta.resolve('tsx')

const ndjson = (records: Iterable<object>) => [...records].map((record) => JSON.stringify(record)).join('\n')

function startImport(url: string, file: string) {
  const child = spawn(process.execPath, ['--import', tsx, program, url, 'stores', file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return { child, exited: once(child, 'exit') }
}

/** Runs an import and kills it some time after it has told of as many records. */
async function importAndKill(url: string, file: string, afterRecords: number, delayMs: number): Promise<void> {
  const { child, exited } = startImport(url, file)
  const enough = (async () => {
    for await (const text of child.stdout) if (Number(String(text).trim().split('\n').at(-1)) >= afterRecords) return
  })()
  await Promise.race([enough, exited])
  await new Promise((resolve) => setTimeout(resolve, delayMs))
  child.kill('SIGKILL')
  await exited
}

/** Kills an import at the moment it is about to write to a table: the table is held until the import stands there. */
async function importAndKillBefore(world: World, file: string, table: string): Promise<void> {
  const holder = await world.db.connect()
  const waiting =
    'select from pg_locks where not granted and database = (select oid from pg_database where datname = current_database())'
  const connected = `select from pg_stat_activity where datname = current_database() and application_name like '%to be killed'`
  try {
    await holder.query(`begin; lock table ${table} in share mode`)
    const { child, exited } = startImport(world.url, file)
    await until(async () => (await holder.query(waiting)).rowCount === 1)
    child.kill('SIGKILL')
    await exited
    await holder.query('rollback')
    await until(async () => (await holder.query(connected)).rowCount === 0)
  } finally {
    holder.release()
  }
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 10))
}

const byDomain = (content: object[]) => new Map(content.map((store) => [domainOf(store), JSON.stringify(store)]))

test('an import killed at any moment leaves whole records only, and once more finishes it', async () => {
  const killed = await openWorld()
  const whole = await openWorld()
  const stores = [...generateStores(6_000)]
  // Half are there already and will be updated, some of them with other aliases.
  const old = stores
    .slice(0, 3_000)
    .map((store, number) => ({ ...store, name: 'Old', aliases: number % 3 ? store.aliases : [] }))
  for (const world of [killed, whole]) await world.importFile('old.ndjson', ndjson(old))
  const file = await killed.write('new.ndjson', ndjson(stores))
  await importStores(whole.context, { file, extendTaxonomy: false })
  const expected = byDomain(await contentOf(whole.db))
  const before = byDomain(await contentOf(killed.db))

  const kills = [
    () => importAndKillBefore(killed, file, 'stores'),
    () => importAndKillBefore(killed, file, 'store_domains'),
    () => importAndKill(killed.url, file, 0, 100),
    () => importAndKill(killed.url, file, 2_000, 5),
    () => importAndKillBefore(killed, file, 'store_domains'),
    () => importAndKill(killed.url, file, 4_000, 20),
  ]
  for (const kill of kills) {
    await kill()
    for (const [domain, store] of byDomain(await contentOf(killed.db)))
      expect([expected.get(domain), before.get(domain)]).toContain(store)
    const { rows } = await killed.db.query('select max(batch) as batch from stores')
    expect(rows).toEqual([{ batch: await killed.batch() }])
  }

  expect(await importStores(killed.context, { file, extendTaxonomy: false })).toMatchObject({
    read: 6_000,
    rejected: 0,
  })
  expect(await contentOf(killed.db)).toEqual(await contentOf(whole.db))
  expect(await importStores(killed.context, { file, extendTaxonomy: false })).toMatchObject({ unchanged: 6_000 })
})

test('two imports of the same stores at once leave what both say', async () => {
  const world = await openWorld()
  const domains = [...generateStores(6_000)].map((store) => store.domain)
  const files = await Promise.all([
    world.write('names.ndjson', ndjson(domains.map((domain) => ({ domain, name: `Shop ${domain}` })))),
    world.write(
      'scores.ndjson',
      ndjson(domains.map((domain) => ({ domain, lead_fit_score: 42, aliases: [`x.${domain}`] }))),
    ),
  ])
  const results = await Promise.all(files.map((file) => importStores(world.context, { file, extendTaxonomy: false })))
  expect(results.map((result) => result.rejected)).toEqual([0, 0])
  expect(results.reduce((sum, result) => sum + result.inserted, 0)).toBe(6_000)
  expect(results.reduce((sum, result) => sum + result.updated, 0)).toBe(6_000)
  const rows = await world.rows()
  expect(rows).toHaveLength(6_000)
  for (const { document, negated_score, aliases } of rows)
    expect([document.name, document.lead_fit_score, negated_score, aliases]).toEqual([
      `Shop ${document.domain}`,
      42,
      -42,
      [`x.${document.domain}`],
    ])
  expect(Math.max(...rows.map((row) => row.batch))).toBe(await world.batch())
})

function domainOf(store: object): string {
  return (store as { document: { domain: string } }).document.domain
}

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
