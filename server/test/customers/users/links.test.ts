import { beforeAll, describe, expect, test } from 'vitest'
import type { Role } from '../../../src/customers/auth/roles.ts'
import { hashToken } from '../../../src/customers/users/tokens.ts'
import { startTestApp, type TestApp } from '../../support/app.ts'
import type { TestReply } from '../../support/client.ts'
import { browserAfter, givePassword, goodPassword, newBrowser, newLink } from './support/users.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z', environment: { TRUST_PROXY: 'loopback' } })
})

const hour = 3_600_000
const codeOf = ({ status, body }: TestReply) => `${status} ${body?.error?.code ?? body?.object}`
const open = (token: string, headers = {}) => newBrowser(app).post('/link', { token }, headers)
const setPassword = (token: string, body: object = {}) =>
  newBrowser(app).post('/link/password', { token, password: goodPassword, ...body })

describe('a link that signs in', () => {
  test('works once', async () => {
    const { email, id } = await app.person({ name: 'Mara Vogt' })
    const token = await newLink(app, email)
    const reply = await open(token)
    expect(reply.body).toMatchObject({ object: 'link', purpose: 'sign_in', email, name: 'Mara Vogt' })
    expect((await browserAfter(app, reply).get('/session')).body.person.id).toBe(id)
    expect(codeOf(await open(token))).toBe('410 invalid_link')
  })

  test('may be looked at without signing anybody in', async () => {
    const { email } = await app.person({ name: 'Mara Vogt' })
    const token = await newLink(app, email)
    for (let look = 0; look < 2; look++) {
      const reply = await newBrowser(app).post('/link/look', { token })
      expect(reply.body).toMatchObject({ purpose: 'sign_in', email, needs_sign_in: false })
      expect(reply.headers.getSetCookie()).toEqual([])
    }
    expect((await open(token)).status).toBe(200)
    expect(codeOf(await newBrowser(app).post('/link/look', { token }))).toBe('410 invalid_link')
  })

  test('opened many times at once signs in once', async () => {
    const { email, id } = await app.person()
    const token = await newLink(app, email)
    const replies = await Promise.all(Array.from({ length: 8 }, () => open(token)))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(replies.filter((reply) => codeOf(reply) === '410 invalid_link')).toHaveLength(7)
    const userId = app.deps.ids.open(id)!.value
    // That of the link, and that of `app.user`.
    expect((await app.db.query('select from sessions where person_id = $1::bigint', [userId])).rowCount).toBe(2)
  })

  test('lasts an hour', async () => {
    const { email } = await app.person()
    const [used, late] = [await newLink(app, email), await newLink(app, email)]
    app.clock.advance(hour - 1)
    expect((await open(used)).status).toBe(200)
    app.clock.advance(1)
    expect(codeOf(await open(late))).toBe('410 invalid_link')
  })

  test('cannot set a password', async () => {
    const { email } = await app.person()
    expect(codeOf(await setPassword(await newLink(app, email)))).toBe('410 invalid_link')
  })

  test('is stored as a hash only', async () => {
    const { email } = await app.person()
    const token = await newLink(app, email)
    const { rows } = await app.db.query('select token_hash from sign_in_links where token_hash = $1::bytea', [
      hashToken(token),
    ])
    expect(rows).toHaveLength(1)
    const { rows: all } = await app.db.query('select sign_in_links::text as row from sign_in_links')
    expect(all.map(({ row }) => row).join()).not.toContain(token)
  })
})

