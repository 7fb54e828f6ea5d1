import { beforeAll, describe, expect, test } from 'vitest'
import { doorsOf } from '../../../src/customers/admission/doors.ts'
import { deedKinds, spendsOf } from '../../../src/customers/auth/access.ts'
import { roles } from '../../../src/customers/auth/roles.ts'
import type { ConsoleRoute } from '../../../src/doors/console/guard.ts'
import { guardConsole, KnownSessions } from '../../../src/doors/console/guard.ts'
import { openDoors } from '../../../src/foundation/http/doors.ts'
import { createHttpServer } from '../../../src/foundation/http/server.ts'
import { buildApp } from '../../../src/program/app.ts'
import { startTestApp, type TestApp } from '../../support/app.ts'
import type { TestReply } from '../../support/client.ts'
import type { ConsoleClient } from '../../support/user.ts'
import { newBrowser } from './support/users.ts'

let app: TestApp
let routes: ConsoleRoute[]
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  const built = await buildApp(app.deps)
  routes = built.consoleRoutes
  await built.close()
})

/** The role in an account that a route needs; undefined for one that is not about an account. */
const roleOf = ({ door, access }: ConsoleRoute) => (door === 'member' ? access.member?.role : undefined)
const isRole = (route: ConsoleRoute) => roleOf(route) !== undefined
/** The rules of a route's kind; undefined where the body decides. */
const rulesOf = ({ access }: ConsoleRoute) => (typeof access.kind === 'string' ? deedKinds[access.kind] : undefined)
const isChange = ({ method }: ConsoleRoute) => method !== 'GET'

/** Calls a route with placeholders for its other parameters and without a body. */
function call(client: ConsoleClient, route: ConsoleRoute, account: string, headers = {}): Promise<TestReply> {
  const path = route.url.replace('/console/api', '').replace(':account', account).replace(/:\w+/g, 'something')
  const method = route.method.toLowerCase() as keyof ConsoleClient
  return method === 'get' ? client.get(path, headers) : client[method](path, isChange(route) ? {} : undefined, headers)
}

const codeOf = ({ status, body }: TestReply) => `${status} ${body?.error?.code}`
const nameOf = ({ method, url }: ConsoleRoute) => `${method} ${url}`

/** The replies to a call of each of these routes, as `METHOD /path: status code`, without those that are as expected. */
async function unexpected(wanted: ConsoleRoute[], expected: string, call: (route: ConsoleRoute) => Promise<TestReply>) {
  expect(wanted.length).toBeGreaterThan(0)
  const results: string[] = []
  for (const route of wanted) {
    const code = codeOf(await call(route))
    if (code !== expected) results.push(`${nameOf(route)}: ${code}`)
  }
  return results
}

describe('every route of the console', () => {
  test('that needs a session refuses without one, and does not speak of keys', async () => {
    const needsSession = routes.filter(({ door }) => door !== 'anyone')
    const { account } = await app.person()
    for (const cookie of [{}, { cookie: 'storedex_session=made-up' }, { cookie: `storedex_session=${'A'.repeat(43)}` }])
      expect(
        await unexpected(needsSession, '401 not_signed_in', (route) => call(newBrowser(app), route, account, cookie)),
      ).toEqual([])
    const reply = await newBrowser(app).get('/session')
    expect(reply.headers.get('www-authenticate')).toBeNull()
    expect(reply.headers.get('cache-control')).toBe('no-store')
  })

  test('that changes something refuses pages of other sites, before anything else', async () => {
    const { account } = await app.person()
    const ours = new URL(app.url).host
    const sites: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'cross-site', origin: app.url },
      { origin: 'https://elsewhere.example' },
      { origin: `http://${ours}.elsewhere.example` },
      { origin: 'null' },
    ]
    const owner = await app.person({ account })
    for (const headers of sites)
      expect(
        await unexpected(routes.filter(isChange), '403 cross_site_request', (route) =>
          call(owner, route, account, headers),
        ),
      ).toEqual([])
  })

  test('about an account is not there for strangers, as for accounts that do not exist', async () => {
    const { account } = await app.person()
    const [stranger, operator] = [await app.person(), await app.person({ operator: true })]
    const made = app.deps.ids.seal('account', 999_999)
    for (const [client, id] of [
      [stranger, account],
      [operator, account],
      [stranger, made],
      [stranger, 'acct_nobody'],
      [stranger, app.deps.ids.seal('key', app.accountNumber(account))],
    ] as const)
      expect(
        await unexpected(routes.filter(isRole), '404 account_not_found', (route) => call(client, route, id)),
      ).toEqual([])
  })

  test('refuses the roles below the one that it needs', async () => {
    for (const [index, role] of roles.entries()) {
      const user = await app.person({ role })
      const above = routes.filter((route) => roles.indexOf(roleOf(route)!) > index)
      if (above.length === 0) continue
      expect(await unexpected(above, '403 insufficient_role', (route) => call(user, route, user.account))).toEqual([])
    }
  })

  test('of operators refuses everybody else', async () => {
    const owner = await app.person()
    const ofOperators = routes.filter(({ door }) => door === 'operator')
    expect(
      await unexpected(ofOperators, '403 insufficient_role', (route) => call(owner, route, owner.account)),
    ).toEqual([])
  })

  test('that needs a fresh sign-in refuses after ten minutes', async () => {
    const user = await app.person({ operator: true })
    app.clock.advance(10 * 60_000)
    const fresh = routes.filter((route) => rulesOf(route)?.fresh)
    expect(await unexpected(fresh, '403 fresh_sign_in_required', (route) => call(user, route, user.account))).toEqual(
      [],
    )
  })

  test('that needs access refuses an account without a plan, and says how to get one', async () => {
    const user = await app.person({ plan: 'free' })
    const needing = routes.filter(({ door, access }) => door === 'member' && access.member?.needsAccess)
    expect(await unexpected(needing, '403 api_access_required', (route) => call(user, route, user.account))).toEqual([])
  })

  test('spends nothing and changes nothing for an operator who sees as the account', async () => {
    const { account } = await app.person()
    const operator = await app.person({ operator: true, account: null })
    await seeAs(operator.id, account)
    const closed = routes.filter(isRole).filter((route) => {
      const spent = spendsOf(route.access, route.door).length > 0
      return roleOf(route) !== 'viewer' || spent || !rulesOf(route) || rulesOf(route)?.changes
    })
    expect(await unexpected(closed, '403 insufficient_role', (route) => call(operator, route, account))).toEqual([])
    const open = routes.filter(isRole).filter((route) => !closed.includes(route))
    for (const route of open) expect(codeOf(await call(operator, route, account))).not.toMatch(/insufficient_role|not_/)
  })
})

