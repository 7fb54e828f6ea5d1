import { beforeAll, describe, expect, test } from 'vitest'
import { passwordHasher } from '../../src/people/passwords/hasher.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import type { TestReply } from '../support/client.ts'
import { browserAfter, cookieOf, givePassword, goodPassword, newBrowser } from './support/people.ts'

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