describe('a link that sets a password', () => {
  test('may be looked at, and works once', async () => {
    const { email } = await app.person({ name: 'Mara Vogt' })
    const token = await newLink(app, email, 'set_password')
    for (let look = 0; look < 2; look++) {
      const reply = await open(token)
      expect(reply.body).toMatchObject({ purpose: 'set_password', email, name: 'Mara Vogt', needs_name: false })
      expect(reply.headers.getSetCookie()).toEqual([])
    }
    const replies = await Promise.all(Array.from({ length: 4 }, () => setPassword(token)))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 410, 410, 410])
    expect(codeOf(await open(token))).toBe('410 invalid_link')
    expect((await newBrowser(app).post('/sign-in', { email, password: goodPassword })).status).toBe(200)
  })

  test('ends the other links of the person', async () => {
    const { email } = await app.person()
    const [signIn, other] = [await newLink(app, email), await newLink(app, email, 'set_password')]
    await givePassword(app, email)
    expect(codeOf(await open(signIn))).toBe('410 invalid_link')
    expect(codeOf(await setPassword(other))).toBe('410 invalid_link')
  })

  test.each([
    ['shorter than 12 characters', 'pickle lamp'],
    ['on a list of common ones', 'Motherfucker'],
    ['a common one with digits around it', '1234Password!1234'],
    ['a common one, repeated', 'letmeinletmeinletmein'],
    ['a single character', 'aaaaaaaaaaaaaaa'],
    ['a sequence', 'abcdefghijklmnop'],
    ['a sequence of digits', '9876543210987'],
    ['a row of keys', 'qwertyuiop[]'],
    ['made of the address', 'ines.okafor@people'],
    ['made of the name and the service', 'Ines Okafor Storedex1'],
  ])('refuses a password that is %s, and stays', async (_why, password) => {
    const email = 'ines.okafor@people.example'
    await app.person({ email, name: 'Ines Okafor' })
    const token = await newLink(app, email, 'set_password')
    const reply = await setPassword(token, { password })
    expect(reply.status).toBe(400)
    expect(reply.body.error).toMatchObject({ code: 'weak_password', param: 'password' })
    expect((await setPassword(token)).status).toBe(200)
  })

  test('takes the same characters, however they are typed', async () => {
    const { email } = await app.person()
    await givePassword(app, email, 'cafe\u0301 au lait s’il vous plait')
    const password = 'caf\u00e9 au lait s’il vous plait'
    expect((await newBrowser(app).post('/sign-in', { email, password })).status).toBe(200)
  })
})

describe('an invitation', () => {
  const invite = async (account: string, email: string, role: Role = 'member') => {
    const owner = await app.person({ account })
    const { id, link } = (await owner.post(`/accounts/${account}/invitations`, { email, role })).body
    return { id, token: link.split('#')[1] as string }
  }

  test('makes somebody new a member, once, with the name and password that they choose', async () => {
    const { account } = await app.person()
    const { token } = await invite(account, 'New.Colleague@people.example', 'admin')
    const looked = await open(token)
    expect(looked.body).toMatchObject({
      purpose: 'invitation',
      email: 'new.colleague@people.example',
      name: null,
      account: { name: 'Test account', role: 'admin' },
      needs_name: true,
      needs_sign_in: true,
    })
    expect((await setPassword(token)).body.error).toMatchObject({ code: 'missing_parameter', param: 'name' })
    const replies = await Promise.all([1, 2, 3].map(() => setPassword(token, { name: 'Noor Vis' })))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 410, 410])
    const joined = replies.find(({ status }) => status === 200)!
    expect((await browserAfter(app, joined).get('/session')).body).toMatchObject({
      person: { email: 'new.colleague@people.example', name: 'Noor Vis' },
      accounts: [{ id: account, role: 'admin' }],
    })
    expect(codeOf(await open(token))).toBe('410 invalid_link')
  })

  test('lets nobody in as somebody who is known: they have to sign in themselves', async () => {
    const { account } = await app.person()
    const known = await app.person({ account: null })
    const { token } = await invite(account, known.email)
    expect((await open(token)).body).toMatchObject({ purpose: 'invitation', name: null, needs_sign_in: true })
    expect(codeOf(await setPassword(token, { name: 'Somebody Else' }))).toBe('410 invalid_link')
    const stranger = await app.person()
    expect((await stranger.post('/link', { token })).body).toMatchObject({ needs_sign_in: true })
    expect((await stranger.get('/session')).body.accounts).toHaveLength(1)

    expect((await known.post('/link', { token })).body).toMatchObject({ purpose: 'sign_in' })
    expect((await known.get('/session')).body.accounts).toMatchObject([{ id: account, role: 'member' }])
    expect(codeOf(await known.post('/link', { token }))).toBe('410 invalid_link')
  })

  test('never lowers a role', async () => {
    const [{ account }, other] = [await app.person(), await app.person({ account: null })]
    const { token } = await invite(account, other.email, 'viewer')
    await app.person({ email: other.email, account, role: 'owner' })
    expect((await other.post('/link', { token })).status).toBe(200)
    expect((await other.get('/session')).body.accounts).toMatchObject([{ role: 'owner' }])
  })

  test('lasts three days, unless it is revoked', async () => {
    const { account } = await app.person()
    const [late, revoked] = [await invite(account, 'late@people.example'), await invite(account, 'no@people.example')]
    await app.db.query('update invitations set revoked_at = now() where id = $1::bigint', [
      app.deps.ids.open(revoked.id)!.value,
    ])
    expect(codeOf(await open(revoked.token))).toBe('410 invalid_link')
    app.clock.advance(72 * hour - 1)
    expect((await open(late.token)).status).toBe(200)
    app.clock.advance(1)
    expect(codeOf(await open(late.token))).toBe('410 invalid_link')
  })
})

