import { beforeAll, describe, expect, test } from 'vitest'
import { createLogger } from '../../../src/foundation/runtime/logger.ts'
import { addCrowd, generous, storedUsage } from '../../product/contacts/support/reveals.ts'
import { startTestApp, type TestApp, type TestKey } from '../../support/app.ts'
import { spentBy } from './support/account.ts'
import { connectAssistant } from './support/assistant.ts'
import { legacyCall, modernCall, modernHeaders, postMcp } from './support/messages.ts'

let app: TestApp
let crowd: string[]
let key: TestKey
let log = ''
beforeAll(async () => {
  const destination = {
    write: (line: string) => {
      log += line
    },
  }
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z', log: createLogger({ level: 'trace', destination }) })
  crowd = await addCrowd(app, 10)
  key = await app.key({ limits: generous })
})

const call = (name: string, args: object, more: object = {}, secret = key.secret) =>
  postMcp(app.url, secret, modernCall(name, args, more), modernHeaders(name))
const spentNothing = async (by: TestKey) => expect(Number((await storedUsage(app, by)).counted)).toBe(0)

describe('a request to /mcp', () => {
  test('needs a key', async () => {
    for (const secret of [
      null,
      'sdx_live_wrong',
      `${key.secret.slice(0, -1)}${key.secret.endsWith('a') ? 'b' : 'a'}`,
    ]) {
      const { status, headers, body } = await postMcp(app.url, secret, legacyCall('usage', {}))
      expect(status).toBe(401)
      expect(headers.get('www-authenticate')).toMatch(/^Bearer/)
      expect(JSON.stringify(body)).toMatch(/missing_api_key|invalid_api_key/)
    }
  })

  test('with a revoked or suspended key is refused before it lists tools', async () => {
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    const one = await app.key({})
    await app.suspendKey(one)
    expect((await postMcp(app.url, one.secret, list)).text).toContain('suspended_api_key')
    await app.resumeKey(one)
    expect((await postMcp(app.url, one.secret, list)).status).toBe(200)
    await app.revokeKey(one)
    const { status, text } = await postMcp(app.url, one.secret, list)
    expect(status).toBe(401)
    expect(text).toContain('revoked_api_key')
  })

  test('of a page of another site is refused', async () => {
    const before = await spentBy(app, key)
    for (const origin of ['https://evil.example', 'null', 'http://localhost.evil.example']) {
      const headers = { origin, 'sec-fetch-site': 'cross-site' }
      expect((await postMcp(app.url, key.secret, legacyCall('usage', {}), headers)).status, origin).toBe(403)
    }
    expect(await spentBy(app, key)).toEqual(before)
    expect((await postMcp(app.url, key.secret, legacyCall('usage', {}), { origin: app.url })).status).toBe(200)
  })

  test('that is malformed gets an error, and nothing is executed', async () => {
    const before = await spentBy(app, key)
    const bodies = ['', '{', 'null', '[]', '7', '"tools/call"', '{}', { jsonrpc: '1.0', id: 1, method: 'tools/list' }]
    const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`
    for (const body of [...bodies, deep, { jsonrpc: '2.0', id: {}, method: 'tools/call' }]) {
      const { status, text } = await postMcp(app.url, key.secret, body)
      expect(status, `${JSON.stringify(body).slice(0, 80)}: ${text}`).toBeGreaterThanOrEqual(400)
      expect(status, text).toBeLessThan(500)
      expect(text).not.toMatch(/\n +at |node_modules/)
    }
    expect(await spentBy(app, key)).toEqual(before)
  })

  test('of an unknown tool or revision says so', async () => {
    expect((await call('erase_everything', {})).text).toMatch(/not found|unknown/i)
    const future = modernCall('usage', {}, {}, '2099-01-01')
    const { status, text } = await postMcp(app.url, key.secret, future, modernHeaders('usage', '2099-01-01'))
    expect(status).toBe(400)
    expect(text).toContain('2026-07-28')
  })

  test('may hold several messages in the revision 2025-03-26, and each counts', async () => {
    const before = await spentBy(app, key)
    const batch = [legacyCall('usage', {}, 1), legacyCall('taxonomy_lookup', { facet: 'countries' }, 2)]
    const { status, text } = await postMcp(app.url, key.secret, batch, { 'mcp-protocol-version': '2025-03-26' })
    expect(status).toBe(200)
    for (const said of ['"id":1', '"id":2', 'contact_credits', 'Andorra']) expect(text).toContain(said)
    expect((await spentBy(app, key)).requests).toBe(before.requests + 2)
    const many = Array.from({ length: 500 }, (_, id) => legacyCall('usage', {}, id))
    expect((await postMcp(app.url, key.secret, many)).status).toBe(400)
  })

  test('other than POST is not allowed', async () => {
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const response = await fetch(`${app.url}/mcp`, { method, headers: { authorization: `Bearer ${key.secret}` } })
      expect([404, 405], method).toContain(response.status)
    }
  })
})

describe('a call', () => {
  test('with arguments that the API refuses gets its sentence, code and parameter', async () => {
    for (const [name, args, path, body] of [
      ['search_stores', { filters: { countries: ['XX'] } }, '/stores/search', undefined],
      ['search_stores', { filters: {}, limit: 101 }, '/stores/search', undefined],
      ['search_contacts', { person: { job: ['x'] } }, '/contacts/search', undefined],
      ['enrich_stores', { domains: [] }, '/stores/enrich', undefined],
      ['quote_reveal', { contact_ids: ['nobody'] }, '/quotes', { for: 'reveal', contact_ids: ['nobody'] }],
    ] as const) {
      const { error } = (await key.post(path, body ?? args)).body
      const { result } = (await call(name, args)).body
      expect(result.isError, name).toBe(true)
      for (const said of [error.message, error.code, error.param]) expect(result.content[0].text).toContain(said)
    }
  })

  test('with huge arguments is refused', async () => {
    const domains = Array.from({ length: 200_000 }, () => 'a.example')
    const { status, text } = await call('enrich_stores', { domains })
    expect(status === 413 || /too_large|must/.test(text), text.slice(0, 200)).toBe(true)
  })

  test('without the scope, or of an account that may not call, gets what the API says', async () => {
    const narrow = await app.key({ scopes: ['usage:read'] })
    const lapsed = await app.key({})
    await app.setAccount(lapsed.account, { status: 'canceled' })
    for (const [by, code] of [
      [narrow, 'insufficient_scope'],
      [lapsed, 'api_access_required'],
    ] as const) {
      const { error } = (await by.post('/stores/search', { filters: {} })).body
      expect(error.code).toBe(code)
      const { result } = (await call('search_stores', { filters: {} }, {}, by.secret)).body
      expect(result.isError).toBe(true)
      expect(result.content[0].text).toContain(error.message)
      expect(result.content[0].text).toContain(code)
    }
  })

  test('beside others of the same key is answered as its own, and each is counted', async () => {
    const many = await app.key({ limits: generous })
    const before = await spentBy(app, many)
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        index % 2 === 0
          ? call('get_store', { domain: 'crowd-0.example' }, {}, many.secret)
          : call('taxonomy_lookup', { facet: 'countries', text: 'German' }, {}, many.secret),
      ),
    )
    replies.forEach(({ text }, index) => void expect(text).toContain(index % 2 === 0 ? 'crowd-0.example' : 'Germany'))
    const after = await spentBy(app, many)
    expect(after.requests).toBe(before.requests + 12)
    expect(after.ledger).toEqual({ store_exports: 1 })
  })

  test('beyond the limit of the minute is refused as by the API', async () => {
    const few = await app.key({ limits: { requests_per_minute: 2 } })
    for (let i = 0; i < 2; i++) expect((await call('usage', {}, {}, few.secret)).body.result.isError).toBeFalsy()
    const { result } = (await call('usage', {}, {}, few.secret)).body
    expect(result.isError).toBe(true)
    expect(result.content[0].text).toContain('rate_limit_exceeded')
  })
})

describe('the answer of a person', () => {
  const ask = async (by: TestKey, ids: string[]) => {
    const { body } = await call('reveal_contacts', { contact_ids: ids }, {}, by.secret)
    expect(body.result.resultType).toBe('input_required')
    const { requestState, inputRequests } = body.result
    const inputResponses = Object.fromEntries(
      Object.keys(inputRequests).map((name) => [name, { action: 'accept', content: {} }]),
    )
    return { requestState: requestState as string, inputResponses }
  }
  const send = (by: TestKey, ids: string[], more: object) =>
    call('reveal_contacts', { contact_ids: ids }, more, by.secret)

  test('counts only for the question that was asked, of this account', async () => {
    const one = await app.key({ limits: generous })
    const other = await app.key({ limits: generous })
    const ids = crowd.slice(0, 2)
    const answer = await ask(one, ids)
    const middle = Math.floor(answer.requestState.length / 2)
    const letter = answer.requestState[middle] === 'A' ? 'B' : 'A'
    const tampered = answer.requestState.slice(0, middle) + letter + answer.requestState.slice(middle + 1)
    await send(one, ids, { ...answer, requestState: tampered })
    await send(one, ids, { inputResponses: answer.inputResponses })
    await send(one, ids, { requestState: answer.requestState })
    await send(one, crowd.slice(2, 5), answer)
    await send(other, ids, answer)
    await spentNothing(one)
    await spentNothing(other)
    const { body } = await send(one, ids, answer)
    expect(body.result.structuredContent.data).toHaveLength(2)
    await send(one, ids, answer)
    expect(Number((await storedUsage(app, one)).counted)).toBe(2)
  })
})

test('logs hold neither keys, channels nor links for payment', async () => {
  const paying = await app.key({ limits: { ...generous, contact_credits: 1 } })
  const assistant = await connectAssistant({ era: '2026', road: 'http', url: app.url, secret: paying.secret })
  expect((await assistant.call('reveal_contacts', { contact_ids: crowd.slice(0, 1) })).text).toContain('@crowd.example')
  await assistant.call('reveal_contacts', { contact_ids: crowd })
  expect(log).toContain('/mcp')
  const lines = log.split('\n')
  expect(lines.filter((line) => /@crowd\.example|sdx_live_[0-9A-Za-z]{20}|checkout|portal/.test(line))).toEqual([])
  expect(lines.filter((line) => /internal_error|"aborted"/.test(line))).toEqual([])
})
