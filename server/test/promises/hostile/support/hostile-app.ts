import { afterEach, expect } from 'vitest'
import { scopes } from '../../../../src/customers/auth/caller.ts'
import { createLogger } from '../../../../src/foundation/runtime/logger.ts'
import { call, type RawReply, sendRaw } from '../../../foundation/http/support/test-server.ts'
import { startTestApp, type TestApp, type TestKey } from '../../../support/app.ts'
import { createTestProvider } from '../../../support/billing-provider.ts'

/** A word that requests contain and logs must not; see `startHostileApp`. */
export const marker = 'zq7marker'

export const knownDomain = 'well-kept.example'

export interface HostileApp {
  app: TestApp
  /** The attacker's key, with all scopes and high limits. */
  key: TestKey
  /** Sends a raw body with the key, and checks the reply. */
  send(
    method: string,
    path: string,
    body: string | Uint8Array<ArrayBuffer>,
    headers?: Record<string, string>,
  ): Promise<RawReply>
  /** The same with POST. */
  post(path: string, body: string | Uint8Array<ArrayBuffer>, headers?: Record<string, string>): Promise<RawReply>
  /** Looks up a store with a raw path parameter. */
  lookup(domain: string): Promise<RawReply>
  /** Sends raw bytes, with the key in place of `{key}`, and checks each reply. */
  raw(bytes: string | Buffer, replies?: number): Promise<RawReply[]>
  /** The complete log, at every level. */
  log(): string
}

/**
 * Starts the production app with stores that a misread request would deliver and charge. After each test of the file it
 * must still answer, the key must have spent nothing, and neither keys nor the marker may be in the log.
 */
export async function startHostileApp(): Promise<HostileApp> {
  const lines: string[] = []
  const app = await startTestApp({
    now: '2026-11-10T12:00:00.000Z',
    billing: createTestProvider(),
    log: createLogger({ level: 'trace', destination: { write: (line: string) => void lines.push(line) } }),
  })
  await app.importStores([
    { domain: knownDomain, name: 'Well Kept', country: 'DE' },
    { domain: 'kept-too.example', name: 'Kept Too', country: 'FR' },
  ])
  await app.importContacts([
    { store_domain: knownDomain, first_name: 'Willa', profile_url: 'https://people.example/willa' },
  ])
  const key = await app.key({ scopes, limits: { requests_per_minute: 1_000_000, requests_per_day: 1_000_000 } })
  const secretPart = key.secret.slice(-38)
  let spent = [0, 0, 0, 0]

  afterEach(async () => {
    expect((await call(`${app.url}/readyz`)).status, 'the server still answers').toBe(200)
    const usage = (await key.get('/usage')).body
    const used = [usage.search_rows.used, usage.store_exports.used, usage.contact_credits.used]
    const { rows } = await app.db.query('select count(*) as entries from ledger where account_id = $1', [
      app.accountNumber(key.account),
    ])
    const before = spent
    // Reset, so that each test is checked for its own charges.
    spent = [...used, rows[0].entries]
    expect(spent, 'nothing was spent').toEqual(before)
    const logged = lines.join('')
    expect(logged).toContain('"request_id"')
    for (const secret of [secretPart, 'Bearer', marker])
      expect(logged.includes(secret), `${secret} in the log`).toBe(false)
  })

  const { paths } = (await app.anon.get('/openapi.json')).body
  const templates = Object.keys(paths).map((template) => ({
    template,
    pattern: new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  }))
  const expectDocumented = (path: string, method: string, { status, body }: RawReply) => {
    if (body.includes('"route_not_found"')) return
    const template = path in paths ? path : templates.find(({ pattern }) => pattern.test(path))!.template
    const { responses } = paths[template][method]
    expect(Object.keys(responses), body).toContain(String(status))
    if (status < 400) return
    const examples = Object.values<{ value: { error: { code: string } } }>(
      responses[status].content['application/json'].examples,
    )
    const codes = examples.map(({ value }) => value.error.code)
    expect(codes, body).toContain(JSON.parse(body).error.code)
  }

  const api = `${app.url}/api/v1`
  const authorization = `Bearer ${key.secret}`
  const send: HostileApp['send'] = async (method, path, body, headers = {}) => {
    const sent = { authorization, 'content-type': 'application/json', ...headers }
    const reply = expectHarmlessReply(await call(api + path, { method, body, headers: sent }))
    expectDocumented(path, method.toLowerCase(), reply)
    return reply
  }
  return {
    app,
    key,
    send,
    post: (path, body, headers) => send('POST', path, body, headers),
    lookup: async (domain) => {
      const reply = expectHarmlessReply(await call(`${api}/stores/${domain}`, { headers: { authorization } }))
      expectDocumented('/stores/{domain}', 'get', reply)
      return reply
    },
    raw: async (bytes, replies) => {
      const withKey = typeof bytes === 'string' ? bytes.replaceAll('{key}', key.secret) : bytes
      const received = await sendRaw(Number(new URL(app.url).port), withKey, replies)
      return received.map(expectHarmlessReply)
    },
    log: () => lines.join(''),
  }
}

const typesByStatus: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'quota_error',
  403: 'permission_error',
  404: 'not_found_error',
  405: 'invalid_request_error',
  409: 'invalid_request_error',
  413: 'invalid_request_error',
  415: 'invalid_request_error',
  429: 'rate_limit_error',
  431: 'invalid_request_error',
}

/** Expects what holds for every reply: a request id, the error envelope, no server error, no internal details. */
export function expectHarmlessReply<T extends RawReply>(reply: T): T {
  const { status, headers, body } = reply
  const requestId = headers.get('x-request-id')
  expect(requestId).toMatch(/^req_[A-Za-z0-9]{20,}$/)
  expect(headers.get('x-content-type-options') ?? 'nosniff').toBe('nosniff')
  if (status < 400) return reply
  expect(Object.keys(typesByStatus).map(Number), body).toContain(status)
  if (body === '') return reply // the reply to HEAD
  const { error, ...rest } = JSON.parse(body)
  const { type, code, message, param, billing, request_id, ...more } = error
  expect({ rest, more }).toEqual({ rest: {}, more: {} })
  expect({ type, request_id }).toEqual({ type: typesByStatus[status], request_id: requestId })
  expect(code).toMatch(/^[a-z_]+$/)
  expect(message).toMatch(/^\S.{5,998}\.$/su)
  expect(['undefined', 'string']).toContain(typeof param)
  expect(billing === undefined || status === 402 || status === 403).toBe(true)
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(headers.get('cache-control')).toBe('no-store')
  expect(body).not.toMatch(/node_modules|\.ts:|\bat \w+ \(|select |insert |syntax error at|postgres|SQLSTATE/i)
  return reply
}

/** The code and param of an error reply. */
export function errorIn({ status, body }: RawReply): { status: number; code?: string; param?: string } {
  if (status < 400) return { status }
  const { code, param } = JSON.parse(body).error
  return { status, code, ...(param !== undefined && { param }) }
}

/** Runs `work` on every item, several at a time. */
export async function forEachInParallel<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const pending = items.values()
  const takeTurns = async () => {
    for (const item of pending) await work(item)
  }
  await Promise.all(Array.from({ length: 8 }, takeTurns))
}
