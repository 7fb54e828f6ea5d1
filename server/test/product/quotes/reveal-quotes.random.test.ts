import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { proofRuns } from '../../../../bin/tests/proof-runs.ts'
import { startTestApp, type TestApp } from '../../support/app.ts'
import type { Json, TestClient } from '../../support/client.ts'
import { addCrowd, generous, reveal, storedUsage, usageOf } from '../contacts/support/reveals.ts'

let app: TestApp
let ids: string[]
let silent: string
let foreign: string
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  ids = await addCrowd(app, 30)
  await app.importStores([{ domain: 'silent.example', name: 'Silent' }])
  await app.importContacts([{ store_domain: 'silent.example', first_name: 'Sil' }])
  const key = await app.key({ limits: generous })
  silent = (await key.post('/contacts/search', { store: { domains: ['silent.example'] } })).body.data[0].id
  // The other mode's name for somebody who can be revealed.
  foreign = app.deps.ids.seal('contact', app.deps.ids.open(ids[0]!)!.value, 'test')
})

const unknown = 'ct_live_PqLmXzTbVnRwKdHc'
const quote = async (client: TestClient, contact_ids: readonly string[]): Promise<Json> =>
  (await client.post('/quotes', { for: 'reveal', contact_ids })).body

describe('a quote for a reveal', () => {
  test('is exactly what the reveals then cost and leave, whatever the ids', async () => {
    const any = fc.constantFrom(...ids, silent, unknown, foreign)
    const lists = fc.tuple(fc.array(any, { maxLength: 12 }), fc.array(any, { minLength: 1, maxLength: 25 }))
    await fc.assert(
      fc.asyncProperty(lists, async ([earlier, wanted]) => {
        const key = await app.key({ limits: { ...generous, contact_credits: 1_000, store_exports: 1_000 } })
        for (let i = 0; i < earlier.length; i += 10) await reveal(key, earlier.slice(i, i + 10))
        const before = await usageOf(key)
        const quoted = await quote(key, wanted)
        const delivered = new Map<string, boolean>()
        for (let i = 0; i < wanted.length; i += 10) {
          const { body } = await reveal(key, wanted.slice(i, i + 10))
          for (const { id, charged } of body.data ?? []) delivered.set(id, (delivered.get(id) ?? false) || charged)
        }
        const after = await usageOf(key)
        const charged = [...delivered.values()].filter(Boolean).length
        expect(quoted).toMatchObject({
          object: 'quote',
          contacts: delivered.size,
          credits: charged,
          already_revealed: delivered.size - charged,
          unrevealable: new Set(wanted).size - delivered.size,
          new_exports: after.store_exports.used - before.store_exports.used,
          credits_remaining: before.contact_credits.remaining,
          credits_after: after.contact_credits.remaining,
          exports_remaining: before.store_exports.remaining,
          exports_after: after.store_exports.remaining,
          sufficient: true,
        })
        expect(quoted.stores).toBeGreaterThanOrEqual(quoted.new_exports)
      }),
      { numRuns: proofRuns(8, 3) },
    )
  })

  test('changes nothing, counts as one request, and names account, mode, body and cost for ten minutes', async () => {
    const key = await app.key({ limits: { ...generous, contact_credits: 2 } })
    const before = await storedUsage(app, key)
    const { request_id, quote: token, ...quoted } = await quote(key, [ids[0]!, ids[0]!, ids[1]!, ids[2]!])
    expect(await storedUsage(app, key)).toEqual(before)
    expect((await usageOf(key)).api_requests.used).toBe(2)
    expect(quoted).toMatchObject({ contacts: 3, credits: 3, credits_remaining: 2, credits_after: 0, sufficient: false })
    expect(quoted.expires_at).toBe('2026-11-10T12:10:00.000Z')
    expect(token).toMatch(/^quo_[\w-]+$/)
    expect(app.deps.quotes.open(token)).toEqual({
      accountId: app.accountNumber(key.account),
      mode: 'live',
      bodyHash: expect.stringMatching(/^[0-9a-f]{32}$/),
      credits: 3,
      storeExports: quoted.new_exports,
      expiresAtMs: Date.parse('2026-11-10T12:10:00.000Z'),
      contactIds: app.deps.ids.openMany('contact', ids.slice(0, 3), 'live'),
    })
  })

  test('is for 1 to 1,000 ids, of contacts only', async () => {
    const key = await app.key({ limits: generous })
    expect((await quote(key, Array(1_000).fill(unknown))).unrevealable).toBe(1)
    const refused = async (body: object) => {
      const { code, param } = (await key.post('/quotes', body)).body.error
      return [code, param]
    }
    expect(await refused({ for: 'reveal', contact_ids: [] })).toEqual(['invalid_request', 'contact_ids'])
    expect(await refused({ for: 'reveal', contact_ids: Array(1_001).fill(unknown) })).toEqual([
      'invalid_request',
      'contact_ids',
    ])
    expect(await refused({ for: 'reveal', contact_ids: ['st_live_PqLmXzTbVnRwKdHc'] })).toEqual([
      'invalid_contact_id',
      'contact_ids[0]',
    ])
    expect(await refused({ for: 'reveal' })).toEqual(['missing_parameter', 'contact_ids'])
    expect(await refused({ contact_ids: [unknown] })).toEqual(['missing_parameter', 'for'])
    expect(await refused({ for: 'gift', contact_ids: [unknown] })).toEqual(['invalid_request', 'for'])
    expect(await refused({ for: 'reveal', contact_ids: [unknown], max: 3 })).toEqual(['unknown_parameter', 'max'])
  })

  test('is the same for a person of the console', async () => {
    const key = await app.key({ limits: generous })
    const person = await app.person({ account: key.account, role: 'viewer' })
    const wanted = [ids[3]!, ids[4]!, silent, unknown]
    const theirs = await person.post(`/accounts/${key.account}/quotes`, { for: 'reveal', contact_ids: wanted })
    const { quote: _token, request_id: _id, ...mine } = await quote(key, wanted)
    expect(theirs.body).toMatchObject(mine)
  })
})

