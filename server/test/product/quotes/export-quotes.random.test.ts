import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { proofRuns } from '../../../../bin/tests/proof-runs.ts'
import { type Scope, scopes } from '../../../src/customers/auth/caller.ts'
import { startTestApp, type TestApp, type TestKey } from '../../support/app.ts'
import type { Json } from '../../support/client.ts'
import { addCrowd, addPeople, generous, reveal, usageOf } from '../contacts/support/reveals.ts'
import { endOf, findUnsound } from '../exports/support.ts'

let app: TestApp
let ids: string[]
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  ids = await addCrowd(app, 30)
  await addPeople(app)
})

const limits = { ...generous, contact_credits: 1_000, store_exports: 1_000 }
const newKey = (more: object = {}) => app.key({ scopes, limits: { ...limits, ...more } })
const quote = (key: TestKey, body: object) => key.post('/quotes', { for: 'export', ...body })
const people = { kind: 'contacts', max_rows: 1_000, max_credits: 1_000 }

describe('a quote for an export', () => {
  test('is exactly what the export that is started with it then costs, and leaves', async () => {
    const domains = ['crowd-0.example', 'crowd-1.example', 'crowd-2.example', 'first-shop.example', 'no.example']
    const max_rows = fc.integer({ min: 1, max: 40 })
    const store = fc.record({ domains: fc.subarray(domains) })
    const perStore = fc.option(fc.integer({ min: 1, max: 10 }))
    const body = fc.oneof(
      fc.record({ kind: fc.constant('stores'), filters: fc.constant({}), max_rows }),
      fc.record({ kind: fc.constant('previews'), store, max_contacts_per_store: perStore, max_rows }),
      fc.record({
        ...{ kind: fc.constant('contacts'), store, max_contacts_per_store: perStore, max_rows },
        ...{ max_credits: fc.nat({ max: 40 }), preset: fc.constantFrom('hubspot', 'salesforce') },
      }),
    )
    await fc.assert(
      fc.asyncProperty(body, fc.subarray([0, 1, 2, 11, 12, 25]), async (asked, earlier) => {
        const key = await newKey()
        if (earlier.length > 0)
          await reveal(
            key,
            earlier.map((index) => ids[index]),
          )
        const before = await usageOf(key)
        const { status, body: quoted } = await quote(key, asked)
        expect(status).toBe(200)
        const created = await key.post('/exports', { ...asked, quote: quoted.quote })
        expect(created.status).toBe(201)
        const ended = await endOf(key, created.body.id)
        const after = await usageOf(key)
        expect(quoted).toMatchObject({
          credits: ended.cost.contact_credits,
          new_exports: ended.cost.store_exports,
          credits_remaining: before.contact_credits.remaining,
          credits_after: after.contact_credits.remaining,
          exports_remaining: before.store_exports.remaining,
          exports_after: after.store_exports.remaining,
          sufficient: true,
        })
        expect(asked.kind === 'stores' ? quoted.stores : quoted.contacts).toBe(ended.file!.rows)
        if (asked.kind === 'contacts') expect(quoted.already_revealed).toBe(quoted.contacts - quoted.credits)
      }),
      { numRuns: proofRuns(8, 3) },
    )
    expect(await findUnsound(app)).toEqual([])
  })

  test('costs a request and nothing else, also when it is more than what is left', async () => {
    const key = await newKey({ contact_credits: 3 })
    const { body } = await quote(key, people)
    expect(body).toMatchObject({ credits_remaining: 3, credits_after: 0, sufficient: false })
    expect(body.unrevealable).toBeGreaterThan(0)
    expect(await usageOf(key)).toMatchObject({
      contact_credits: { used: 0 },
      store_exports: { used: 0, reserved: 0 },
      search_rows: { used: 0 },
      api_requests: { used: 2 },
    })
  })

  test('is refused for a body that the export would be refused for', async () => {
    const key = await newKey()
    const refused = async (body: object) => {
      const { code, param } = (await quote(key, body)).body.error
      return [code, param]
    }
    const stores = { kind: 'stores', filters: {}, max_rows: 5 }
    expect(await refused({ ...stores, columns: ['domain', 'nmae'] })).toEqual(['invalid_column', 'columns[1]'])
    expect(await refused({ ...stores, preset: 'hubspot' })).toEqual(['invalid_request', 'preset'])
    expect(await refused({ ...stores, max_rows: 0 })).toEqual(['invalid_request', 'max_rows'])
    expect(await refused({ ...stores, filters: { contry: ['DE'] } })).toEqual(['unknown_parameter', 'filters.contry'])
    expect(await refused({ ...stores, filters: { countries: ['XX'] } })).toEqual([
      'invalid_filter_value',
      'filters.countries[0]',
    ])
    expect(await refused({ ...stores, list: 'lst_live_QmWvTzHbNcRyLpXk', filters: undefined })).toEqual([
      'list_not_found',
      'list',
    ])
    expect(await refused({ ...stores, contact_ids: [ids[0]] })).toEqual(['unknown_parameter', 'contact_ids'])
    expect(await refused({ kind: 'contacts', max_rows: 5 })).toEqual(['missing_parameter', 'max_credits'])
    expect(await refused({ ...stores, quote: 'quo_x' })).toEqual(['unknown_parameter', 'quote'])
  })

  test('needs the scopes of the export', async () => {
    const key = await newKey()
    const missing = async (own: readonly Scope[], body: object) => {
      const { status, body: reply } = await quote(await app.keyOf(key.account, { scopes: own }), body)
      return status === 200 ? null : [reply.error.code, reply.error.param]
    }
    const stores = { kind: 'stores', filters: {}, max_rows: 5 }
    expect(await missing(['contacts:search'], stores)).toEqual(['insufficient_scope', 'exports:manage'])
    expect(await missing(['exports:manage'], stores)).toEqual(['insufficient_scope', 'stores:read'])
    expect(await missing(['exports:manage', 'stores:read'], stores)).toBeNull()
    expect(await missing(['exports:manage', 'contacts:search'], people)).toEqual([
      'insufficient_scope',
      'contacts:reveal',
    ])
    expect(await missing(['exports:manage', 'contacts:reveal'], people)).toBeNull()
  })

  test('starts only the export that it is for, within ten minutes', async () => {
    const key = await newKey()
    const other = await newKey()
    const sandbox = await app.keyOf(key.account, { scopes, mode: 'test' })
    const body = { kind: 'stores', filters: { countries: ['DE'] }, max_rows: 5 }
    const token: string = (await quote(key, body)).body.quote
    const start = async (by: TestKey, asked: object, text = token) => {
      const { status, body: reply } = await by.post('/exports', { ...asked, quote: text })
      return status === 201 ? status : [status, reply.error.code, reply.error.param]
    }
    const invalid = [400, 'invalid_quote', 'quote']
    expect(await start(other, body)).toEqual(invalid)
    expect(await start(sandbox, body)).toEqual(invalid)
    expect(await start(key, { ...body, max_rows: 6 })).toEqual(invalid)
    expect(await start(key, { ...body, gzip: true })).toEqual(invalid)
    expect(await start(key, body, `${token.slice(0, -3)}AAA`)).toEqual(invalid)
    expect(await start(key, body, 'quo_')).toEqual(invalid)
    app.clock.advance(600_000)
    expect(await start(key, body)).toEqual(invalid)
    app.clock.advance(-1)
    expect(await start(key, { max_rows: 5, filters: { countries: ['DE'] }, kind: 'stores' })).toBe(201)
    app.clock.set('2026-11-10T12:00:00.000Z')
  })

  test('does not start an export that would cost more by now', async () => {
    const key = await newKey()
    const body = { ...people, store: { domains: ['crowd-0.example', 'late.example'] } }
    const quoted: Json = (await quote(key, body)).body
    await app.importStores([{ domain: 'late.example', name: 'Late' }])
    await app.importContacts([{ store_domain: 'late.example', first_name: 'Lea', phones: [{ phone: '+4930123456' }] }])
    const refused = await key.post('/exports', { ...body, quote: quoted.quote })
    expect([refused.status, refused.body.error.code, refused.body.error.param]).toEqual([
      409,
      'quote_exceeded',
      'quote',
    ])
    const again: Json = (await quote(key, body)).body
    expect(again.credits).toBe(quoted.credits + 1)
    expect((await key.post('/exports', { ...body, quote: again.quote })).status).toBe(201)
  })
})
