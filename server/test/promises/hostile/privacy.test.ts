import type pg from 'pg'
import { beforeAll, describe, expect, test } from 'vitest'
import { scopes } from '../../../src/customers/auth/caller.ts'
import { newApiKey } from '../../../src/foundation/kernel/api-key.ts'
import { createLogger } from '../../../src/foundation/runtime/logger.ts'
import { call, type RawReply, sendRaw } from '../../foundation/http/support/test-server.ts'
import { startTestApp, type TestKey } from '../../support/app.ts'
import { atEnd } from '../../support/cleanup.ts'
import { connectClient } from '../../support/database.ts'
import { operations } from '../access/support/operations.ts'
import { expectHarmlessReply, marker } from './support/hostile-app.ts'

const lines: string[] = []
const app = await startTestApp({
  now: '2026-11-10T12:00:00.000Z',
  log: createLogger({ level: 'trace', destination: { write: (line: string) => void lines.push(line) } }),
})
const shop = 'discreet-shop.example'
await app.importStores([{ domain: shop, name: 'Discreet Shop', lead_fit_score: 50 }])
await app.importContacts([{ store_domain: shop, first_name: 'Ottoline', last_name: 'Mumford', seniority: 'executive' }])
const key = await app.key({ scopes, limits: { requests_per_minute: 10_000 } })

const strangers = { unknown: newApiKey('live'), malformed: `sdx_live_${marker}`, password: 'hunter2-hunter2' }
const person = 'mara.private@people.example'

/** Words that occur in requests or in the database, and must not occur in log lines. */
const secrets = [
  key.secret,
  key.secret.slice(-38),
  key.secret.slice(9, 25),
  strangers.unknown.slice(9, 25),
  strangers.password,
  marker,
  person,
  'Bearer',
  'Basic',
  'Ottoline',
  'M***',
  'Discreet',
  shop,
]

function expectDiscretion(): void {
  const text = lines.join('')
  expect(text).toContain('"status":')
  for (const secret of secrets) expect(text.includes(secret), `${secret} in the log`).toBe(false)
}

const api = `${app.url}/api/v1`
const json = { 'content-type': 'application/json' }
const authorization = `Bearer ${key.secret}`

async function send(method: string, path: string, body?: string, headers: Record<string, string> = {}) {
  return call(api + path, {
    method,
    headers: { authorization, ...(body !== undefined && json), ...headers },
    ...(body !== undefined && { body }),
  })
}

