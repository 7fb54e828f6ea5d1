import { beforeAll, expect, test } from 'vitest'
import { expireUsers } from '../../../src/customers/users/expire.ts'
import { startTestApp, type TestApp } from '../../support/app.ts'
import { givePassword, goodPassword, newBrowser } from '../users/support/users.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z', environment: { TRUST_PROXY: 'loopback' } })
})

const dayMs = 86_400_000
const signInFrom = (address: string, email: string, password: string) =>
  newBrowser(app).post('/sign-in', { email, password }, { 'x-forwarded-for': address })
const entriesOf = async (userId: number) =>
  (await app.db.query('select action, address from audit_log where person_id = $1 order by entry', [userId])).rows

test('after thirty days the audit log has the network of an address, and no longer the address', async () => {
  const { email, id } = await app.person()
  const userId = app.deps.ids.open(id)!.value
  await givePassword(app, email)
  const before = (await entriesOf(userId)).length
  for (const address of ['203.0.113.77', '2001:db8:7:41::9'])
    expect((await signInFrom(address, email, 'wrong')).status).toBe(401)
  app.clock.advance(15 * dayMs)
  expect((await signInFrom('198.51.100.4', email, goodPassword)).status).toBe(200)
  app.clock.advance(15 * dayMs + 1)
  const kept = async () => {
    await expireUsers(app.deps.db, app.clock.now())
    return (await entriesOf(userId)).slice(before).map(({ address }) => address)
  }
  expect(await kept()).toEqual(['203.0.113.0/24', '2001:db8:7::/48', '198.51.100.4'])
  app.clock.advance(15 * dayMs)
  expect(await kept()).toEqual(['203.0.113.0/24', '2001:db8:7::/48', '198.51.100.0/24'])
})

test('the service can neither delete entries nor change anything else of them', async () => {
  await app.person()
  for (const statement of [
    'delete from audit_log',
    "update audit_log set action = 'key.created'",
    'truncate audit_log',
  ])
    await expect(app.deps.db.query(statement)).rejects.toThrow(/permission denied/)
})

test('a failed sign-in of nobody is only counted, by its network, for a day', async () => {
  const countOf = async (table: string) => Number((await app.db.query(`select count(*) from ${table}`)).rows[0].count)
  await app.db.query('delete from attempt_windows')
  const entries = await countOf('audit_log')
  for (let guess = 0; guess < 3; guess++)
    await newBrowser(app).post('/sign-in', { email: `nobody${guess}@people.example`, password: 'wrong' })
  expect(await countOf('audit_log')).toBe(entries)
  const { rows } = await app.db.query(
    "select used, subject::text from attempt_windows where kind = 'sign_in_as_nobody by address'",
  )
  expect(rows).toEqual([{ used: 3, subject: expect.not.stringContaining('127.0.0.1') }])
  app.clock.advance(dayMs + 1)
  await expireUsers(app.deps.db, app.clock.now())
  expect(await countOf('attempt_windows')).toBe(0)
})

test('an invitation is deleted thirty days after its end, with the address in it', async () => {
  const owner = await app.person()
  await owner.post(`/accounts/${owner.account}/invitations`, { email: 'nora@people.example', role: 'viewer' })
  const { rows } = await app.db.query('select max(expires_at) as end from invitations')
  const left = async () => {
    await expireUsers(app.deps.db, app.clock.now())
    return (await app.db.query('select email from invitations')).rows
  }
  app.clock.advance(rows[0].end.getTime() + 30 * dayMs - app.clock.now().getTime())
  expect(await left()).toEqual([{ email: 'nora@people.example' }])
  app.clock.advance(1)
  expect(await left()).toEqual([])
})
