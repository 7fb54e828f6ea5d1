import { beforeAll, describe, expect, test } from 'vitest'
import { passkeySiteOf } from '../../../src/customers/users/passkeys/passkeys.ts'
import { startTestApp, type TestApp } from '../../support/app.ts'
import type { TestReply } from '../../support/client.ts'
import { type ConsoleClient, createConsoleClient, type TestUser } from '../../support/user.ts'
import { type Authenticator, createAuthenticator } from './support/authenticator.ts'
import { browserAfter, newBrowser } from './support/users.ts'

let app: TestApp
/** Passkeys need a host name, so browsers would be at `localhost`. */
let origin: string
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  origin = app.url.replace('127.0.0.1', 'localhost')
  app.url = origin
})

const here = () => ({ origin })
const codeOf = ({ status, body }: TestReply) => `${status} ${body?.error?.code ?? body?.object}`

async function optionsFor(browser: ConsoleClient, kind: 'sign-in-options' | 'registration-options') {
  const { body } = await browser.post(`/passkeys/${kind}`, undefined, here())
  return body.options
}

async function register(user: TestUser, authenticator: Authenticator, name = 'Laptop'): Promise<TestReply> {
  const response = authenticator.create(await optionsFor(user, 'registration-options'), origin)
  return user.post('/passkeys', { name, response }, here())
}

async function signIn(authenticator: Authenticator): Promise<TestReply> {
  const browser = newBrowser(app)
  const response = authenticator.get(await optionsFor(browser, 'sign-in-options'), origin)
  return browser.post('/passkeys/sign-in', { response }, here())
}

/** Somebody at `localhost`, as `app.user` signs in at 127.0.0.1. */
const somebody = async (): Promise<TestUser> => {
  const user = await app.person()
  return { ...user, ...createConsoleClient(origin, user.cookie) }
}

async function somebodyWithPasskey() {
  const [user, authenticator] = [await somebody(), createAuthenticator()]
  const { status, body } = await register(user, authenticator)
  expect(status).toBe(200)
  return { person: user, authenticator, passkey: body.id as string }
}

describe('a passkey', () => {
  test('is added by somebody who is signed in, listed, and removed', async () => {
    const { person: user, passkey } = await somebodyWithPasskey()
    const { body } = await user.get('/passkeys')
    expect(body.data).toEqual([
      { object: 'passkey', id: passkey, name: 'Laptop', created_at: app.clock.now().toISOString(), last_used_at: null },
    ])
    expect(passkey).toMatch(/^psk_[A-Za-z]{16}$/)
    const other = await somebody()
    expect(codeOf(await other.delete(`/passkeys/${passkey}`, undefined, here()))).toBe('404 passkey_not_found')
    expect(codeOf(await user.delete(`/passkeys/${passkey}`, undefined, here()))).toBe('200 done')
    expect(codeOf(await user.delete(`/passkeys/${passkey}`, undefined, here()))).toBe('404 passkey_not_found')
    expect((await user.get('/passkeys')).body.data).toEqual([])
  })

  test('signs in without a name or a password, and its use is shown', async () => {
    const { person: user, authenticator } = await somebodyWithPasskey()
    app.clock.advance(1_000)
    const reply = await signIn(authenticator)
    expect(reply.body).toMatchObject({ object: 'session', person: { id: user.id } })
    expect((await browserAfter(app, reply).get('/session')).body.person.id).toBe(user.id)
    expect((await user.get('/passkeys')).body.data[0].last_used_at).toBe(app.clock.now().toISOString())
  })

  test('that does not count signs in again and again', async () => {
    const { authenticator } = await somebodyWithPasskey()
    authenticator.counter = 0
    for (let time = 0; time < 3; time++) expect((await signIn(authenticator)).status).toBe(200)
  })

  test('whose counter falls back is a copy, and is refused', async () => {
    const { authenticator } = await somebodyWithPasskey()
    authenticator.counter = 7
    expect((await signIn(authenticator)).status).toBe(200)
    for (const counter of [7, 3, 0]) {
      authenticator.counter = counter
      expect(codeOf(await signIn(authenticator))).toBe('401 sign_in_failed')
    }
    authenticator.counter = 9
    expect((await signIn(authenticator)).status).toBe(200)
  })

  test('that was removed, or is nobody’s, is refused', async () => {
    const { person: user, authenticator, passkey } = await somebodyWithPasskey()
    await user.delete(`/passkeys/${passkey}`, undefined, here())
    expect(codeOf(await signIn(authenticator))).toBe('401 sign_in_failed')
    expect(codeOf(await signIn(createAuthenticator()))).toBe('401 sign_in_failed')
  })

  test('is one person’s only', async () => {
    const { authenticator } = await somebodyWithPasskey()
    expect((await register(await somebody(), authenticator)).status).toBe(400)
  })
})

