import { beforeAll, expect, test } from 'vitest'
import type { ConnectionPool } from '../../../src/foundation/db/pool.ts'
import { createLogger } from '../../../src/foundation/runtime/logger.ts'
import { buildApp } from '../../../src/program/app.ts'
import { startTestApp, type TestApp } from '../../support/app.ts'
import { atEnd } from '../../support/cleanup.ts'
import { createConsoleClient } from '../../support/user.ts'
import { cookieOf, givePassword, goodPassword, newBrowser, newLink } from './support/users.ts'

let app: TestApp
const logged: string[] = []
beforeAll(async () => {
  app = await startTestApp({
    now: '2026-11-10T12:00:00.000Z',
    log: createLogger({ level: 'trace', destination: { write: (line: string) => void logged.push(line) } }),
  })
})

const lineOf = (requestId: string) =>
  logged.map((line) => JSON.parse(line)).find((line) => line.request_id === requestId)

test('a log line names the person and the account by their ids', async () => {
  const user = await app.person()
  const session = await user.get('/session')
  const usage = await user.get(`/accounts/${user.account}/usage`)
  const refused = await user.get(`/accounts/${(await app.person()).account}/usage`)
  await expect.poll(() => lineOf(refused.body.error.request_id)).toBeDefined()
  expect(lineOf(session.body.request_id)).toMatchObject({ route: '/console/api/session', person_id: user.id })
  expect(lineOf(session.body.request_id)).not.toHaveProperty('account_id')
  expect(lineOf(usage.body.request_id)).toMatchObject({ person_id: user.id, account_id: user.account })
  expect(lineOf(refused.body.error.request_id)).toMatchObject({ person_id: user.id, code: 'account_not_found' })
})

test('the log holds no address, token, password or cookie of a person', async () => {
  const { email, cookie } = await app.person()
  await givePassword(app, email)
  const link = await newLink(app, email)
  await newBrowser(app).post('/link', { token: link })
  const signedIn = await newBrowser(app).post('/sign-in', { email, password: goodPassword })
  await newBrowser(app).post('/sign-in', { email, password: 'a wrong password' })
  await newBrowser(app).post('/link', { token: link })
  const last = await newBrowser(app).post('/link/password', { token: link, password: goodPassword })
  await expect.poll(() => lineOf(last.body.error.request_id)).toBeDefined()
  const text = logged.join()
  for (const secret of [email, link, goodPassword, 'a wrong password', cookie.split('=')[1]!, cookieOf(signedIn)])
    expect(text).not.toContain(secret)
})

test('requests queue as their account or their person once these are known, and as their address before', async () => {
  const holders: string[] = []
  const { db } = app.deps
  const watched = new Proxy(db, {
    get(target, name) {
      if (name === 'holderLane')
        return (holder: string) => {
          holders.push(holder)
          return db.holderLane(holder)
        }
      const value = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  }) as ConnectionPool
  const built = await buildApp({ ...app.deps, db: watched })
  atEnd(() => built.close())
  const url = await built.listen({ host: '127.0.0.1', port: 0 })
  const { cookie, account, id } = await app.person()
  const client = createConsoleClient(url, cookie)
  for (const path of ['/session', '/session', `/accounts/${account}/usage`, `/accounts/${account}/usage`])
    expect((await client.get(path)).status).toBe(200)
  const [userId, accountId] = [app.deps.ids.open(id)!.value, app.accountNumber(account)]
  expect(holders).toEqual(['visitor 127.0.0.1', `person ${userId}`, 'visitor 127.0.0.1', `account ${accountId}`])
})
