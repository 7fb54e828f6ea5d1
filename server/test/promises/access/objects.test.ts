import { beforeAll, describe, expect, test } from 'vitest'
import { scopes } from '../../../src/customers/auth/caller.ts'
import { startTestApp, type TestApp, type TestKey } from '../../support/app.ts'

let app: TestApp
let owner: TestKey
/** A key of another account, and a test key of the owner's account. */
let others: { stranger: TestKey; sandbox: TestKey }
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  const domains = ['first.example', 'second.example', 'third.example']
  await app.importStores(domains.map((domain) => ({ domain })))
  await app.importContacts([
    { store_domain: 'first.example', first_name: 'Dora', profile_url: 'https://people.example/d' },
  ])
  owner = await app.key({ scopes })
  others = {
    stranger: await app.key({ scopes }),
    sandbox: await app.keyOf(owner.account, { scopes, mode: 'test' }),
  }
})

describe.each(['stranger', 'sandbox'] as const)('data of an account and mode, requested by the %s', (who) => {
  test('its usage is not returned', async () => {
    const exportsOf = async (key: TestKey) => (await key.get('/usage')).body.store_exports.used
    const own = await app.keyOf(owner.account, { scopes })
    const before = await exportsOf(others[who])
    await own.post('/stores/enrich', { domains: ['first.example', 'second.example', 'third.example'] })
    expect(await exportsOf(own)).toBe(3)
    expect(await exportsOf(others[who])).toBe(before)
  })

  test('its cursor does not open', async () => {
    const query = { filters: {}, limit: 1 }
    const { next_cursor: cursor } = (await owner.post('/stores/search', query)).body
    expect((await owner.post('/stores/search', { ...query, cursor })).status).toBe(200)
    const reply = await others[who].post('/stores/search', { ...query, cursor })
    expect([reply.status, reply.body.error?.code]).toEqual([400, 'invalid_cursor'])
  })

  test('its reveal is neither replayed nor free', async () => {
    const [{ id }] = (await owner.post('/contacts/search', { store: { domains: ['first.example'] } })).body.data
    const headers = { 'idempotency-key': `once-${who}` }
    const body = { contact_ids: [id] }
    expect((await owner.post('/contacts/reveal', body, headers)).status).toBe(200)
    const reply = await others[who].post('/contacts/reveal', body, headers)
    expect(reply.headers.get('idempotent-replayed')).not.toBe('true')
    // The stranger pays; the sandbox has no contact with that id.
    if (who === 'stranger') expect(reply.body.credits.spent).toBe(1)
    else expect(reply.status).toBe(404)
  })
})
