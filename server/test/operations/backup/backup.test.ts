import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { eraseContacts } from '../../../src/catalogue/erasure/erase-contacts.ts'
import { importContacts } from '../../../src/catalogue/imports/contacts/import-contacts.ts'
import { importSuppressions } from '../../../src/catalogue/imports/suppressions/import-suppressions.ts'
import { listOwnTables } from '../../../src/foundation/db/migrate.ts'
import { startTestApp, type TestApp, type TestKey } from '../../support/app.ts'
import { generateContacts } from '../../support/records/contact-records.ts'
import { generateStores } from '../../support/records/store-records.ts'
import {
  backUpTo,
  createTarget,
  digestCopied,
  migrationsDir,
  query,
  restoreFrom,
  type Target,
  temporaryFolder,
} from './support/backups.ts'
import { openOperator, startRestored } from './support/restored.ts'

const now = '2026-11-22T12:00:00Z'
const stores = [...generateStores(60)]
const contacts = [...generateContacts(stores)]
let app: TestApp
let key: TestKey
let source: Target
let revealed: string[]
let erasedEmail: string
let cursor: string

beforeAll(async () => {
  app = await startTestApp({ now })
  source = { url: app.deps.databaseUrl, dataDir: '/nowhere', dataKeys: app.deps.config.dataKeys, migrationsDir }
  await app.importStores(stores)
  await app.importContacts(contacts)
  erasedEmail = contacts.find(({ emails }) => emails?.length)!.emails![0]!.email
  await eraseContacts(app.operator, { email: erasedEmail })
  await app.searchFollows()
  key = await app.key({ plan: 'enterprise' })
  await app.person({ role: 'owner' })
  const page = await key.post('/contacts/search', { person: { has_verified_email: true }, limit: 10 })
  revealed = page.body.data.slice(0, 5).map(({ id }: { id: string }) => id)
  cursor = page.body.next_cursor
  expect(cursor).toBeTypeOf('string')
  expect((await key.post('/contacts/reveal', { contact_ids: revealed })).status).toBe(200)
})

const audited = 'select account_id, action, address from audit_log order by entry'

test('a backup restored elsewhere holds every row of every table, and where the ids continue', async () => {
  const file = join(temporaryFolder(), 'one.backup')
  const target = await createTarget()
  await query(target.url, 'drop schema public cascade')
  await query(target.url, 'create schema public')
  const before = await digestCopied(source.url)
  const auditedBefore = await query(source.url, audited)
  const made = await backUpTo(file, source)
  expect(made).toEqual({
    file,
    bytes: statSync(file).size,
    // Beside the digests, the audit log.
    tables: Object.keys(before).filter((name) => !name.endsWith('_seq')).length + 1,
    rows: expect.any(Number),
    with_keys: false,
    sealed: true,
    seconds: expect.any(Number),
  })
  const { rows, migrated, erased } = await restoreFrom(file, target)
  expect({ rows, migrated, erased }).toEqual({ rows: made.rows, migrated: [], erased: 0 })
  expect(await digestCopied(target.url)).toEqual(before)
  const entry = { account_id: '0', action: 'installation.restored', address: null }
  expect(await query(target.url, audited)).toEqual([...auditedBefore, entry])
})

test('a restored schema is the schema of the migrations', async () => {
  const file = join(temporaryFolder(), 'one.backup')
  const [target, untouched] = [await createTarget(), await createTarget()]
  const describeIndexes = (url: string) =>
    query(
      url,
      `select indexdef as definition from pg_indexes where schemaname = 'public'
       union all select conrelid::regclass || ' ' || pg_get_constraintdef(oid) from pg_constraint
       where connamespace = 'public'::regnamespace order by 1`,
    )
  await backUpTo(file, source)
  await restoreFrom(file, target)
  expect(await describeIndexes(target.url)).toEqual(await describeIndexes(untouched.url))
})

test('every table of the schema is known to the backup', async () => {
  const rows = await query<{ name: string }>(
    source.url,
    "select relname::text as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1",
  )
  expect(await listOwnTables(migrationsDir)).toEqual(rows.map(({ name }) => name))
})

test('keys, ids and cursors work in a restored installation, and what was revealed stays free', async () => {
  const file = join(temporaryFolder(), 'one.backup')
  const target = await createTarget()
  await backUpTo(file, source)
  await restoreFrom(file, target)
  const restored = (await startRestored(target.url, now))(key.secret)
  const again = await restored.post('/contacts/reveal', { contact_ids: revealed })
  expect(again).toMatchObject({ status: 200, body: { credits: { spent: 0 } } })
  const original = await key.post('/contacts/reveal', { contact_ids: revealed })
  expect(again.body.data).toEqual(original.body.data)
  const search = { person: { has_verified_email: true }, limit: 10, cursor }
  const [here, there] = [await key.post('/contacts/search', search), await restored.post('/contacts/search', search)]
  expect(there.status).toBe(200)
  expect(there.body.data).toEqual(here.body.data)
})

