import { beforeAll, describe, expect, test } from 'vitest'
import { expireUsers } from '../../../src/customers/users/expire.ts'
import { hashToken } from '../../../src/customers/users/tokens.ts'
import { startTestApp, type TestApp } from '../../support/app.ts'
import { createConsoleClient, type TestUser } from '../../support/user.ts'
import { browserAfter, cookieOf, givePassword, goodPassword, newBrowser, newLink } from './support/users.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
})

const days = 86_400_000
const statusOf = async (user: { get: TestUser['get'] }) => (await user.get('/session')).status

describe('a session', () => {
  test('tells who is signed in, their accounts and what the installation can do', async () => {
    const user = await app.person({ name: 'Mara Vogt', role: 'admin' })
    await app.setAccount(user.account, { plan: 'business' })
    expect((await user.get('/session')).body).toEqual({
      object: 'session',
      person: { id: user.id, email: user.email, name: 'Mara Vogt', operator: false },
      accounts: [
        {
          id: user.account,
          name: 'Test account',
          role: 'admin',
          api_access: true,
          plan: { slug: 'business', name: 'Business', status: 'active' },
        },
      ],
      see_as: null,
      signed_in_at: app.clock.now().toISOString(),
      settings: {},
      features: { mail: false, oidc: null, signup: false },
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      request_id: expect.stringMatching(/^req_/),
    })
  })

  test('ends 14 days after its last use', async () => {
    const user = await app.person()
    app.clock.advance(13 * days)
    expect(await statusOf(user)).toBe(200)
    app.clock.advance(14 * days - 1)
    expect(await statusOf(user)).toBe(200)
    app.clock.advance(14 * days)
    expect(await statusOf(user)).toBe(401)
  })

  test('ends after 90 days, however much it is used', async () => {
    const user = await app.person()
    for (let day = 9; day < 90; day += 9) {
      app.clock.advance(9 * days)
      expect(await statusOf(user)).toBe(200)
    }
    app.clock.advance(9 * days - 1)
    expect(await statusOf(user)).toBe(200)
    app.clock.advance(1)
    expect(await statusOf(user)).toBe(401)
  })

  test('is written at most once a minute', async () => {
    const user = await app.person()
    const seen = async () => {
      const userId = app.deps.ids.open(user.id)!.value
      const { rows } = await app.db.query('select last_seen_at from sessions where person_id = $1::bigint', [userId])
      return rows[0].last_seen_at.getTime()
    }
    const start = app.clock.now().getTime()
    app.clock.advance(59_999)
    await user.get('/session')
    expect(await seen()).toBe(start)
    app.clock.advance(1)
    await Promise.all([user.get('/session'), user.get('/session')])
    expect(await seen()).toBe(start + 60_000)
  })

  test('is over for good after a sign-out, also for whoever copied its cookie', async () => {
    const user = await app.person()
    const thief = createConsoleClient(app.url, user.cookie)
    const reply = await user.post('/sign-out')
    expect(reply.headers.getSetCookie()).toEqual([
      'storedex_session=; Max-Age=0; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; SameSite=Lax',
    ])
    expect(await statusOf(thief)).toBe(401)
    expect((await thief.post('/sign-out')).status).toBe(401)
  })

  test('is stored as the hash of its token only', async () => {
    const { cookie } = await app.person()
    const token = cookie.split('=')[1]!
    const { rows } = await app.db.query('select * from sessions where token_hash = $1::bytea', [hashToken(token)])
    expect(rows).toHaveLength(1)
    const { rows: all } = await app.db.query('select sessions::text as row from sessions')
    expect(all.map(({ row }) => row).join()).not.toContain(token)
    expect(all.map(({ row }) => row).join()).not.toContain(Buffer.from(token).toString('hex'))
  })

  test('cannot be chosen by whoever plants a cookie: signing in gives another token', async () => {
    const { email } = await app.person()
    await givePassword(app, email)
    const planted = `storedex_session=${'A'.repeat(43)}`
    const reply = await createConsoleClient(app.url, planted).post('/sign-in', { email, password: goodPassword })
    expect(cookieOf(reply)).not.toBe(planted)
    expect(await statusOf(createConsoleClient(app.url, planted))).toBe(401)

    // Nor by whoever signs in as themselves in the victim's browser.
    const attacker = await app.person()
    const token = await newLink(app, email)
    const victim = await createConsoleClient(app.url, attacker.cookie).post('/link', { token })
    expect((await browserAfter(app, victim).get('/session')).body.person.email).toBe(email)
    expect(await statusOf(attacker)).toBe(401)
  })

  test('ends with a new password, like all others of the person, and nobody else’s', async () => {
    const first = await app.person()
    const second = await app.person({ email: first.email, account: first.account })
    const other = await app.person({ account: first.account })
    const reply = await givePassword(app, first.email)
    expect([await statusOf(first), await statusOf(second), await statusOf(other)]).toEqual([401, 401, 200])
    expect(await statusOf(browserAfter(app, reply))).toBe(200)
  })

  test('of a removed person is over', async () => {
    const user = await app.person()
    await app.db.query('delete from people where id = $1::bigint', [app.deps.ids.open(user.id)!.value])
    expect(await statusOf(user)).toBe(401)
  })
})

