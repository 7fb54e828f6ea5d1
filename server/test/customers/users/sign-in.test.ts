import { beforeAll, describe, expect, test } from 'vitest'
import { passwordHasher } from '../../../src/customers/users/passwords/hasher.ts'
import { startTestApp, type TestApp } from '../../support/app.ts'
import type { TestReply } from '../../support/client.ts'
import { countLockWaits } from '../../support/database.ts'
import { browserAfter, cookieOf, givePassword, goodPassword, newBrowser } from './support/users.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z', environment: { TRUST_PROXY: 'loopback' } })
})

let addresses = 0
/** Another network address for each attempt that must not count with others. */
const fromElsewhere = () => ({ 'x-forwarded-for': `198.51.100.${++addresses}` })

const comparable = ({ status, headers, body }: TestReply) => ({
  status,
  headers: Object.fromEntries([...headers].filter(([name]) => !['date', 'x-request-id'].includes(name))),
  body: { ...body, error: { ...body.error, request_id: null } },
})

describe('signing in by password', () => {
  test('opens a session in a cookie that scripts cannot read, whatever the case of the address', async () => {
    const { email, id } = await app.person({ name: 'Mara Vogt' })
    await givePassword(app, email)
    const reply = await newBrowser(app).post('/sign-in', { email: email.toUpperCase(), password: goodPassword })
    expect(reply.status).toBe(200)
    const [cookie] = reply.headers.getSetCookie()
    expect(cookie).toMatch(/^storedex_session=[\w-]{43}; Max-Age=7776000; Path=\/; HttpOnly; SameSite=Lax$/)
    const session = await browserAfter(app, reply).get('/session')
    expect(session.body.person).toEqual({ id, email, name: 'Mara Vogt', operator: false })
  })

  test('answers an unknown address and a wrong password alike, after the same work', async () => {
    const { email } = await app.person()
    await givePassword(app, email)
    const { email: withoutPassword } = await app.person()
    const replies: object[] = []
    for (const each of [email, 'nobody@people.example', withoutPassword]) {
      const before = passwordHasher.verifications
      const reply = await newBrowser(app).post(
        '/sign-in',
        { email: each, password: 'not the password at all' },
        fromElsewhere(),
      )
      expect(passwordHasher.verifications - before).toBe(1)
      replies.push(comparable(reply))
    }
    expect(replies[0]).toMatchObject({ status: 401, body: { error: { code: 'sign_in_failed' } } })
    expect(replies[1]).toEqual(replies[0])
    expect(replies[2]).toEqual(replies[0])
    expect(JSON.stringify(replies)).not.toContain('www-authenticate')
  })

  test('gives a new token each time, and ends the session that the browser had', async () => {
    const { email } = await app.person()
    await givePassword(app, email)
    const first = await newBrowser(app).post('/sign-in', { email, password: goodPassword })
    const second = await browserAfter(app, first).post('/sign-in', { email, password: goodPassword })
    expect(cookieOf(second)).not.toBe(cookieOf(first))
    expect((await browserAfter(app, first).get('/session')).status).toBe(401)
    expect((await browserAfter(app, second).get('/session')).status).toBe(200)
  })
})