test('people who were erased before the backup are not in it, and cannot be imported after its restore', async () => {
  const file = join(temporaryFolder(), 'one.backup')
  await backUpTo(file, source)
  const target = await createTarget()
  await restoreFrom(file, target)
  const count = 'select count(*)::integer as count from'
  const [inSource] = await query(source.url, `${count} contacts`)
  expect(await query(target.url, `${count} contacts`)).toEqual([inSource])
  const people = contacts.filter(({ emails }) => emails?.some(({ email }) => email === erasedEmail))
  const list = join(temporaryFolder(), 'people.ndjson')
  writeFileSync(list, people.map((person) => JSON.stringify(person)).join('\n'))
  const operator = await openOperator(target.url)
  const { inserted, rejected } = await importContacts(operator, { file: list, extendTaxonomy: false })
  await operator.close()
  expect({ inserted, rejected }).toEqual({ inserted: 0, rejected: people.length })
})

describe('restored over the installation that it was made of', () => {
  test('whoever was erased since stays erased', async () => {
    const folder = temporaryFolder()
    const target = await createTarget()
    await backUpTo(join(folder, 'first.backup'), source)
    await restoreFrom(join(folder, 'first.backup'), target)
    const operator = await openOperator(target.url)
    const victim = contacts.findLast(({ emails }) => emails?.some(({ email }) => email !== erasedEmail))!.emails![0]!
      .email
    const { erased } = await eraseContacts(operator, { email: victim })
    expect(erased).toBeGreaterThan(0)
    await operator.close()
    const after = await query(target.url, 'select count(*) from contacts')

    const result = await restoreFrom(join(folder, 'first.backup'), target, { replace: true })
    expect(result.erased).toBe(erased)
    expect(await query(target.url, 'select count(*) from contacts')).toEqual(after)
    const again = await openOperator(target.url)
    expect(await eraseContacts(again, { email: victim })).toEqual({ erased: 0 })
    await again.close()
  })

  test('people of a domain that was suppressed since are erased, also at a store of that host', async () => {
    const folder = temporaryFolder()
    const target = await createTarget()
    await backUpTo(join(folder, 'first.backup'), source)
    await restoreFrom(join(folder, 'first.backup'), target)
    const operator = await openOperator(target.url)
    const { store_domain: domain } = contacts.at(-1)!
    const list = join(folder, 'list.txt')
    writeFileSync(list, `${domain}\n`)
    const { erased } = await importSuppressions(operator, { file: list })
    expect(erased).toBeGreaterThan(0)
    await operator.close()
    expect((await restoreFrom(join(folder, 'first.backup'), target, { replace: true })).erased).toBe(erased)
  })
})

test('a backup while stores are imported holds whole batches only', async () => {
  const folder = temporaryFolder()
  const more = [...generateStores(400, 5)]
  let isImporting = true
  const importing = (async () => {
    for (let start = 0; start < more.length; start += 20) await app.importStores(more.slice(start, start + 20))
    isImporting = false
  })()
  const files: string[] = []
  while (isImporting) {
    files.push(join(folder, `${files.length}.backup`))
    await backUpTo(files.at(-1)!, source)
  }
  await importing
  expect(files.length).toBeGreaterThan(1)
  const target = await createTarget()
  for (const file of files.slice(0, 4)) {
    await restoreFrom(file, target, { replace: true })
    const [found] = await query<{ live: number; newest: number; state: number; hosts: number }>(
      target.url,
      `select (select count(*)::integer from stores where mode = 'live') as live,
              (select max(batch)::integer from stores) as newest,
              (select batch::integer from catalogue_state) as state,
              (select count(*)::integer from stores s where not exists (select from store_domains d where d.store_id = s.id)) as hosts`,
    )
    expect((found!.live - stores.length) % 20).toBe(0)
    expect(found).toMatchObject({ newest: found!.state, hosts: 0 })
  }
})

test('only its owner can read a backup, and one that fails leaves the older file as it was', async () => {
  const folder = temporaryFolder()
  const file = join(folder, 'one.backup')
  writeFileSync(file, 'older', { mode: 0o644 })
  await expect(backUpTo(file, { ...source, dataKeys: null, dataDir: folder }, true)).rejects.toThrow(
    /no data keys in .*data-keys/,
  )
  expect(readFileSync(file, 'utf8')).toBe('older')
  expect(readdirSync(folder)).toEqual(['one.backup'])
  await backUpTo(file, source)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder)).toEqual(['one.backup'])
})

test.each([
  ['a folder that does not exist', 'missing/one.backup', /there is no such folder/],
  ['a folder in place of a file', '.', /is a folder/],
])('a backup into %s is refused with a sentence', async (_, name, sentence) => {
  const folder = temporaryFolder()
  await expect(backUpTo(join(folder, name), source)).rejects.toThrow(sentence)
  expect(readdirSync(folder)).toEqual([])
})
