import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { countFailures } from '../../../src/customers/users/attempts.ts'
import { passwordHasher } from '../../../src/customers/users/passwords/hasher.ts'
import { Refusal } from '../../../src/foundation/kernel/errors.ts'
import { startTestApp, type TestApp } from '../../support/app.ts'
import type { TestReply } from '../../support/client.ts'
import { createConsoleClient } from '../../support/user.ts'
import { givePassword, goodPassword, newBrowser } from './support/users.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z', environment: { TRUST_PROXY: 'loopback' } })
})
afterEach(() => vi.restoreAllMocks())

let addresses = 0
const fromElsewhere = () => ({ 'x-forwarded-for': `198.51.100.${++addresses}` })

const somebody = async () => {
  const user = await app.person()
  await givePassword(app, user.email)
  return { ...user, ...(await app.person({ email: user.email, account: user.account })) }
}
const signIn = (email: string, password: string, headers = {}) =>
  newBrowser(app).post('/sign-in', { email, password }, headers)

/** All cookies that a browser would send after a reply. */
const cookiesOf = ({ headers }: TestReply) =>
  headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ')

describe('a failure that is ours', () => {
  test.each([
    ['a busy service', new Refusal('service_unavailable', 'Busy.')],
    ['a lost database', new Error('the connection was lost')],
    ['a request that was cut off', new DOMException('aborted', 'AbortError')],
  ])('counts as nobody’s wrong password: %s', async (_what, failure) => {
    const { email, ...user } = await somebody()
    const headers = fromElsewhere()
    vi.spyOn(passwordHasher, 'verify').mockRejectedValue(failure)
    for (let time = 0; time < 12; time++) {
      expect((await signIn(email, goodPassword, headers)).status).toBeGreaterThanOrEqual(500)
      expect((await user.post('/reauthenticate', { password: goodPassword })).status).toBeGreaterThanOrEqual(500)
    }
    vi.restoreAllMocks()
    expect((await signIn(email, goodPassword, headers)).status).toBe(200)
    expect((await user.post('/reauthenticate', { password: goodPassword })).status).toBe(200)
  })

  test('is taken back later when the database does not answer at once', async () => {
    const { db, signer, clock } = app.deps
    let isLost = false
    const flaky = {
      query: (...args: unknown[]) => {
        const { name } = args[0] as { name?: string }
        if (name === 'uncount_attempt' && isLost) {
          isLost = false
          return Promise.reject(new Error('the connection was lost'))
        }
        return (db.query as (...args: unknown[]) => Promise<unknown>).apply(db, args)
      },
    } as typeof db
    const used = async () =>
      (await app.db.query("select used from attempt_windows where kind = 'reauthentication by session'")).rows
    await app.db.query("delete from attempt_windows where kind = 'reauthentication by session'")
    const work = countFailures(
      { db: flaky, signer, now: clock.now() },
      { kind: 'reauthentication', attempt: { session: 1 }, failure: 'sign_in_failed' },
      async () => {
        expect(await used()).toEqual([{ used: 1 }])
        isLost = true
        throw new Error('the connection was lost')
      },
    )
    await expect(work).rejects.toThrow('lost')
    expect(await used()).toEqual([{ used: 1 }])
    await expect.poll(used, { timeout: 20_000 }).toEqual([{ used: 0 }])
  })
})

describe('somebody whose password strangers guess', () => {
  const guess = async (email: string) => {
    for (let network = 0; network < 10; network++) {
      const headers = fromElsewhere()
      for (let attempt = 0; attempt < 10; attempt++) await signIn(email, 'not the password at all', headers)
    }
    expect((await signIn(email, goodPassword, fromElsewhere())).status).toBe(429)
  }

  test('confirms with it, and so can rotate keys and remove members meanwhile', async () => {
    const user = await somebody()
    await guess(user.email)
    expect((await user.post('/reauthenticate', { password: goodPassword })).status).toBe(200)
  })

  test('signs in from a browser that they used before, which has few attempts of its own', async () => {
    const { email } = await somebody()
    const before = await signIn(email, goodPassword, fromElsewhere())
    await guess(email)
    const known = createConsoleClient(app.url, cookiesOf(before))
    expect((await known.post('/sign-in', { email, password: goodPassword }, fromElsewhere())).status).toBe(200)
    const statuses: number[] = []
    for (let attempt = 0; attempt < 11; attempt++)
      statuses.push((await known.post('/sign-in', { email, password: 'wrong' }, fromElsewhere())).status)
    expect(statuses).toEqual([...Array(10).fill(401), 429])
  })

  test('is not helped nor harmed by the browser of somebody else, or by a forged one', async () => {
    const [{ email }, other] = [await somebody(), await somebody()]
    const theirs = cookiesOf(await signIn(other.email, goodPassword, fromElsewhere()))
    await guess(email)
    const forged = theirs.replace(
      /storedex_browser=[^;]*/,
      `storedex_browser=${'A'.repeat(43)}.20767~${'B'.repeat(43)}`,
    )
    for (const cookie of [theirs, forged]) {
      const reply = await createConsoleClient(app.url, cookie).post(
        '/sign-in',
        { email, password: goodPassword },
        fromElsewhere(),
      )
      expect(reply.status).toBe(429)
    }
  })

  test('is remembered by a browser for half a year, beside others', async () => {
    const [one, two] = [await somebody(), await somebody()]
    const first = await signIn(one.email, goodPassword, fromElsewhere())
    const second = await createConsoleClient(app.url, cookiesOf(first)).post(
      '/sign-in',
      { email: two.email, password: goodPassword },
      fromElsewhere(),
    )
    const browser = createConsoleClient(app.url, cookiesOf(second))
    await guess(one.email)
    const again = () => browser.post('/sign-in', { email: one.email, password: goodPassword }, fromElsewhere())
    expect((await again()).status).toBe(200)
    app.clock.advance(181 * 86_400_000)
    await guess(one.email)
    expect((await again()).status).toBe(429)
  })
})

describe('one person who hogs', () => {
  test('changes their password five times in 15 minutes, over however many connections', async () => {
    const hog = await somebody()
    const change = (n: number) => hog.post('/profile/password', { password: `umbrella lantern ${n} pickle` })
    expect((await hog.post('/profile/password', { password: 'short' })).status).toBe(400)
    const replies = await Promise.all(Array.from({ length: 60 }, (_, n) => change(n)))
    const statuses = replies.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(5)
    expect(statuses.every((status) => [200, 429, 503].includes(status))).toBe(true)
    while ((await change(99)).status === 200);
    expect((await change(99)).body.error).toMatchObject({ code: 'rate_limit_exceeded', param: 'attempts' })
    app.clock.advance(15 * 60_000)
    const fresh = await app.person({ email: hog.email, account: hog.account })
    expect((await fresh.post('/profile/password', { password: 'umbrella lantern 100 pickle' })).status).toBe(200)
  })

  test('keeps nobody else out, from the same network or another', async () => {
    const [hog, ...others] = await Promise.all(Array.from({ length: 9 }, somebody))
    let isOver = false
    const hogging = Array.from({ length: 60 }, async (_, n) => {
      while (!isOver) await hog!.post('/profile/password', { password: `umbrella lantern ${n} pickle` })
    })
    const statuses: number[] = []
    for (const { email } of others) {
      statuses.push((await signIn(email, goodPassword)).status)
      statuses.push((await signIn(email, goodPassword, fromElsewhere())).status)
    }
    isOver = true
    await Promise.all(hogging)
    expect(statuses).toEqual(statuses.map(() => 200))
  })
})
