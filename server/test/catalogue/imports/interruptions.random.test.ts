import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { proofKills } from '../../../../bin/tests/proof-runs.ts'
import { importContacts } from '../../../src/catalogue/imports/contacts/import-contacts.ts'
import { importStores } from '../../../src/catalogue/imports/stores/import-stores.ts'
import { flagTokens } from '../../../src/search/query/vocabulary.ts'
import { TableGate } from '../../support/gate.ts'
import { generateContacts } from '../../support/records/contact-records.ts'
import { generateStores } from '../../support/records/store-records.ts'
import { comparableContent, openTestCatalogue, readHistories, type TestCatalogue } from './support/test-catalogue.ts'

const program = join(import.meta.dirname, 'import-process.ts')
const tsx = import.meta.resolve('tsx')

const ndjson = (records: Iterable<object>) => [...records].map((record) => JSON.stringify(record)).join('\n')

type Kind = 'stores' | 'contacts'

function startImport(url: string, kind: Kind, file: string) {
  const child = spawn(process.execPath, ['--import', tsx, program, url, kind, file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return { child, exited: once(child, 'exit') }
}

/** Runs an import and kills it at some moment after it reported `afterRecords` records, perhaps when it has ended. */
async function importAndKill(
  url: string,
  [kind, file]: [Kind, string],
  afterRecords: number,
  delayMs: number,
): Promise<void> {
  const { child, exited } = startImport(url, kind, file)
  const enough = (async () => {
    for await (const text of child.stdout) if (Number(String(text).trim().split('\n').at(-1)) >= afterRecords) return
  })()
  await Promise.race([enough, exited])
  await delay(delayMs)
  child.kill('SIGKILL')
  await exited
}

/** Kills an import while it waits to write to a table, which is locked until then. */
async function importAndKillBefore(
  catalogue: TestCatalogue,
  [kind, file]: [Kind, string],
  table: string,
): Promise<void> {
  const gate = await TableGate.close(catalogue.url, table)
  const { child, exited } = startImport(catalogue.url, kind, file)
  const ended = exited.then(() => Promise.reject(new Error('the import ended before it was killed')))
  ended.catch(() => {})
  await Promise.race([gate.waiting(), ended])
  child.kill('SIGKILL')
  await exited
  await gate.open()
  const connected = `select from pg_stat_activity where datname = current_database() and application_name like '%to be killed'`
  await expect.poll(async () => (await catalogue.db.query(connected)).rowCount).toBe(0)
}

/** The histories without times and in a fixed order within a store: they depend on where chunks begin. */
const comparableHistories = async ({ db }: TestCatalogue) =>
  [...(await readHistories(db))]
    .map(([domain, history]) => [domain, history.map(({ at: _, ...change }) => change)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))

const byDomain = (content: object[]) => new Map(content.map((store) => [domainOf(store), JSON.stringify(store)]))

test('an import killed at any time leaves only complete records, and a second run finishes it', async () => {
  const killed = await openTestCatalogue()
  const whole = await openTestCatalogue()
  const stores = [...generateStores(6_000)]
  // Half of the stores exist already and will be updated, some with other aliases.
  const old = stores
    .slice(0, 3_000)
    .map((store, number) => ({ ...store, name: 'Old', aliases: number % 3 ? store.aliases : [] }))
  for (const catalogue of [killed, whole]) await catalogue.importStoresFile('old.ndjson', ndjson(old))
  const file = await killed.write('new.ndjson', ndjson(stores))
  await importStores(whole.context, { file, extendTaxonomy: false })
  const expected = byDomain(await comparableContent(whole.db))
  const before = byDomain(await comparableContent(killed.db))

  const kills = [
    () => importAndKillBefore(killed, ['stores', file], 'stores'),
    () => importAndKillBefore(killed, ['stores', file], 'store_domains'),
    () => importAndKill(killed.url, ['stores', file], 0, 100),
    () => importAndKill(killed.url, ['stores', file], 2_000, 5),
    () => importAndKillBefore(killed, ['stores', file], 'store_domains'),
    () => importAndKill(killed.url, ['stores', file], 4_000, 20),
  ]
  for (const kill of kills.slice(0, proofKills(kills.length, 1))) {
    await kill()
    for (const [domain, store] of byDomain(await comparableContent(killed.db)))
      expect([expected.get(domain), before.get(domain)]).toContain(store)
    const { rows } = await killed.db.query('select max(batch) as batch from stores')
    expect(rows).toEqual([{ batch: await killed.batch() }])
  }

  expect(await importStores(killed.context, { file, extendTaxonomy: false })).toMatchObject({
    read: 6_000,
    rejected: 0,
  })
  expect(await comparableContent(killed.db)).toEqual(await comparableContent(whole.db))
  expect(await importStores(killed.context, { file, extendTaxonomy: false })).toMatchObject({ unchanged: 6_000 })
  // Every change once: none is missing, and the repeated records wrote nothing.
  expect(await comparableHistories(killed)).toEqual(await comparableHistories(whole))
})

test('a contact import killed at any time leaves store summaries that match the stored contacts', async () => {
  const catalogue = await openTestCatalogue()
  const stores = [...generateStores(1_000)]
  const people = [...generateContacts(stores)]
  await catalogue.importStores(stores)
  await catalogue.importContacts(people.slice(0, 1_500).map((person) => ({ ...person, title: 'Old' })))
  const file = await catalogue.write('people.ndjson', ndjson(people))
  const kills = [
    () => importAndKillBefore(catalogue, ['contacts', file], 'contacts'),
    () => importAndKillBefore(catalogue, ['contacts', file], 'stores'),
    () => importAndKill(catalogue.url, ['contacts', file], 2_000, 10),
  ]
  for (const kill of kills.slice(0, proofKills(kills.length, 1))) {
    await kill()
    expect(await storesOutOfStep(catalogue)).toEqual([])
  }
  expect(await importContacts(catalogue.context, { file, extendTaxonomy: false })).toMatchObject({
    read: people.length,
    rejected: 0,
  })
  expect(await importContacts(catalogue.context, { file, extendTaxonomy: false })).toMatchObject({
    unchanged: people.length,
  })
  expect(await storesOutOfStep(catalogue)).toEqual([])
  const { rows } = await catalogue.db.query('select count(*) as total from contacts')
  expect(rows).toEqual([{ total: people.length }])
})

/** Returns stores whose summary differs from their contacts, or whose next number is already used. */
async function storesOutOfStep({ db }: TestCatalogue): Promise<object[]> {
  const { rows } = await db.query(
    `select id, document::json #>> '{contacts_summary,total}' as stated, count(number) as total, next_contact_number
     from stores left join contacts on store_id = id
     group by id
     having (document::json #>> '{contacts_summary,total}')::integer <> count(number)
         or next_contact_number <= max(number)`,
  )
  return rows
}

test('concurrent imports of stores and contacts keep the changes of both', async () => {
  const catalogue = await openTestCatalogue()
  const stores = [...generateStores(2_500)]
  const people = [...generateContacts(stores)]
  await catalogue.importStores(stores)
  const renamed = stores.map(({ domain }) => ({ domain, name: `Shop ${domain}` }))
  const [storesFile, peopleFile] = [
    await catalogue.write('renamed.ndjson', ndjson(renamed)),
    await catalogue.write('people.ndjson', ndjson(people)),
  ]
  const results = await Promise.all([
    importContacts(catalogue.context, { file: peopleFile, extendTaxonomy: false }),
    importStores(catalogue.context, { file: storesFile, extendTaxonomy: false }),
    importContacts(catalogue.context, { file: peopleFile, extendTaxonomy: false }),
  ])
  expect(results.map(({ rejected }) => rejected)).toEqual([0, 0, 0])
  expect(results[0].inserted + results[2].inserted).toBe(people.length)
  expect(await storesOutOfStep(catalogue)).toEqual([])
  for (const { document, tokens } of await catalogue.rows()) {
    expect(document.name).toBe(`Shop ${document.domain}`)
    expect(tokens.includes(flagTokens.contacts)).toBe(document.contacts_summary.total > 0)
  }
})

test('two concurrent imports of the same stores keep the changes of both', async () => {
  const catalogue = await openTestCatalogue()
  const domains = [...generateStores(6_000)].map((store) => store.domain)
  const files = await Promise.all([
    catalogue.write('names.ndjson', ndjson(domains.map((domain) => ({ domain, name: `Shop ${domain}` })))),
    catalogue.write(
      'scores.ndjson',
      ndjson(domains.map((domain) => ({ domain, lead_fit_score: 42, aliases: [`x.${domain}`] }))),
    ),
  ])
  const results = await Promise.all(
    files.map((file) => importStores(catalogue.context, { file, extendTaxonomy: false })),
  )
  expect(results.map((result) => result.rejected)).toEqual([0, 0])
  expect(results.reduce((sum, result) => sum + result.inserted, 0)).toBe(6_000)
  expect(results.reduce((sum, result) => sum + result.updated, 0)).toBe(6_000)
  const rows = await catalogue.rows()
  expect(rows).toHaveLength(6_000)
  for (const { document, negated_score, aliases } of rows)
    expect([document.name, document.lead_fit_score, negated_score, aliases]).toEqual([
      `Shop ${document.domain}`,
      42,
      -42,
      [`x.${document.domain}`],
    ])
  expect(Math.max(...rows.map((row) => row.batch))).toBe(await catalogue.batch())
})

function domainOf(store: object): string {
  return (store as { document: { domain: string } }).document.domain
}

test('two concurrent imports that extend the taxonomy use the same tokens', async () => {
  const catalogue = await openTestCatalogue()
  const records = (side: string) =>
    Array.from({ length: 4_500 }, (_, number) => ({
      domain: `${side}-${number}.example`,
      technologies: { apps: [`learnt_${number % 7}`, `learnt_${side}_${number % 11}`] },
    }))
  const files = await Promise.all(['x', 'y'].map((side) => catalogue.write(`${side}.ndjson`, ndjson(records(side)))))
  await Promise.all(files.map((file) => importStores(catalogue.context, { file, extendTaxonomy: true })))
  const { rows: words } = await catalogue.db.query<{ value: string; token: number }>(
    `select value, token from taxonomy_values where facet = 'app' and value like 'learnt%'`,
  )
  expect(words).toHaveLength(7 + 11 + 11)
  const tokens = new Map(words.map((word) => [word.value, word.token]))
  const rows = await catalogue.rows()
  expect(rows).toHaveLength(9_000)
  for (const row of rows)
    expect(row.tokens).toEqual(row.document.technologies.apps.map((app) => tokens.get(app)!).sort((a, b) => a - b))
})
