import { beforeAll, describe, expect, test } from 'vitest'
import { describeDevice } from '../../../../src/customers/users/profile/device.ts'
import { startTestApp, type TestApp } from '../../../support/app.ts'
import type { Json } from '../../../support/client.ts'
import { outcomeOf } from '../support/account-user.ts'
import { browserAfter, givePassword, goodPassword, newBrowser, newLink } from '../support/users.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
})

const sessionsOf = async (user: { get: (path: string) => Promise<{ body: Json }> }): Promise<Json[]> =>
  (await user.get('/sessions')).body.data

describe('sessions', () => {
  test('are listed with device and address, this one marked', async () => {
    const user = await app.person()
    await givePassword(app, user.email)
    const signedIn = await newBrowser(app).post(
      '/sign-in',
      { email: user.email, password: goodPassword },
      { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0' },
    )
    const browser = browserAfter(app, signedIn)
    const sessions = await sessionsOf(browser)
    // Setting the password ended the first, and began one of its own.
    expect(sessions).toHaveLength(2)
    expect(sessions.filter(({ is_current }) => is_current)).toMatchObject([
      {
        object: 'person_session',
        device: 'Firefox on Windows',
        address: '127.0.0.1',
        created_at: '2026-11-10T12:00:00.000Z',
        last_seen_at: '2026-11-10T12:00:00.000Z',
      },
    ])
    expect(JSON.stringify(sessions)).not.toContain('Gecko')
  })

  test('end one by one, from the next request on', async () => {
    const user = await app.person()
    const other = await app.person({ email: user.email, account: null })
    const target = (await sessionsOf(other)).find(({ is_current }) => is_current)
    expect(outcomeOf(await user.delete(`/sessions/${target.id}`))).toBe('200')
    expect(outcomeOf(await other.get('/session'))).toBe('401 not_signed_in')
    expect(outcomeOf(await user.delete(`/sessions/${target.id}`))).toBe('404 session_not_found')
    expect(await sessionsOf(user)).toHaveLength(1)
    // One's own: the cookie goes with it.
    const [own] = await sessionsOf(user)
    const ended = await user.delete(`/sessions/${own.id}`)
    expect(ended.headers.getSetCookie()[0]).toMatch(/^storedex_session=;/)
    expect(outcomeOf(await user.get('/session'))).toBe('401 not_signed_in')
  })

  test('of others cannot be seen or ended', async () => {
    const [user, stranger] = [await app.person(), await app.person()]
    const [session] = await sessionsOf(user)
    expect((await sessionsOf(stranger)).map(({ id }) => id)).not.toContain(session.id)
    for (const id of [session.id, 'ses_x', user.id])
      expect(outcomeOf(await stranger.delete(`/sessions/${id}`))).toBe('404 session_not_found')
    expect((await user.get('/session')).status).toBe(200)
  })

  test('end all at once but this one', async () => {
    const user = await app.person()
    const others = await Promise.all(Array.from({ length: 3 }, () => app.person({ email: user.email, account: null })))
    const stranger = await app.person()
    expect(outcomeOf(await user.delete('/sessions'))).toBe('200')
    for (const other of others) expect(outcomeOf(await other.get('/session'))).toBe('401 not_signed_in')
    expect(await sessionsOf(user)).toHaveLength(1)
    expect((await stranger.get('/session')).status).toBe(200)
  })

  test.each([
    [
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36',
      'Chrome on Linux',
    ],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36 Edg/140.0',
      'Edge on Windows',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1',
      'Safari on iPhone',
    ],
    [
      'Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Mobile Safari/537.36',
      'Chrome on Android',
    ],
    ['curl/8.5.0', 'Unknown browser'],
    ['', 'Unknown browser'],
  ])('of the browser %s', (userAgent, device) => {
    expect(describeDevice(userAgent)).toBe(device)
  })
})

describe('a profile', () => {
  test('has a name that the person chooses', async () => {
    const user = await app.person()
    expect(outcomeOf(await user.patch('/profile', { name: '  Mara Vogt-Öz 李 ' }))).toBe('200')
    expect((await user.get('/session')).body.person.name).toBe('Mara Vogt-Öz 李')
    for (const name of ['', '   ', 'a\u0000b', 'x'.repeat(201)])
      expect([name, outcomeOf(await user.patch('/profile', { name }))]).toEqual([name, '400 invalid_request'])
    expect(outcomeOf(await user.patch('/profile', { name: 'X', operator: true }))).toBe('400 unknown_parameter')
  })

  test('gets a new password, which ends the other sessions and the links', async () => {
    const user = await app.person()
    const other = await app.person({ email: user.email, account: null })
    const link = await newLink(app, user.email, 'set_password')
    const password = 'a lamp beside nine rivers'
    expect(outcomeOf(await user.post('/profile/password', { password }))).toBe('200')
    expect((await user.get('/session')).status).toBe(200)
    expect(outcomeOf(await other.get('/session'))).toBe('401 not_signed_in')
    expect(outcomeOf(await newBrowser(app).post('/link', { token: link }))).toBe('410 invalid_link')
    expect(outcomeOf(await newBrowser(app).post('/sign-in', { email: user.email, password }))).toBe('200')
  })

  test('refuses weak passwords, and changes nothing without a fresh sign-in', async () => {
    const user = await app.person()
    for (const password of ['short', 'password1234', 'TestPersonStoredex'])
      expect(outcomeOf(await user.post('/profile/password', { password }))).toBe('400 weak_password')
    app.clock.advance(10 * 60_000)
    expect(outcomeOf(await user.post('/profile/password', { password: 'a lamp beside nine rivers' }))).toBe(
      '403 fresh_sign_in_required',
    )
    app.clock.set('2026-11-10T12:00:00.000Z')
  })
})