/** As an operator does in the console. */
async function seeAs(user: string, account: string | null): Promise<void> {
  await app.db.query('update sessions set see_as_account_id = $2::bigint where person_id = $1::bigint', [
    app.deps.ids.open(user)!.value,
    account === null ? null : app.accountNumber(account),
  ])
}

describe('a session', () => {
  test('of an operator ends half a day after the sign-in, and that of anybody else goes on', async () => {
    const [operator, owner] = [await app.person({ operator: true }), await app.person()]
    app.clock.advance(12 * 3_600_000 - 1)
    expect((await operator.get('/session')).status).toBe(200)
    app.clock.advance(1)
    expect(codeOf(await operator.get('/session'))).toBe('401 not_signed_in')
    expect((await owner.get('/session')).status).toBe(200)
  })
})

describe('a request', () => {
  test('of our own pages and of programs passes the check of its origin', async () => {
    const user = await app.person()
    for (const headers of [
      {},
      { 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'none' },
      { origin: app.url },
      { origin: `https://${new URL(app.url).host}` },
    ] as Record<string, string>[])
      expect((await user.put('/settings', { settings: {} }, headers)).status).toBe(200)
  })

  test('with a form as its body is refused', async () => {
    const { cookie } = await app.person()
    for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data; boundary=x']) {
      const reply = await fetch(`${app.url}/console/api/settings`, {
        method: 'PUT',
        headers: { cookie, 'content-type': type },
        body: '{"settings":{}}',
      })
      expect(reply.status).toBe(415)
    }
  })

  test('of somebody whose role was changed has the new rights at once', async () => {
    const user = await app.person({ role: 'viewer' })
    const [accountId, userId] = [app.accountNumber(user.account), app.deps.ids.open(user.id)!.value]
    const ownerOnly = routes.find((route) => route.method === 'GET' && roleOf(route) === 'owner')!
    expect(codeOf(await call(user, ownerOnly, user.account))).toBe('403 insufficient_role')
    const setRole = 'update members set role = $3::text where account_id = $1::bigint and person_id = $2::bigint'
    await app.db.query(setRole, [accountId, userId, 'owner'])
    expect((await call(user, ownerOnly, user.account)).status).toBe(200)
    await app.db.query('delete from members where account_id = $1::bigint', [accountId])
    expect(codeOf(await call(user, ownerOnly, user.account))).toBe('404 account_not_found')
  })

  test('of an operator who lost the mark sees as nobody any more', async () => {
    const { account } = await app.person()
    const operator = await app.person({ operator: true, account: null })
    await seeAs(operator.id, account)
    expect((await operator.get('/session')).body.see_as).toMatchObject({ account: { id: account } })
    await app.person({ email: operator.email, account: null, operator: false })
    const viewed = routes.find((route) => route.method === 'GET' && roleOf(route) === 'viewer')!
    expect(codeOf(await call(operator, viewed, account))).toBe('404 account_not_found')
    expect((await operator.get('/session')).body.see_as).toBeNull()
  })

  test('with a body that does not fit is refused for the session, the account and the role first', async () => {
    const withBody = routes.find((route) => route.method === 'POST' && roleOf(route) === 'admin')!
    const viewer = await app.person({ role: 'viewer' })
    const wrong = (client: ConsoleClient, account: string) =>
      client.post(withBody.url.replace('/console/api', '').replace(':account', account).replace(/:\w+/g, 'x'), {
        nonsense: true,
      })
    expect(codeOf(await wrong(newBrowser(app), viewer.account))).toBe('401 not_signed_in')
    expect(codeOf(await wrong(await app.person(), viewer.account))).toBe('404 account_not_found')
    expect(codeOf(await wrong(viewer, viewer.account))).toBe('403 insufficient_role')
  })
})

describe('a route below /console/api', () => {
  const server = () => {
    const server = createHttpServer({ observers: [], checkReadiness: async () => null })
    const { ids, plans } = app.deps
    guardConsole(server, { ids, plans, publicUrl: app.url, sessions: new KnownSessions() })
    return server
  }
  const handler = () => ({})

  test('must declare who may call it', () => {
    expect(() => server().get('/console/api/new', handler)).toThrow(/declares config.access/)
    expect(() => openDoors(server(), doorsOf).get('/new', {}, handler)).toThrow(/declares config.access/)
  })

  test('that needs a role is about an account', () => {
    const built = server()
    const access = { member: { role: 'owner' }, kind: 'read' } as const
    openDoors(built, doorsOf).get('/new', { config: { access } }, handler)
    expect(built.consoleRoutes.map(({ url }) => url)).toEqual(['/console/api/accounts/:account/new'])
  })
})
