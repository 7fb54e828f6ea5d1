import { beforeAll, expect, test } from 'vitest'
import { removeStore } from '../../../src/catalogue/erasure/remove-store.ts'
import { checkLedger } from '../../../src/customers/ledger/check.ts'
import { startTestApp, type TestApp, type TestKey } from '../../support/app.ts'
import { contactIdOf, tryImportContacts } from './support/people.ts'

let app: TestApp
let key: TestKey
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-21T12:00:00Z' })
  key = await app.key({ limits: { requests_per_minute: 10_000 } })
})

let shops = 0
/** Imports a new store with an alias and two people, and returns its domain. */
async function newShop(): Promise<string> {
  const domain = `leaving-${++shops}.example`
  await app.importStores([{ domain, name: 'A shop', country: 'DE', aliases: [`alias-of-${domain}`] }])
  await app.importContacts(['anna', 'bert'].map((name) => person(domain, name)))
  return domain
}

function person(store_domain: string, name: string) {
  const emails = [{ email: `${name}@${store_domain}`, status: 'verified', type: 'work' }]
  return { store_domain, external_id: name, first_name: name, last_name: 'Somewhere', emails }
}

const remove = async (domain: string) => {
  const result = await removeStore(app.operator, domain)
  await app.searchFollows()
  return result
}

const count = async (table: string, condition: string, values: unknown[]) =>
  (await app.db.query<{ rows: number }>(`select count(*) as rows from ${table} where ${condition}`, values)).rows[0]!
    .rows

const newestEntry = async () => {
  const columns = 'action, actor, person_id, target, details'
  return (await app.db.query(`select ${columns} from audit_log where account_id = 0 order by entry desc limit 1`))
    .rows[0]
}

const storeIdOf = async (domain: string) =>
  (await app.db.query<{ store_id: number }>('select store_id from store_domains where host = $1', [domain])).rows[0]!
    .store_id

test('a removed store is found by no host and no search, and its people are gone with their sealed data', async () => {
  const [shop, other] = [await newShop(), await newShop()]
  const id = await storeIdOf(shop)
  expect(await remove(shop)).toMatchObject({ removed: { domain: shop, aliases: [`alias-of-${shop}`], contacts: 2 } })
  for (const host of [shop, `alias-of-${shop}`])
    expect(await key.get(`/stores/${host}`)).toMatchObject({
      status: 404,
      body: { error: { code: 'store_not_found' } },
    })
  const found = (await key.post('/stores/search', { filters: { countries: ['DE'] }, limit: 100 })).body.data
  expect(found.map(({ domain }: { domain: string }) => domain)).toContain(other)
  expect(found.map(({ domain }: { domain: string }) => domain)).not.toContain(shop)
  const people = (await key.post('/contacts/search', { store: { countries: ['DE'] }, person: {}, limit: 100 })).body
  expect(people.data.map((each: { store: { domain: string } }) => each.store.domain)).not.toContain(shop)
  expect(await newestEntry()).toEqual({
    ...{ action: 'store.removed', actor: 'command', person_id: null, target: expect.stringMatching(/^st_live_/) },
    details: { contacts: 2, batch: expect.any(Number) },
  })
  for (const table of ['contacts', 'store_domains']) expect(await count(table, 'store_id = $1', [id]), table).toBe(0)
  expect(await count('stores', 'id = $1', [id])).toBe(0)
  expect(await count('contacts', 'store_id = $1', [await storeIdOf(other)])).toBe(2)
})

test('a removal is one numbered batch, which says what was removed', async () => {
  const shop = await newShop()
  const id = await storeIdOf(shop)
  const newest = async () => (await app.db.query<{ batch: number }>('select batch from catalogue_state')).rows[0]!.batch
  const before = await newest()
  expect(await remove(shop)).toMatchObject({ batch: before + 1 })
  expect(await newest()).toBe(before + 1)
  expect(await count('catalogue_batches', 'batch = $1', [before + 1])).toBe(1)
  expect(await count('removed_stores', 'store_id = $1 and batch = $2', [id, before + 1])).toBe(1)
})

test('what was paid for stays in the ledger, which balances; a kept reply with its people is deleted', async () => {
  const shop = await newShop()
  const contact = await contactIdOf(app, shop, 'anna')
  await key.get(`/stores/${shop}`)
  const idempotencyKey = { 'idempotency-key': 'reveal-1' }
  const revealed = await key.post('/contacts/reveal', { contact_ids: [contact] }, idempotencyKey)
  expect(revealed).toMatchObject({ status: 200 })
  const account = app.accountNumber(key.account)
  const spent = async () => ({
    exports: await count('store_exports', 'account_id = $1', [account]),
    reveals: await count('reveals', 'account_id = $1', [account]),
    entries: await count('ledger', 'account_id = $1', [account]),
    kept: await count('idempotency', 'account_id = $1', [account]),
  })
  const before = await spent()
  expect(before).toMatchObject({ reveals: 1, kept: 1 })
  await remove(shop)
  expect(await spent()).toEqual({ ...before, kept: 0 })
  const differences: unknown[] = []
  await checkLedger(app.operator, async (_totals, pages) => {
    for await (const page of pages) differences.push(...page)
  })
  expect(differences).toEqual([])
  // The contact is unknown now, and nothing is charged for asking.
  const later = await key.post('/contacts/reveal', { contact_ids: [contact] })
  expect(JSON.stringify(later.body)).not.toContain('anna@')
  expect(await spent()).toMatchObject({ reveals: 1, entries: before.entries })
})

test('an import adds the store anew, with another id, and its people', async () => {
  const shop = await newShop()
  const { body: before } = await key.get(`/stores/${shop}`)
  await remove(shop)
  await app.importStores([{ domain: shop, name: 'Back again', country: 'DE' }])
  expect(await tryImportContacts(app, [person(shop, 'anna')])).toMatchObject({ inserted: 1 })
  await app.searchFollows()
  const { body: after } = await key.get(`/stores/${shop}`)
  expect(after).toMatchObject({ domain: shop, name: 'Back again', contacts_summary: { total: 1 } })
  expect(after.id).not.toBe(before.id)
})

test('an alias, an unknown domain and a store of the sandbox are refused', async () => {
  const shop = await newShop()
  await expect(removeStore(app.operator, `alias-of-${shop}`)).rejects.toThrow(
    `is an alias of ${shop}; give that domain`,
  )
  await expect(removeStore(app.operator, 'nowhere.example')).rejects.toThrow(
    'no store with the domain or alias nowhere.example',
  )
  await expect(removeStore(app.operator, 'no domain')).rejects.toThrow('is not a domain')
  await app.db.query(`update store_domains set mode = 'test' where host = $1`, [shop])
  await expect(removeStore(app.operator, shop)).rejects.toThrow('The live catalogue has no store')
  expect(await count('stores', 'id = $1', [await storeIdOf(shop)])).toBe(1)
})