describe('the log at trace level contains nothing of', () => {
  test('successful requests', async () => {
    for (const { method, path, body } of Object.values(operations))
      await send(method, path, body && JSON.stringify(body))
    const url = `https://mara:${strangers.password}@www.${shop}/private?email=${person}#${marker}`
    const { domain } = JSON.parse((await send('GET', `/stores/${encodeURIComponent(url)}`)).body)
    expect(domain).toBe(shop)
    const enrichment = { domains: [url], include: ['contact_previews'], max_contacts_per_store: 10 }
    const enriched = await send('POST', '/stores/enrich', JSON.stringify(enrichment))
    expect(enriched.body).toContain('Ottoline')
    const { next_cursor, data } = JSON.parse((await send('POST', '/stores/search', '{"filters":{},"limit":1}')).body)
    expect([next_cursor, data[0].domain]).toEqual([null, shop])
    expectDiscretion()
  })

  test('keys, wherever a caller sends them', async () => {
    for (const secret of [key.secret, strangers.unknown, strangers.malformed])
      for (const path of [`/usage?api_key=${secret}`, `/${secret}`, `/stores/${secret}`, `/stores/${secret}.example`]) {
        await call(api + path, { headers: { 'x-api-key': secret, cookie: `key=${secret}` } })
        await call(api + path, { headers: { authorization: `Basic ${btoa(`${secret}:${strangers.password}`)}` } })
        await call(api + path, { headers: { authorization: `Bearer ${secret}`, 'x-request-id': secret } })
        await call(api + path, { headers: { authorization: secret, referer: `https://x.example/?${secret}` } })
        await send('POST', '/stores/search', `{"${secret}":"${secret}"}`, { 'user-agent': secret })
        await send('POST', '/stores/enrich', JSON.stringify({ domains: [secret, `https://${secret}@x.example`] }))
      }
    expectDiscretion()
  })

  test('rejected requests', async () => {
    const refused: RawReply[] = [
      await send('GET', `/stores/${encodeURIComponent(`${marker} ${person}`)}`),
      await send(
        'GET',
        `/stores/${encodeURIComponent(`https://mara:${strangers.password}@unknown.example/?q=${marker}`)}`,
      ),
      await send('POST', '/stores/search', `{"filters":{"countries":["${marker}"]}}`),
      await send('POST', '/stores/search', `{"filters":{"${marker}":"${person}"}}`),
      await send('POST', '/stores/search', `{"filters":{"store_created_at":{"from":"${marker}"}}}`),
      await send('POST', '/stores/search', `{"filters":{},"cursor":"cur_${marker}"}`),
      await send('POST', '/stores/search', `{"${marker}`),
      await send('POST', '/stores/search', `"${person}"`, { 'content-type': `text/${marker}` }),
      await send('POST', '/stores/search', `"${marker.repeat(200_000)}"`),
      await send('POST', '/stores/enrich', `{"domains":["${person}/","${marker}"]}`),
      await send('DELETE', `/usage?${person}`),
      await send('PATCH', `/${marker}/${person}`),
      ...(await sendRaw(Number(new URL(app.url).port), `GET /${marker} ${person}\r\n\r\n`)),
      ...(await sendRaw(Number(new URL(app.url).port), `GET / HTTP/1.1\r\nA: ${marker.repeat(3_000)}\r\n\r\n`)),
    ]
    for (const reply of refused) expect(expectHarmlessReply(reply).status).toBeGreaterThanOrEqual(400)
    expectDiscretion()
  })
})