describe('an answer of a passkey', () => {
  test('works once', async () => {
    const { authenticator } = await somebodyWithPasskey()
    const browser = newBrowser(app)
    const options = await optionsFor(browser, 'sign-in-options')
    const response = authenticator.get(options, origin)
    const replies = await Promise.all([1, 2, 3].map(() => browser.post('/passkeys/sign-in', { response }, here())))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 401, 401])
    // Nor does another answer to the same challenge.
    const second = authenticator.get(options, origin)
    expect(codeOf(await browser.post('/passkeys/sign-in', { response: second }, here()))).toBe('401 sign_in_failed')
  })

  test('is refused late, for another site, unverified, and with another challenge', async () => {
    const { authenticator } = await somebodyWithPasskey()
    const browser = newBrowser(app)
    const answer = async (change: (options: { challenge: string; rpId: string }) => object) =>
      codeOf(
        await browser.post(
          '/passkeys/sign-in',
          { response: change(await optionsFor(browser, 'sign-in-options')) },
          here(),
        ),
      )
    const refusals = [
      await answer((options) => authenticator.get(options, 'https://elsewhere.example')),
      await answer((options) => authenticator.get(options, origin, { rpId: 'elsewhere.example' })),
      await answer((options) => authenticator.get(options, origin, { isVerified: false })),
      await answer((options) => authenticator.get({ ...options, challenge: 'A'.repeat(43) }, origin)),
      await answer((options) => ({ ...authenticator.get(options, origin), id: createId() })),
      await answer((options) => {
        app.clock.advance(5 * 60_000)
        return authenticator.get(options, origin)
      }),
    ]
    expect(refusals).toEqual(refusals.map(() => '401 sign_in_failed'))
    expect((await signIn(authenticator)).status).toBe(200)
  })

  test('to the challenge of somebody else adds no passkey', async () => {
    const [user, other] = [await somebody(), await somebody()]
    const response = createAuthenticator().create(await optionsFor(user, 'registration-options'), origin)
    expect(codeOf(await other.post('/passkeys', { name: 'Stolen', response }, here()))).toBe('401 sign_in_failed')
    expect((await other.get('/passkeys')).body.data).toEqual([])
  })

  test('to a sign-in adds no passkey, and the other way round', async () => {
    const { person: user, authenticator } = await somebodyWithPasskey()
    const signInOptions = await optionsFor(user, 'sign-in-options')
    const response = createAuthenticator().create({ ...signInOptions, rp: { id: 'localhost' } }, origin)
    expect(codeOf(await user.post('/passkeys', { name: 'New', response }, here()))).toBe('401 sign_in_failed')
    const { challenge, rp } = await optionsFor(user, 'registration-options')
    const crossed = authenticator.get({ challenge, rpId: rp.id }, origin)
    expect(codeOf(await newBrowser(app).post('/passkeys/sign-in', { response: crossed }, here()))).toBe(
      '401 sign_in_failed',
    )
  })
})

function createId(): string {
  return Buffer.alloc(32, 1).toString('base64url')
}

describe('where a passkey may be used', () => {
  test('is said by the settings, and never by the request', async () => {
    const { person: user, authenticator } = await somebodyWithPasskey()
    const evil = 'https://evil.example'
    const browser = newBrowser(app)
    for (const headers of [{ origin: evil }, { origin: evil, 'sec-fetch-site': 'same-origin' }]) {
      expect(codeOf(await browser.post('/passkeys/sign-in-options', undefined, headers))).toBe('403 cross_site_request')
      expect(codeOf(await user.post('/passkeys/registration-options', undefined, headers))).toBe(
        '403 cross_site_request',
      )
    }
    // Whatever host the request names, the options are for ours.
    const forwarded = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' }
    const { body } = await browser.post('/passkeys/sign-in-options', undefined, forwarded)
    expect(body.options.rpId).toBe('localhost')
    // Another port or scheme of the same host is another service.
    for (const elsewhere of ['https://localhost:9999', 'http://localhost:9999', origin.replace('http:', 'https:')]) {
      const response = authenticator.get(await optionsFor(browser, 'sign-in-options'), elsewhere)
      expect(codeOf(await browser.post('/passkeys/sign-in', { response }))).toBe('401 sign_in_failed')
      const created = createAuthenticator().create(await optionsFor(user, 'registration-options'), elsewhere)
      expect(codeOf(await user.post('/passkeys', { name: 'Elsewhere', response: created }))).toBe('401 sign_in_failed')
    }
  })

  test.each([
    ['https://console.example', 8080, 'console.example', ['https://console.example']],
    ['https://console.example:8443', 8080, 'console.example', ['https://console.example:8443']],
    ['http://127.0.0.1:8080', 8080, 'localhost', ['http://127.0.0.1:8080', 'http://localhost:8080']],
    ['http://localhost:8080', 9090, 'localhost', ['http://localhost:8080', 'http://localhost:9090']],
    ['http://0.0.0.0:8080', 8080, 'localhost', ['http://0.0.0.0:8080', 'http://localhost:8080']],
  ])('is, at the public address %s, what it says', (publicUrl, port, rpId, origins) => {
    expect(passkeySiteOf(publicUrl, port)).toEqual({ rpId, origins })
  })
})

test('passkeys are offered where they work: at a host name', async () => {
  expect((await newBrowser(app).get('/sign-in-options')).body.passkeys).toBe(true)
})
