import { Readable } from 'node:stream'
import { beforeEach, expect, test } from 'vitest'
import { importContacts } from '../../../src/catalogue/imports/contacts/import-contacts.ts'
import { importStores } from '../../../src/catalogue/imports/stores/import-stores.ts'
import { openCommandLine } from '../../doors/cli/support/run-command.ts'

const now = '2026-11-21T12:00:00.000Z'
const cli = openCommandLine(now)

const lines = (...records: object[]) => ({
  file: '-',
  stdin: Readable.from([records.map((record) => JSON.stringify(record)).join('\n')]),
  extendTaxonomy: false,
})
const importShops = (...records: object[]) => importStores(cli.deps, lines(...records))
const importPeople = (...records: object[]) => importContacts(cli.deps, lines(...records))

beforeEach(async () => {
  for (const table of ['contacts', 'store_domains', 'stores', 'suppressions'])
    await cli.deps.db.query(`delete from ${table}`)
  await importShops({
    domain: 'willow-teas.example',
    name: 'Willow Teas',
    aliases: ['willow.myshopify.com', 'teas.example'],
    country: 'GB',
    active_ads: 12,
    technologies: { apps: ['klaviyo'], theme: { name: 'Dawn', type: 'free' } },
  })
  await importPeople({
    store_domain: 'willow-teas.example',
    external_id: 'c-1',
    first_name: 'Mara',
    role: 'marketing',
    emails: [{ email: 'mara@willow-teas.example', status: 'verified' }],
  })
})

interface Shown {
  id: string
  domain: string
  name: string
  aliases: string[]
  contacts: number
  batch: number
}
const show = (domain: string) => cli.json<Shown>('stores', 'show', domain)
const newestBatch = async () =>
  (await cli.deps.db.query<{ batch: number }>('select batch from catalogue_state')).rows[0]!.batch

test('show prints a store with its aliases, by any of its hosts', async () => {
  const shown = await show('https://www.Willow-Teas.example/collections')
  expect(shown).toMatchObject({
    id: expect.stringMatching(/^st_live_[A-Za-z]{16}$/),
    object: 'store',
    domain: 'willow-teas.example',
    name: 'Willow Teas',
    country: 'GB',
    technologies: { apps: ['klaviyo'] },
    contacts_summary: { total: 1 },
    aliases: ['teas.example', 'willow.myshopify.com'],
    active_ads: 12,
    contacts: 1,
    batch: await newestBatch(),
    batch_written_at: now,
  })
  expect(await show('teas.example')).toEqual(shown)
  const { stdout } = await cli.run('stores', 'show', 'willow-teas.example')
  expect(stdout).toMatch(/^aliases +teas\.example, willow\.myshopify\.com$/m)
  expect(stdout).toMatch(/^contacts +1$/m)
  expect(stdout).not.toContain('mara')
})

test('rename keeps id, people and aliases; the old domain becomes an alias, and emails stay', async () => {
  const before = await show('willow-teas.example')
  const renamed = await cli.json<Shown>('stores', 'rename', 'willow-teas.example', 'https://willow-and-leaf.example/')
  expect(renamed).toEqual({
    ...before,
    domain: 'willow-and-leaf.example',
    aliases: ['teas.example', 'willow-teas.example', 'willow.myshopify.com'],
    batch: before.batch + 1,
  })
  expect(await newestBatch()).toBe(before.batch + 1)
  expect(await show('willow-teas.example')).toEqual(renamed)
  const { rows } = await cli.deps.db.query<{ preview: string }>('select preview from stores')
  expect(JSON.parse(rows[0]!.preview)).toMatchObject({ domain: 'willow-and-leaf.example', name: 'Willow Teas' })
  // The contact is the same: the same record changes nothing, also under the old domain.
  const same = {
    external_id: 'c-1',
    first_name: 'Mara',
    emails: [{ email: 'mara@willow-teas.example', status: 'verified' }],
  }
  for (const store_domain of ['willow-teas.example', 'willow-and-leaf.example'])
    expect(await importPeople({ store_domain, ...same })).toMatchObject({ inserted: 0, updated: 0, unchanged: 1 })
  // A store file with the new domain updates the store.
  expect(await importShops({ domain: 'willow-and-leaf.example', country: 'FR' })).toMatchObject({ updated: 1 })
})