describe('a quote of a reveal, sent back', () => {
  const limits = { ...generous, contact_credits: 1_000, store_exports: 1_000 }
  const open = (client: TestClient, body: object) => client.post('/quotes', { for: 'quoted_reveal', ...body })
  const refusalOf = async (client: TestClient, body: object) => {
    const { status, body: reply } = await open(client, body)
    return [status, reply.error?.code, reply.error?.param]
  }
  const invalid = [400, 'invalid_quote', 'quote']

  test('tells its contacts, and what they cost now', async () => {
    const key = await app.key({ limits })
    const contact_ids = [ids[3]!, ids[1]!, ids[3]!, unknown, silent]
    const quoted = await quote(key, contact_ids)
    const expected = { contact_ids: [ids[3], ids[1], silent], quote: quoted.quote, expires_at: quoted.expires_at }
    expect((await open(key, { quote: quoted.quote })).body).toMatchObject({
      ...expected,
      credits: 2,
      already_revealed: 0,
    })
    await reveal(key, [ids[3]])
    const { body } = await open(key, { quote: quoted.quote, contact_ids })
    expect(body).toMatchObject({ ...expected, credits: 1, already_revealed: 1, unrevealable: 1 })
    expect((await usageOf(key)).contact_credits.used).toBe(1)
  })

  test('is refused for another account or mode, for other contacts, when forged, and after ten minutes', async () => {
    const key = await app.key({ limits })
    const contact_ids = ids.slice(0, 2)
    const { quote: token } = await quote(key, contact_ids)
    expect(await refusalOf(await app.key({ limits }), { quote: token })).toEqual(invalid)
    expect(await refusalOf(await app.keyOf(key.account, { mode: 'test' }), { quote: token })).toEqual(invalid)
    expect(await refusalOf(key, { quote: token, contact_ids: ids.slice(1, 3) })).toEqual(invalid)
    expect(await refusalOf(key, { quote: `${token.slice(0, -3)}AAA` })).toEqual(invalid)
    const body = { kind: 'stores', filters: {}, max_rows: 5 }
    const exporter = await app.keyOf(key.account, { scopes: ['contacts:search', 'stores:read', 'exports:manage'] })
    const forExport = await exporter.post('/quotes', { for: 'export', ...body })
    expect(await refusalOf(key, { quote: forExport.body.quote })).toEqual(invalid)
    app.clock.advance(600_000)
    expect(await refusalOf(key, { quote: token })).toEqual(invalid)
  })

  test('keeps 100 contacts, and is refused for more', async () => {
    const key = await app.key({ limits })
    const many = (count: number) =>
      app.deps.ids.sealMany(
        'contact',
        Array.from({ length: count }, (_, index) => index + 1),
        'live',
      )
    const kept = await open(key, { quote: (await quote(key, many(100))).quote })
    expect(kept.body.contact_ids).toHaveLength(100)
    expect(await refusalOf(key, { quote: (await quote(key, many(101))).quote })).toEqual(invalid)
  })

  test('is refused when it costs more by now', async () => {
    app.clock.set('2026-11-30T23:55:00.000Z')
    const key = await app.key({ limits, periodStart: '2026-11-01T00:00:00.000Z' })
    await reveal(key, [ids[0]])
    const { quote: token, ...quoted } = await quote(key, [ids[0]!])
    expect(quoted).toMatchObject({ credits: 0, new_exports: 0 })
    // The store counts again in the next period.
    app.clock.advance(360_000)
    expect(await refusalOf(key, { quote: token })).toEqual([409, 'quote_exceeded', 'quote'])
  })
})
