import { Writable } from 'node:stream'
import { beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestKey } from '../../server/test/support/app.ts'
import { AccessRequiredError, CostLimitError, PermissionError, Storedex } from '../src/index.ts'

const shops = Array.from({ length: 30 }, (_, index) => `shop-${String(index).padStart(2, '0')}.example`)
const scopes = [
  ...(['usage:read', 'stores:read', 'contacts:search', 'contacts:reveal'] as const),
  ...(['lists:manage', 'exports:manage', 'billing:read', 'billing:manage'] as const),
]

let app: TestApp
let key: TestKey
let storedex: Storedex
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  await app.importStores(shops.map((domain) => ({ domain, name: domain, country: 'DE', lead_fit_score: 50 })))
  await app.importContacts(
    shops.map((store_domain) => ({
      ...{ store_domain, first_name: 'Mara', last_name: 'Lindqvist', role: 'marketing' },
      emails: [{ email: `mara@${store_domain}`, status: 'verified', type: 'work', is_primary: true }],
    })),
  )
  key = await app.key({ scopes, limits: { requests_per_minute: 10_000 } })
  storedex = clientOf(key)
})

const clientOf = ({ secret }: TestKey) => new Storedex({ apiKey: secret, baseUrl: app.url, maxRetries: 0 })

test('in the repository the package is its source', async () => {
  expect((await import('@storedex/client')).Storedex).toBe(Storedex)
})

test('usage and what is left', async () => {
  const { data, remaining, requestId } = await storedex.usage.get().withResponse()
  expect(data.plan.slug).toBe('pro')
  expect(remaining.requests_per_minute).toBe(data.rate_limit.limit - 1)
  expect(requestId).toBe(data.request_id)
})

test('taxonomy', async () => {
  const { countries } = await storedex.taxonomy.get()
  expect(countries.map(({ value }) => value)).toContain('DE')
})

describe('stores', () => {
  test('one store, by a URL', async () => {
    expect(await storedex.stores.get(`https://www.${shops[0]}/about?x=1#y`)).toMatchObject({ domain: shops[0] })
    await expect(storedex.stores.get('nobody.example')).rejects.toMatchObject({ code: 'store_not_found' })
  })

  test('its history', async () => {
    const changes = await storedex.stores.history(shops[0]!).toArray({ maxRows: 10 })
    expect(changes.map(({ field }) => field)).toContain('added_to_catalogue')
  })

  test('a search over several pages charges the rows that were asked for', async () => {
    const rows = async () => (await storedex.usage.get()).search_rows.used
    const before = await rows()
    const found = storedex.stores.search({ filters: { countries: ['DE'] }, limit: 10 }, { maxRows: 23 })
    const domains: string[] = []
    for await (const { domain } of found) domains.push(domain)
    expect(new Set(domains).size).toBe(23)
    expect(await rows()).toBe(before + 23)
  })

  test('a wrong filter says where', async () => {
    const found = storedex.stores.search({ filters: { apps: { any: ['klavyo'] } } })
    await expect(found.toArray({ maxRows: 1 })).rejects.toMatchObject({
      ...{ name: 'ValidationError', code: 'invalid_filter_value', param: 'filters.apps.any[0]' },
    })
  })

  test('counts', async () => {
    expect(await storedex.stores.count({ filters: {} })).toMatchObject({ total: shops.length })
  })

  test('an enrichment of more than 25 domains', async () => {
    const domains = [...shops, 'nobody.example', `https://www.${shops[0]}/`]
    const { data, found, not_found } = await storedex.stores.enrich({ domains })
    expect(data.map(({ domain }) => domain)).toEqual([...shops, 'nobody.example'])
    expect([found, not_found]).toEqual([30, 1])
  })
})