describe('when the database fails', () => {
  const connect = () => connectClient(app.deps.databaseUrl)
  // A session sees the others' activity only outside a transaction, so one session holds the lock and another one
  // observes.
  let holder: pg.Client
  let watcher: pg.Client
  beforeAll(async () => {
    holder = await connect()
    watcher = await connect()
  })
  atEnd(() => Promise.all([holder.end(), watcher.end()]))

  const ofTheApp = "datname = current_database() and application_name = 'storedex test'"
  /** Ends every connection of the service, and waits until the idle ones are gone too. */
  const terminate = async () => {
    const query = `select pid, pg_terminate_backend(pid) from pg_stat_activity where ${ofTheApp}`
    const ended = (await watcher.query(query)).rows.map((row) => row.pid)
    const countLeft = async () => {
      const left = 'select count(*)::integer as left from pg_stat_activity where pid = any($1)'
      return (await watcher.query(left, [ended])).rows[0].left
    }
    await expect.poll(countLeft).toBe(0)
  }
  const cancel = () => watcher.query(`select pg_cancel_backend(pid) from pg_stat_activity where ${ofTheApp}`)
  const countWaiting = async () => {
    const query = `select count(*)::integer as waiting from pg_stat_activity where ${ofTheApp} and wait_event_type = 'Lock'`
    return (await watcher.query(query)).rows[0].waiting
  }

  /** The replies to requests that wait for a locked table when the database fails. */
  async function failWaiting(table: string, begin: () => Promise<RawReply>[], fail: () => Promise<unknown>) {
    await holder.query(`begin; lock table ${table} in access exclusive mode`)
    try {
      const replies = begin()
      await expect.poll(countWaiting).toBe(replies.length)
      await fail()
      return await Promise.all(replies)
    } finally {
      await holder.query('rollback')
    }
  }

  // Of different accounts: those of one account would wait for each other, not for the lock.
  const others: TestKey[] = []
  beforeAll(async () => {
    for (let count = 0; count < 2; count++)
      others.push(await app.key({ scopes, limits: { requests_per_minute: 10_000 } }))
    // What is known of a key lets its requests be charged at once.
    await Promise.all(requests())
  })
  const requests = () => {
    const [one, two] = others.map(({ secret }) => ({ authorization: `Bearer ${secret}` }))
    const enriched = `{"domains":["https://mara:${strangers.password}@${shop}/${marker}"]}`
    return [
      send('GET', `/stores/${shop}`, undefined, one),
      send('POST', '/stores/search', '{"filters":{}}'),
      send('POST', '/stores/enrich', enriched, two),
    ]
  }

  function expectUnavailable(reply: RawReply): void {
    const { error } = JSON.parse(reply.body)
    expect({ status: reply.status, type: error.type, code: error.code }).toEqual({
      status: 503,
      type: 'server_error',
      code: 'service_unavailable',
    })
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    expect(error.request_id).toBe(reply.headers.get('x-request-id'))
    expect(Object.keys(error).sort()).toEqual(['code', 'message', 'request_id', 'type'])
    // The request id is random and may contain any short word.
    expect(error.message).not.toMatch(/terminat|cancel|connection|statement|sql|backend|postgres|\bat /i)
  }

  test.each([
    ['its connections are cut', terminate],
    ['its statements are cancelled', cancel],
  ])(
    'because %s within a request, the caller is told to come back, and the log no more than why',
    async (_how, fail) => {
      const before = lines.length
      for (const table of ['api_keys', 'usage_counters']) {
        for (const reply of await failWaiting(table, requests, fail)) expectUnavailable(reply)
        for (const reply of await Promise.all(requests())) expect(reply.status).toBe(200)
      }
      const failures = lines.slice(before).filter((line) => line.includes('"status":503'))
      expect(failures).toHaveLength(6)
      for (const line of failures) expect(JSON.parse(line).cause.code).toMatch(/^57/)
      expectDiscretion()
      // Undelivered replies were not charged, and delivered ones were charged once.
      const usage = (await key.get('/usage')).body
      const { rows } = await app.db.query(
        'select meter, sum(amount) as total from ledger where account_id = $1 group by meter order by meter',
        [app.accountNumber(key.account)],
      )
      expect(rows).toEqual([
        { meter: 'search_rows', total: usage.search_rows.used },
        { meter: 'store_exports', total: 1 },
      ])
    },
  )

  test('unexpectedly, the reply has no details and the log has the stack', async () => {
    const before = lines.length
    await watcher.query('alter table store_domains rename column host to elsewhere')
    try {
      for (const reply of [
        // A store that the service has in memory needs no row of this table.
        await send('GET', '/stores/never-seen.example'),
        await send('POST', '/stores/enrich', `{"domains":["${shop}","${marker}.example"]}`),
      ]) {
        const { error } = JSON.parse(reply.body)
        expect({ status: reply.status, code: error.code }).toEqual({ status: 500, code: 'internal_error' })
        expect(Object.keys(error).sort()).toEqual(['code', 'message', 'request_id', 'type'])
        expect(error.message).not.toMatch(/host|column|store_domains|select|42703|node_modules|\.ts|\bat /)
      }
    } finally {
      await watcher.query('alter table store_domains rename column elsewhere to host')
    }
    const failures = lines.slice(before).map((line) => JSON.parse(line))
    expect(failures).toMatchObject([
      { level: 50, route: '/api/v1/stores/:domain', status: 500, cause: { code: '42703' } },
      { level: 50, route: '/api/v1/stores/enrich', status: 500, cause: { code: '42703' } },
    ])
    expectDiscretion()
    expect((await send('GET', `/stores/${shop}`)).status).toBe(200)
  })
})