describe('attempts to sign in', () => {
  const wrong = (email: string, headers = {}) =>
    newBrowser(app).post('/sign-in', { email, password: 'not the password at all' }, headers)

  test('are bounded for a person from one network, which shuts nobody out elsewhere', async () => {
    const { email } = await app.person()
    await givePassword(app, email)
    const stranger = fromElsewhere()
    const statuses: number[] = []
    for (let attempt = 0; attempt < 12; attempt++) statuses.push((await wrong(email, stranger)).status)
    expect(statuses).toEqual([...Array(10).fill(401), 429, 429])
    const right = (headers: object) =>
      newBrowser(app).post('/sign-in', { email, password: goodPassword }, { ...headers })
    expect((await right(stranger)).status).toBe(429)
    expect((await right(fromElsewhere())).status).toBe(200)
    app.clock.advance(15 * 60_000)
    expect((await right(stranger)).status).toBe(200)
  })

  test('are bounded for a person, whatever the network: refused ones fill no wider window', async () => {
    const { email } = await app.person()
    await givePassword(app, email)
    const before = passwordHasher.verifications
    for (let network = 0; network < 10; network++) {
      const headers = fromElsewhere()
      for (let attempt = 0; attempt < 12; attempt++) await wrong(email, headers)
    }
    expect(passwordHasher.verifications - before).toBe(100)
    const right = () => newBrowser(app).post('/sign-in', { email, password: goodPassword }, fromElsewhere())
    expect((await right()).status).toBe(429)
    app.clock.advance(15 * 60_000)
    expect((await right()).status).toBe(200)
  })

  test('that come many at once are judged no more often', async () => {
    const { email } = await app.person()
    await givePassword(app, email)
    const headers = fromElsewhere()
    const before = passwordHasher.verifications
    const replies = await Promise.all(Array.from({ length: 40 }, () => wrong(email, headers)))
    const judged = replies.filter(({ status }) => status === 401).length
    expect(judged).toBeLessThanOrEqual(10)
    expect(passwordHasher.verifications - before).toBe(judged)
    expect(replies.every(({ status }) => [401, 429, 503].includes(status))).toBe(true)
  })

  test('are bounded for a network address: of a thousand, fifty are judged', async () => {
    const headers = { 'x-forwarded-for': '2001:db8:1:2::7' }
    let judged = 0
    const before = passwordHasher.verifications
    for (let round = 0; round < 100; round++) {
      const replies = await Promise.all(
        Array.from({ length: 10 }, (_, n) => wrong(`guess-${round}-${n}@people.example`, headers)),
      )
      judged += replies.filter(({ status }) => status === 401).length
      expect(replies.every(({ status }) => status === 401 || status === 429)).toBe(true)
    }
    expect(judged).toBe(50)
    expect(passwordHasher.verifications - before).toBe(50)
    // An IPv6 address is one of very many that its owner has.
    expect((await wrong('one@people.example', { 'x-forwarded-for': '2001:db8:1:2::8' })).status).toBe(429)
    expect((await wrong('one@people.example', { 'x-forwarded-for': '2001:db8:1:3::8' })).status).toBe(401)
  })

  test('are refused with the same words, whether the person or the address had too many', async () => {
    const { email } = await app.person()
    const address = fromElsewhere()
    const [one, other] = [fromElsewhere(), fromElsewhere()]
    for (let attempt = 0; attempt < 10; attempt++) await wrong(email, one)
    const known = await wrong(email, one)
    for (let attempt = 0; attempt < 10; attempt++) await wrong('nobody-at-all@people.example', other)
    const unknown = await wrong('nobody-at-all@people.example', other)
    for (let attempt = 0; attempt < 50; attempt++) await wrong(`guess-${attempt}@people.example`, address)
    const ofAddress = await wrong('one@people.example', address)
    expect(comparable(known)).toMatchObject({
      status: 429,
      headers: { 'retry-after': '900' },
      body: { error: { code: 'rate_limit_exceeded' } },
    })
    expect(comparable(unknown)).toEqual(comparable(known))
    expect(comparable(ofAddress)).toEqual(comparable(known))
  })

  test('that succeed do not count', async () => {
    const { email } = await app.person()
    await givePassword(app, email)
    for (let time = 0; time < 12; time++) {
      const reply = await newBrowser(app).post(
        '/sign-in',
        { email, password: goodPassword },
        { 'x-forwarded-for': '198.51.100.250' },
      )
      expect(reply.status).toBe(200)
    }
  })

  test('to confirm a password are bounded, too', async () => {
    const user = await app.person()
    await givePassword(app, user.email)
    const again = await app.person({ email: user.email, account: user.account })
    const statuses: number[] = []
    for (let attempt = 0; attempt < 11; attempt++)
      statuses.push((await again.post('/reauthenticate', { password: 'wrong' }, fromElsewhere())).status)
    expect(statuses).toEqual([...Array(10).fill(401), 429])
    expect((await again.get('/session')).status).toBe(200)
  })
})

describe('confirming the password', () => {
  test('makes an old sign-in a fresh one', async () => {
    const { email, account } = await app.person()
    await givePassword(app, email)
    const user = await app.person({ email, account })
    const options = () => user.post('/passkeys/registration-options')
    expect((await options()).status).toBe(200)
    app.clock.advance(10 * 60_000)
    expect((await options()).body.error.code).toBe('fresh_sign_in_required')
    expect((await user.post('/reauthenticate', { password: goodPassword })).status).toBe(200)
    expect((await options()).status).toBe(200)
  })
})

test('a password that is changed while it is checked opens no session', async () => {
  const { email, id } = await app.person()
  await givePassword(app, email)
  const userId = app.deps.ids.open(id)!.value
  // The change is made and not yet committed while the sign-in verifies the old password.
  const change = await app.db.connect()
  await change.query('begin')
  await change.query("update people set password_hash = 'changed' where id = $1::bigint", [userId])
  const signingIn = newBrowser(app).post('/sign-in', { email, password: goodPassword })
  await expect.poll(() => countLockWaits(app.db)).toBe(1)
  await change.query('commit')
  change.release()
  expect((await signingIn).status).toBe(401)
})

test('addresses and passwords that no store can keep are refused or just wrong', async () => {
  for (const email of [
    'a\0@people.example',
    '<a@people.example',
    '"a"@people.example',
    'a@people.example.',
    'no address',
    '',
    'x'.repeat(300),
  ])
    expect((await newBrowser(app).post('/sign-in', { email, password: 'x' })).status).toBe(400)
  for (const password of ['\0', '\ud800', 'x'.repeat(1_000)])
    expect((await newBrowser(app).post('/sign-in', { email: 'a@people.example', password })).status).toBe(401)
})

test('sign-in options say how one can sign in, and to nobody who has an account', async () => {
  const reply = await newBrowser(app).get('/sign-in-options')
  expect(reply.body).toEqual({
    object: 'sign_in_options',
    mail: false,
    oidc: null,
    signup: false,
    passkeys: false,
    privacy_contact: null,
    first_operator_missing: true,
    request_id: expect.any(String),
  })
  await app.person({ operator: true })
  expect((await newBrowser(app).get('/sign-in-options')).body.first_operator_missing).toBe(false)
})