test('a store can be renamed to its own alias and back; a name that was the domain follows it', async () => {
  await importShops({ domain: 'plain.example', aliases: ['plainer.example'] })
  const renamed = await cli.json('stores', 'rename', 'plain.example', 'plainer.example')
  expect(renamed).toMatchObject({ domain: 'plainer.example', name: 'plainer.example', aliases: ['plain.example'] })
  expect(await cli.json('stores', 'rename', 'plainer.example', 'plain.example')).toMatchObject({
    domain: 'plain.example',
    name: 'plain.example',
    aliases: ['plainer.example'],
  })
})

test('a rename that would take something from another store is refused, and changes nothing', async () => {
  await importShops({ domain: 'fern-crafts.example', aliases: ['fern.example'] })
  await importShops({ domain: 'many.example', aliases: Array.from({ length: 50 }, (_, n) => `many-${n}.example`) })
  const batch = await newestBatch()
  const refusals: [string, string, string][] = [
    [
      'willow-teas.example',
      'fern-crafts.example',
      'fern-crafts.example is the domain of another store, fern-crafts.example',
    ],
    ['willow-teas.example', 'fern.example', 'fern.example is an alias of another store, fern-crafts.example'],
    ['willow-teas.example', 'willow-teas.example', 'is the domain of this store already'],
    ['teas.example', 'new.example', 'teas.example is an alias of willow-teas.example; give that domain'],
    ['nowhere.example', 'new.example', 'no store with the domain or alias nowhere.example'],
    ['willow-teas.example', 'not a domain', 'is not a domain or a URL with one'],
    ['many.example', 'new.example', 'many.example has 50 aliases'],
  ]
  for (const [domain, target, sentence] of refusals) {
    const { code, stdout, stderr } = await cli.run('stores', 'rename', domain, target, '--json')
    expect({ code, stdout }, target).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain(sentence)
    expect(stderr).toMatch(/^[^\n]+\n$/)
  }
  expect(await newestBatch()).toBe(batch)
  expect(await show('willow-teas.example')).toMatchObject({ aliases: ['teas.example', 'willow.myshopify.com'] })
})

test('people do not come to a suppressed domain by a rename', async () => {
  await cli.runWithInput('secret-shop.example\n', 'import', 'suppressions', '-')
  const refused = await cli.run('stores', 'rename', 'willow-teas.example', 'secret-shop.example')
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('is on the suppression list') })
  await importShops({ domain: 'empty.example' })
  expect(await cli.run('stores', 'rename', 'empty.example', 'secret-shop.example')).toMatchObject({ code: 0 })
})

test('remove says what it removed, and a second time that there is nothing', async () => {
  const { id } = await show('willow-teas.example')
  const batch = (await newestBatch()) + 1
  expect(await cli.json('stores', 'remove', 'willow-teas.example')).toEqual({
    object: 'removed_store',
    id,
    domain: 'willow-teas.example',
    aliases: ['teas.example', 'willow.myshopify.com'],
    contacts: 1,
    batch,
  })
  const again = await cli.run('stores', 'remove', 'willow-teas.example')
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('no store with the domain or alias') })
  await importShops({ domain: 'fern-crafts.example', aliases: ['fern.example'] })
  const { stdout } = await cli.run('stores', 'remove', 'fern-crafts.example')
  expect(stdout).toMatch(
    /^Removed fern-crafts\.example \(also fern\.example\), st_live_\w{16}, with 0 contacts, in batch \d+\.\n$/,
  )
})

test('a store whose domain an earlier version stored with a www is told by the doctor, found by it, and renamed', async () => {
  await cli.deps.db.query(
    "update store_domains set host = 'www.willow-teas.example' where host = 'willow-teas.example'",
  )
  const advice = '"storedex stores rename www.willow-teas.example willow-teas.example", then run this again.'
  const { stdout } = await cli.run('doctor', '--json')
  expect(JSON.parse(stdout).checks).toContainEqual(
    expect.objectContaining({ name: 'catalogue', status: 'warning', advice }),
  )
  for (const name of ['www.willow-teas.example', 'willow-teas.example'])
    expect((await cli.json('stores', 'show', name)).name).toBe('Willow Teas')
  await cli.json('stores', 'rename', 'www.willow-teas.example', 'willow-teas.example')
  expect((await cli.json('stores', 'show', 'willow-teas.example')).domain).toBe('willow-teas.example')
  const { checks } = JSON.parse((await cli.run('doctor', '--json')).stdout) as { checks: { name: string }[] }
  expect(checks.find(({ name }) => name === 'catalogue')).toMatchObject({ status: 'ok' })
})
