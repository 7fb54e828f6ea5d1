import { beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../support/app.ts'
import { createConsoleClient } from '../../support/user.ts'
import { type ProviderAccount, startOpenIdProvider, type TestProvider } from './support/openid-provider.ts'
import { givePassword, goodPassword, newBrowser } from './support/users.ts'

const publicUrl = 'http://console.example'
let provider: TestProvider
let app: TestApp
let open: TestApp
beforeAll(async () => {
  provider = await startOpenIdProvider()
  const environment = {
    PUBLIC_URL: publicUrl,
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: 'storedex',
    OIDC_CLIENT_SECRET: 'very secret',
    OIDC_NAME: 'Example Login',
  }
  const now = '2026-11-10T12:00:00.000Z'
  app = await startTestApp({ now, environment })
  const mail = { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'storedex@mail.example', SIGNUP: 'open' }
  open = await startTestApp({ now, environment: { ...environment, ...mail } })
})

const refused = `${publicUrl}/sign-in?problem=provider`

/** The browser is sent to the provider. */
async function start(at: TestApp, next = '') {
  const reply = await newBrowser(at).get(`/openid/start${next}`)
  const [cookie] = reply.headers.getSetCookie()
  return { reply, url: reply.headers.get('location')!, cookie: cookie?.split(';')[0] ?? '' }
}

/** The browser comes back. */
async function finish(at: TestApp, cookie: string, query: string) {
  const reply = await createConsoleClient(at.url, cookie).get(`/openid/return${query}`)
  const session = reply.headers.getSetCookie().find((each) => each.startsWith('storedex_session='))
  return { status: reply.status, location: reply.headers.get('location'), session: session?.split(';')[0] ?? null }
}

async function signIn(at: TestApp, account: ProviderAccount, next = '') {
  const { url, cookie } = await start(at, next)
  return finish(at, cookie, provider.signIn(url, account))
}

const userOf = async (at: TestApp, cookie: string | null) =>
  (await createConsoleClient(at.url, cookie).get('/session')).body.person

describe('signing in with the provider', () => {
  test('opens a session for somebody whose address it has verified, and leads to where they wanted to go', async () => {
    const { id, email } = await app.person()
    const { reply, url } = await start(app)
    expect(reply.status).toBe(303)
    expect(url).toMatch(new RegExp(`^${provider.issuer}/authorize\\?`))
    expect(reply.headers.getSetCookie()[0]).toMatch(
      /^storedex_openid=[\w-]{43}; Max-Age=900; Path=\/; HttpOnly; SameSite=Lax$/,
    )
    const next = `?next=${encodeURIComponent('/usage?by=day')}`
    const result = await signIn(app, { sub: 'mara', email: email.toUpperCase(), email_verified: true }, next)
    expect(result).toMatchObject({ status: 303, location: `${publicUrl}/usage?by=day` })
    expect(await userOf(app, result.session)).toMatchObject({ id, email })
  })

  test('knows the person by the provider’s name for them afterwards, whatever their address is there', async () => {
    const { id, email } = await app.person()
    await signIn(app, { sub: 'renamed', email, email_verified: true })
    const again = await signIn(app, { sub: 'renamed', email: 'new-name@people.example' })
    expect(await userOf(app, again.session)).toMatchObject({ id })
  })

  test('leads nowhere else', async () => {
    const { email } = await app.person()
    for (const next of ['//elsewhere.example', 'https://elsewhere.example', '/\\elsewhere.example', 'javascript:1']) {
      const result = await signIn(
        app,
        { sub: 'curious', email, email_verified: true },
        `?next=${encodeURIComponent(next)}`,
      )
      expect(result.location).toBe(`${publicUrl}/`)
    }
  })

  test.each([
    ['an address that it has not verified', (email: string) => ({ sub: 'a', email, email_verified: false })],
    ['an address without saying that it verified it', (email: string) => ({ sub: 'b', email })],
    ['no address', () => ({ sub: 'c' })],
    ['the address of nobody', () => ({ sub: 'd', email: 'nobody@people.example', email_verified: true })],
  ])('refuses %s', async (_what, accountOf) => {
    const { email } = await app.person()
    expect(await signIn(app, accountOf(email))).toEqual({ status: 303, location: refused, session: null })
  })

  test('refuses a second account at the provider with the same address', async () => {
    const { email } = await app.person()
    await signIn(app, { sub: 'first', email, email_verified: true })
    expect((await signIn(app, { sub: 'second', email, email_verified: true })).session).toBeNull()
  })

  test('leaves nothing that somebody else may have prepared: password, passkeys, sessions, links', async () => {
    const earlier = await app.person()
    await givePassword(app, earlier.email)
    const stillIn = await app.person({ email: earlier.email, account: earlier.account })
    const userId = app.deps.ids.open(earlier.id)!.value
    await app.db.query(
      `insert into passkeys (person_id, credential_id, public_key, sign_count, transports, name, created_at)
       values ($1::bigint, '\\x01', '\\x01', 0, '{}', 'theirs', now())`,
      [userId],
    )
    await signIn(app, { sub: 'owner', email: earlier.email, email_verified: true })
    expect((await stillIn.get('/session')).status).toBe(401)
    const byPassword = await newBrowser(app).post('/sign-in', { email: earlier.email, password: goodPassword })
    expect(byPassword.status).toBe(401)
    expect((await app.db.query('select from passkeys where person_id = $1::bigint', [userId])).rowCount).toBe(0)

    // Later sign-ins leave what the user has set up themselves.
    await givePassword(app, earlier.email)
    await signIn(app, { sub: 'owner', email: earlier.email, email_verified: true })
    const again = await newBrowser(app).post('/sign-in', { email: earlier.email, password: goodPassword })
    expect(again.status).toBe(200)
  })
})

describe('the return from the provider', () => {
  test('works once, and only in the browser that began', async () => {
    const { email } = await app.person()
    const account = { sub: 'once', email, email_verified: true }
    const [victim, attacker] = [await start(app), await start(app)]
    const query = provider.signIn(attacker.url, account)
    // The attacker's return, in the browser of the victim and in one that began nothing.
    expect((await finish(app, victim.cookie, query)).session).toBeNull()
    expect((await finish(app, '', query)).session).toBeNull()
    expect((await finish(app, attacker.cookie, query)).session).not.toBeNull()
    expect((await finish(app, attacker.cookie, provider.signIn(attacker.url, account))).session).toBeNull()
  })

  test('is refused after fifteen minutes', async () => {
    const { email } = await app.person()
    const { url, cookie } = await start(app)
    app.clock.advance(15 * 60_000)
    expect(
      (await finish(app, cookie, provider.signIn(url, { sub: 'late', email, email_verified: true }))).session,
    ).toBeNull()
  })

  test.each([
    ['for another client', { aud: 'somebody-else' }],
    ['of another issuer', { iss: 'https://elsewhere.example' }],
    ['with another nonce', { nonce: 'another' }],
    ['that has expired', { exp: 1 }],
  ])('is refused with an ID token %s', async (_what, change) => {
    const { email } = await app.person()
    provider.tamper = (claims) => ({ ...claims, ...change })
    try {
      const account = { sub: crypto.randomUUID(), email, email_verified: true }
      expect(await signIn(app, account)).toEqual({ status: 303, location: refused, session: null })
    } finally {
      provider.tamper = (claims) => claims
    }
  })

  test('with an error or with nothing leads to the sign-in page', async () => {
    for (const query of ['', '?error=access_denied', '?code=x', '?code=x&state=y']) {
      const { cookie } = await start(app)
      expect(await finish(app, cookie, query)).toEqual({ status: 303, location: refused, session: null })
    }
  })
})

test('where strangers may sign up, the provider’s word for their address is enough', async () => {
  const account = {
    sub: 'stranger',
    email: 'stranger@people.example',
    email_verified: true,
    name: 'Ada  Lo\u0000v\nelace',
  }
  const result = await signIn(open, account)
  const { body } = await createConsoleClient(open.url, result.session).get('/session')
  expect(body).toMatchObject({
    person: { email: 'stranger@people.example', name: 'Ada Lo v elace', operator: false },
    accounts: [{ name: 'Ada Lo v elace', role: 'owner', api_access: false, plan: { slug: 'free' } }],
  })
  const again = await signIn(open, account)
  expect((await userOf(open, again.session)).id).toBe(body.person.id)
  const unverified = { sub: 'liar', email: 'liar@people.example', email_verified: false }
  expect((await signIn(open, unverified)).session).toBeNull()
})

test('a provider that does not answer leads to the sign-in page; without one there is nothing', async () => {
  const now = '2026-11-10T12:00:00.000Z'
  const settings = { OIDC_ISSUER: 'http://127.0.0.1:1', OIDC_CLIENT_ID: 'a', OIDC_CLIENT_SECRET: 'b' }
  const unreachable = await startTestApp({ now, environment: { PUBLIC_URL: publicUrl, ...settings } })
  const reply = await newBrowser(unreachable).get('/openid/start')
  expect([reply.status, reply.headers.get('location')]).toEqual([303, refused])
  const without = await startTestApp({ now })
  for (const path of ['/openid/start', '/openid/return']) expect((await newBrowser(without).get(path)).status).toBe(404)
})

test('over https the cookie of a sign-in that has begun can be set by no other host', async () => {
  const secure = await startTestApp({
    now: '2026-11-10T12:00:00.000Z',
    environment: {
      PUBLIC_URL: 'https://console.example',
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: 'storedex',
      OIDC_CLIENT_SECRET: 'very secret',
    },
  })
  const { email } = await secure.person()
  const account = { sub: 'secure', email, email_verified: true }
  const { reply, url, cookie } = await start(secure)
  expect(reply.headers.getSetCookie()[0]).toMatch(
    /^__Host-storedex_openid=[\w-]{43}; Max-Age=900; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
  )
  const query = provider.signIn(url, account)
  const sessionAfter = async (sent: string) =>
    (await createConsoleClient(secure.url, sent).get(`/openid/return${query}`)).headers
      .getSetCookie()
      .find((each) => each.startsWith('__Host-storedex_session='))
  expect(await sessionAfter(cookie.replace('__Host-', ''))).toBeUndefined()
  expect(await sessionAfter(cookie)).toBeDefined()
})