describe('contacts', () => {
  test('are searched, quoted, revealed within a bound, and free afterwards', async () => {
    const previews = await storedex.contacts.search({ max_contacts_per_store: 1 }).toArray({ maxRows: 12 })
    const contact_ids = previews.map(({ id }) => id)
    const quote = await storedex.quotes.create({ for: 'reveal', contact_ids })
    expect(quote).toMatchObject({ contacts: 12, credits: 12 })
    const tooMuch = storedex.contacts.reveal({ contact_ids }, { maxCredits: 11 })
    await expect(tooMuch).rejects.toThrow(CostLimitError)
    const revealed = await storedex.contacts.reveal({ contact_ids }, { maxCredits: 12 }).withResponse()
    expect(revealed.data.data.map(({ id }) => id)).toEqual(contact_ids)
    expect(revealed.data.data[0]!.emails[0]!.email).toMatch(/^mara@/)
    expect(revealed.data.credits).toEqual({ spent: 12, remaining: revealed.remaining.contact_credits })
    const again = await storedex.contacts.reveal({ contact_ids }, { maxCredits: 0 })
    expect(again.credits.spent).toBe(0)
  })

  test('the same Idempotency-Key gets the same reply', async () => {
    const [preview] = await storedex.contacts.search({}).toArray({ maxRows: 1 })
    const reveal = () =>
      storedex.contacts.reveal({ contact_ids: [preview!.id] }, { idempotencyKey: 'mine' }).withResponse()
    const [first, second] = [await reveal(), await reveal()]
    expect([first.replayed, second.replayed]).toEqual([false, true])
    expect(second.data).toEqual(first.data)
    expect(second.requestId).not.toBe(first.requestId)
  })

  test('are counted', async () => {
    expect(await storedex.contacts.count()).toMatchObject({ contacts: shops.length })
  })
})

test('lists', async () => {
  const { lists } = storedex
  const { id } = await lists.create({ name: 'Spring', kind: 'stores' })
  await expect(lists.create({ name: 'spring', kind: 'stores' })).rejects.toMatchObject({ name: 'ConflictError' })
  expect(await lists.addItems(id, { domains: shops })).toMatchObject({ added: 30 })
  expect(await lists.removeItems(id, { domains: shops.slice(0, 5) })).toMatchObject({ removed: 5 })
  expect(await lists.items(id, { limit: 10 }).toArray({ maxRows: 100 })).toHaveLength(25)
  await lists.update(id, { description: 'For spring' })
  expect(await lists.get(id)).toMatchObject({ items: 25, description: 'For spring' })
  expect(await lists.list({ kind: 'stores' }).toArray({ maxRows: 10 })).toMatchObject([{ id }])
  expect(await lists.delete(id)).toMatchObject({ object: 'deleted', id })
})

test('an export: quote, start, wait, download', async () => {
  const { exports, quotes } = storedex
  const wanted = { kind: 'stores', filters: { countries: ['DE'] }, format: 'ndjson', max_rows: 20 } as const
  const { quote } = await quotes.create({ for: 'export', ...wanted })
  const { id } = await exports.create({ ...wanted, quote })
  const done = await exports.wait(id)
  expect(done).toMatchObject({ status: 'ready', file: { rows: 20 } })
  const chunks: Buffer[] = []
  const target = new Writable({
    write(chunk, _, callback) {
      chunks.push(chunk)
      callback()
    },
  })
  const file = await exports.download(id, target)
  expect(file).toMatchObject({ bytes: done.file!.bytes, sha256: done.file!.sha256 })
  expect(Buffer.concat(chunks).toString().trim().split('\n')).toHaveLength(20)
  expect(await exports.cancel(id)).toMatchObject({ status: 'ready' })
  expect(await exports.get(id)).toMatchObject({ id })
  expect(await exports.list().toArray({ maxRows: 10 })).toMatchObject([{ id }])
})

test('billing', async () => {
  expect(await storedex.billing.status()).toMatchObject({ object: 'billing_status', plan: { slug: 'pro' } })
  const sandbox = clientOf(await app.keyOf(key.account, { scopes, mode: 'test' }))
  expect(await sandbox.billing.createSubscriptionLink({ plan: 'business' })).toMatchObject({ object: 'billing_link' })
  expect(await sandbox.billing.createPortalLink()).toMatchObject({ object: 'billing_link' })
})

test('who may not is told what is missing', async () => {
  const narrow = clientOf(await app.keyOf(key.account, { scopes: ['usage:read'] }))
  await expect(narrow.stores.get(shops[0]!)).rejects.toMatchObject({ code: 'insufficient_scope', param: 'stores:read' })
  const closed = await app.key({})
  await app.setAccount(closed.account, { status: 'canceled' })
  const lapsed = await clientOf(closed)
    .usage.get()
    .catch((caught) => caught)
  expect(lapsed).toBeInstanceOf(AccessRequiredError)
  expect(lapsed).toBeInstanceOf(PermissionError)
  expect(lapsed.billing.action).toBe('create_subscription_link')
})