test('tokens cannot be searched for: an address has few attempts, and real links work from others', async () => {
  const guesses = { 'x-forwarded-for': '203.0.113.7' }
  const replies = await Promise.all(Array.from({ length: 60 }, (_, n) => open(`guess${n}`, guesses)))
  expect(replies.filter(({ status }) => status === 410)).toHaveLength(50)
  const { email } = await app.person()
  const token = await newLink(app, email)
  expect(codeOf(await open(token, guesses))).toBe('429 rate_limit_exceeded')
  expect((await open(token, { 'x-forwarded-for': '203.0.113.8' })).status).toBe(200)
})

test('links in use do not count as attempts', async () => {
  const headers = { 'x-forwarded-for': '203.0.113.20' }
  const { email } = await app.person()
  const token = await newLink(app, email, 'set_password')
  for (let look = 0; look < 60; look++) expect((await open(token, headers)).status).toBe(200)
})

test('signing in, failing to, links and passwords are in the audit log, without address, token or password', async () => {
  const { email, id, cookie } = await app.person()
  const before = Number((await app.db.query('select max(entry) as last from audit_log')).rows[0].last ?? 0)
  await givePassword(app, email)
  const signedIn = await newBrowser(app).post('/sign-in', { email, password: goodPassword })
  await newBrowser(app).post('/sign-in', { email, password: 'wrong' })
  await newBrowser(app).post('/sign-in', { email: 'nobody@people.example', password: 'wrong' })
  const browser = browserAfter(app, signedIn)
  await browser.post('/reauthenticate', { password: goodPassword })
  await browser.post('/sign-out')
  const { rows } = await app.db.query('select * from audit_log where entry > $1::bigint order by entry', [before])
  const userId = app.deps.ids.open(id)!.value
  expect(rows.map(({ action, person_id, address }) => [action, person_id, address])).toEqual([
    ['link.created', null, null],
    ['password.set', userId, '127.0.0.1'],
    ['link.used', userId, '127.0.0.1'],
    ['session.created', userId, '127.0.0.1'],
    ['session.created', userId, '127.0.0.1'],
    ['sign_in.failed', userId, '127.0.0.1'],
    ['session.confirmed', userId, '127.0.0.1'],
    ['session.ended', userId, '127.0.0.1'],
  ])
  const text = JSON.stringify(rows)
  for (const secret of [email, goodPassword, cookie.split('=')[1]!]) expect(text).not.toContain(secret)
})