test('settings are kept per person, up to 16 KB, and nothing that cannot be stored', async () => {
  const [user, other] = [await app.person(), await app.person()]
  const settings = { theme: 'dark', columns: ['domain', 'country'], nested: { deep: [1, null, true] }, text: '\\u0000' }
  expect((await user.put('/settings', { settings })).status).toBe(200)
  expect((await user.get('/session')).body.settings).toEqual(settings)
  expect((await other.get('/session')).body.settings).toEqual({})
  for (const [refused, code] of [
    [{ long: 'x'.repeat(16_384) }, 'payload_too_large'],
    [{ text: 'a\0b' }, 'invalid_request'],
    [{ '\ud800': 1 }, 'invalid_request'],
    [[1], 'invalid_request'],
  ] as const)
    expect((await user.put('/settings', { settings: refused })).body.error.code).toBe(code)
  expect((await user.get('/session')).body.settings).toEqual(settings)
})

test('what is over is deleted, and nothing else', async () => {
  const over = await app.person()
  await newLink(app, over.email)
  await newBrowser(app).post('/passkeys/sign-in-options')
  await newBrowser(app).post('/sign-in', { email: over.email, password: 'wrong' })
  app.clock.advance(14 * days)
  const running = await app.person()
  await newLink(app, running.email)
  await expireUsers(app.deps.db, app.clock.now())
  const left = async (table: string) => Number((await app.db.query(`select count(*) from ${table}`)).rows[0].count)
  expect(await left('sessions')).toBe(1)
  expect(await left('sign_in_links')).toBe(1)
  expect(await left('challenges')).toBe(0)
  expect(await left('attempt_windows')).toBe(0)
  expect(await statusOf(running)).toBe(200)
})

describe('the cookie over https', () => {
  test('has the prefix that no other host can set, and no plain cookie counts', async () => {
    const secure = await startTestApp({
      now: '2026-11-10T12:00:00.000Z',
      environment: { PUBLIC_URL: 'https://storedex.example' },
    })
    const { email, cookie: plain } = await secure.person()
    const token = await newLink(secure, email)
    const reply = await createConsoleClient(secure.url, null).post('/link', { token })
    const [cookie] = reply.headers.getSetCookie()
    expect(cookie).toMatch(
      /^__Host-storedex_session=[\w-]{43}; Max-Age=7776000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    )
    expect(await statusOf(createConsoleClient(secure.url, cookieOf(reply)))).toBe(200)
    expect(await statusOf(createConsoleClient(secure.url, plain))).toBe(401)
    expect(await statusOf(createConsoleClient(secure.url, cookieOf(reply).replace('__Host-', '')))).toBe(401)
  })

  test('is the same when a trusted proxy says so', async () => {
    const proxied = await startTestApp({
      now: '2026-11-10T12:00:00.000Z',
      environment: { TRUST_PROXY: 'loopback' },
    })
    const { email } = await proxied.person()
    const token = await newLink(proxied, email)
    const https = { 'x-forwarded-proto': 'https' }
    const reply = await createConsoleClient(proxied.url, null).post('/link', { token }, https)
    expect(cookieOf(reply)).toMatch(/^__Host-/)
    expect((await createConsoleClient(proxied.url, cookieOf(reply)).get('/session', https)).status).toBe(200)
  })
})
