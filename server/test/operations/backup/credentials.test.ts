import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { setKeyLimits } from '../../../src/customers/keys/change-key.ts'
import { registerUser, removeUser, setOperator } from '../../../src/customers/users/manage-users.ts'
import { endMembership } from '../../../src/customers/users/members/change-members.ts'
import { isNeverCopied } from '../../../src/operations/backup/left-out.ts'
import { comparedTables } from '../../../src/operations/backup/stricter-queries.ts'
import { createAuthenticator } from '../../customers/users/support/authenticator.ts'
import { cookieOf, givePassword, goodPassword, newLink } from '../../customers/users/support/users.ts'
import { startTestApp, type TestApp } from '../../support/app.ts'
import { createClient, type Json } from '../../support/client.ts'
import { commandsOf } from '../../support/deps.ts'
import { createConsoleClient } from '../../support/user.ts'
import {
  backUpTo,
  createTarget,
  migrationsDir,
  query,
  restoreFrom,
  type Target,
  temporaryFolder,
} from './support/backups.ts'
import { serveRestored } from './support/restored.ts'

const now = '2026-11-22T12:00:00.000Z'
const otherPassword = 'violet anchor 7 thunder mill'
let app: TestApp
let source: Target

beforeAll(async () => {
  app = await startTestApp({ now })
  app.url = app.url.replace('127.0.0.1', 'localhost')
  source = { url: app.deps.databaseUrl, dataDir: '/nowhere', dataKeys: app.deps.config.dataKeys, migrationsDir }
})

const here = () => ({ origin: app.url })

async function backUp(folder = temporaryFolder()): Promise<string> {
  const file = join(folder, `${crypto.randomUUID()}.backup`)
  await backUpTo(file, source)
  return file
}

/** Restores `older` over an installation that is as `present` says. */
async function restoreOver(present: string, older: string) {
  const target = await createTarget()
  await restoreFrom(present, target)
  return { target, result: await restoreFrom(older, target, { replace: true }) }
}

async function addPasskey(cookie: string, name: string) {
  const browser = createConsoleClient(app.url, cookie)
  const authenticator = createAuthenticator()
  const { body } = await browser.post('/passkeys/registration-options', undefined, here())
  const response = authenticator.create(body.options, app.url)
  const added = await browser.post('/passkeys', { name, response }, here())
  expect(added.status).toBe(200)
  return { id: added.body.id as string, authenticator }
}

describe('into an empty installation', () => {
  test('no session, link, invitation or privacy link of before works, and what is valid again is listed', async () => {
    const person = await app.person({ operator: true, name: 'Ole Operator' })
    const signedIn = await givePassword(app, person.email)
    const [link, reset] = [await newLink(app, person.email), await newLink(app, person.email, 'set_password')]
    const browser = createConsoleClient(app.url, cookieOf(signedIn))
    const invited = await browser.post(`/accounts/${person.account}/invitations`, {
      email: 'invited@people.example',
      role: 'member',
    })
    const invitation = invited.body.link.split('#')[1]
    const key = await app.keyOf(person.account, {})
    const revoked = await app.keyOf(person.account, {})
    await app.revokeKey(revoked)
    await app.db.query(
      `insert into privacy_requests (token_hash, requested_at, expires_at, ended_at, outcome)
       values ('\\x01', $1, $1, null, null), ('\\x02', $1, $1, $1, 'kept')`,
      [new Date(now)],
    )
    const target = await createTarget()
    const { kept, revived } = await restoreFrom(await backUp(), target)

    expect(kept).toBeNull()
    const { id, account } = person
    expect(revived.operators).toContainEqual({ id, email: person.email, name: 'Ole Operator' })
    expect(revived.keys.filter((each) => each.account === account)).toEqual([
      { id: key.id, account, name: expect.any(String), mode: 'live', display: expect.stringMatching(/^sdx_live_.*…/) },
    ])
    expect(await query(target.url, 'select outcome from privacy_requests')).toEqual([{ outcome: 'kept' }])

    const url = await serveRestored(target.url, now)
    const stranger = createConsoleClient(url, null)
    for (const cookie of [person.cookie, cookieOf(signedIn)])
      expect((await createConsoleClient(url, cookie).get('/session')).status).toBe(401)
    for (const token of [link, reset, invitation])
      expect((await stranger.post('/link', { token })).status, token).toBe(410)
    expect((await stranger.post('/sign-in', { email: person.email, password: goodPassword })).status).toBe(200)
  })
})

describe('over the installation that the backup was made of', () => {
  test('what was taken back since stays taken back', async () => {
    const key = await app.key({ budget: { search_rows: 900 } })
    const { account } = key
    const [revoked, suspended, rotated] = [
      await app.keyOf(account, {}),
      await app.keyOf(account, {}),
      await app.keyOf(account, {}),
    ]
    const operator = await app.person({ account, operator: true })
    const member = await app.person({ account, role: 'admin' })
    const lowered = await app.person({ account, role: 'admin' })
    const removed = await app.person({ account, role: 'member' })
    for (const { email } of [operator, member, removed]) await givePassword(app, email)
    const stolen = await addPasskey((await app.person({ email: member.email, account: null })).cookie, 'Stolen')
    const [suspendedAccount, closedAccount] = [await app.key({}), await app.key({})]
    const older = await backUp()

    app.clock.advance(60_000)
    await app.revokeKey(revoked)
    await app.suspendKey(suspended)
    await setKeyLimits(commandsOf(app.operator), key.id, { budget: { search_rows: 5 } })
    const end = new Date(app.clock.now().getTime() + 1_000)
    await app.db.query("update api_keys set expires_at = $1, scopes = '{stores:read}' where id = $2", [
      end,
      app.deps.ids.open(rotated.id)!.value,
    ])
    await setOperator(commandsOf(app.operator), operator.email, false)
    await givePassword(app, operator.email, otherPassword)
    await endMembership(commandsOf(app.operator), { accountId: app.accountNumber(account), person: member.id })
    const browser = createConsoleClient(app.url, (await app.person({ email: member.email, account: null })).cookie)
    expect((await browser.delete(`/passkeys/${stolen.id}`, undefined, here())).status).toBe(200)
    await removeUser(commandsOf(app.operator), removed.email)
    await app.db.query("update members set role = 'viewer' where person_id = $1", [
      app.deps.ids.open(lowered.id)!.value,
    ])
    await app.db.query('update accounts set suspended_at = $1 where id = $2', [
      end,
      app.accountNumber(suspendedAccount.account),
    ])
    await app.db.query('update accounts set closed_at = $1 where id = $2', [
      end,
      app.accountNumber(closedAccount.account),
    ])
    const present = await backUp()

    const { target, result } = await restoreOver(present, older)
    expect(result.kept).toEqual({
      accounts: 2,
      keys: 4,
      people: 1,
      operators: 1,
      passwords: 1,
      passkeys: 1,
      memberships: 2,
    })
    expect(result.revived).toEqual({ keys: [], operators: [] })
    const url = await serveRestored(target.url, app.clock.now().toISOString())
    const statusOf = async ({ secret }: { secret: string }) =>
      (await createClient(url, secret).post('/stores/search', { limit: 1 })).status
    expect(await Promise.all([revoked, suspended, suspendedAccount, closedAccount].map(statusOf))).toEqual([
      401, 401, 403, 403,
    ])
    expect((await createClient(url, key.secret).get('/usage')).status).toBe(200)
    const stranger = createConsoleClient(url, null)
    const signIn = (email: string, password: string) => stranger.post('/sign-in', { email, password })
    expect((await signIn(operator.email, goodPassword)).status).toBe(401)
    const again = await signIn(operator.email, otherPassword)
    expect(again.body.person).toMatchObject({ id: operator.id, operator: false })
    expect((await signIn(removed.email, goodPassword)).status).toBe(401)
    expect((await signIn(member.email, goodPassword)).body.accounts).toEqual([])
    const found = await query<Json>(
      target.url,
      `select expires_at, scopes from api_keys where id = ${app.deps.ids.open(rotated.id)!.value}
       union all select null, array[m.role::text] from members m where person_id = ${app.deps.ids.open(lowered.id)!.value}
       union all select null, array[budget_search_rows::text] from api_keys where id = ${app.deps.ids.open(key.id)!.value}`,
    )
    expect(found).toEqual([
      { expires_at: end, scopes: ['stores:read'] },
      { expires_at: null, scopes: ['viewer'] },
      { expires_at: null, scopes: ['5'] },
    ])
  })

  test('what became less strict since is as in the backup', async () => {
    const key = await app.key({ budget: { search_rows: 5 } })
    await app.suspendKey(key)
    const person = await app.person({ account: key.account, role: 'member' })
    const older = await backUp()
    await app.resumeKey(key)
    await setKeyLimits(commandsOf(app.operator), key.id, { budget: { search_rows: 900 } })
    await app.db.query("update members set role = 'owner' where person_id = $1", [app.deps.ids.open(person.id)!.value])
    await setOperator(commandsOf(app.operator), person.email, true)
    const { target, result } = await restoreOver(await backUp(), older)
    expect(result.revived).toEqual({ keys: [], operators: [] })
    expect(
      await query(
        target.url,
        `select k.suspended_at is not null as suspended, k.budget_search_rows, m.role, p.operator
         from api_keys k, members m, people p
         where k.id = ${app.deps.ids.open(key.id)!.value} and m.person_id = p.id and p.id = ${app.deps.ids.open(person.id)!.value}`,
      ),
    ).toEqual([{ suspended: true, budget_search_rows: 5, role: 'member', operator: false }])
  })

  test('the audit log is kept, and no number that it names is given again', async () => {
    await app.person()
    const older = await backUp()
    const created = await registerUser(commandsOf(app.operator), {
      email: `later-${crypto.randomUUID()}@people.example`,
      name: 'Later',
      membership: null,
      operator: true,
    })
    const log = 'select * from audit_log order by entry'
    const before = await query<Json>(source.url, log)
    expect(before.at(-2)).toMatchObject({ action: 'person.created', target: created.report.id })
    const { target } = await restoreOver(await backUp(), older)
    const [afterEmpty, restored] = (await query<Json>(target.url, log)).slice(before.length)
    // The first restore into the empty target, and the second.
    expect((await query<Json>(target.url, log)).slice(0, before.length)).toEqual(before)
    expect(afterEmpty).toMatchObject({ action: 'installation.restored', details: { same_installation: false } })
    expect(restored).toMatchObject({ action: 'installation.restored', details: { same_installation: true } })
    const [{ id }] = (await query<Json>(
      target.url,
      "insert into people (email, name, created_at) values ('next@people.example', 'Next', now()) returning id",
    )) as [Json]
    expect(Number(id)).toBeGreaterThan(app.deps.ids.open(created.report.id)!.value)
  })

  test('a newer backup brings back who is missing only because an older one was restored first', async () => {
    const account = (await app.key({})).account
    const known = await app.person({ account, role: 'owner' })
    const monday = await backUp()
    app.clock.advance(60_000)
    const added = await app.person({ account, role: 'member', operator: true })
    const key = await app.keyOf(account, {})
    const wednesday = await backUp()
    app.clock.advance(60_000)
    await givePassword(app, known.email)
    const target = await createTarget()
    await restoreFrom(await backUp(), target)
    await restoreFrom(monday, target, { replace: true })
    const { kept, revived } = await restoreFrom(wednesday, target, { replace: true })
    expect(kept).toMatchObject({ people: 0, memberships: 0, keys: 0 })
    // They were not here, so they are named.
    expect(revived.operators.map(({ id }) => id)).toEqual([added.id])
    expect(revived.keys.map(({ id }) => id)).toEqual([key.id])
  })

  test('an account whose owner was removed since, and whose new owner is not in the backup, is named', async () => {
    const first = await app.person({ role: 'owner' })
    const older = await backUp()
    await app.person({ account: first.account, role: 'owner' })
    await removeUser(commandsOf(app.operator), first.email)
    const another = await app.person({ account: first.account, role: 'viewer' })
    expect(another.account).toBe(first.account)
    const { target, result } = await restoreOver(await backUp(), older)
    expect(
      await query(target.url, `select from members where account_id = ${app.accountNumber(first.account)}`),
    ).toEqual([])
    expect(result.without_owner).toEqual([first.account])
  })
})

describe('over another installation', () => {
  test('nothing of it is kept, and all that is valid is listed', async () => {
    const other = await startTestApp({ now })
    const person = await app.person({ operator: true })
    const older = await backUp()
    const target = await createTarget()
    const theirs = join(temporaryFolder(), 'theirs.backup')
    await other.person({ operator: true })
    await backUpTo(theirs, { ...source, url: other.deps.databaseUrl })
    await restoreFrom(theirs, target)
    const { kept, revived } = await restoreFrom(older, target, { replace: true })
    expect(kept).toBeNull()
    expect(revived.operators.map(({ id }) => id)).toContain(person.id)
    expect(await query(target.url, "select from audit_log where action = 'installation.restored'")).toHaveLength(1)
  })
})

test('every table that holds a secret, or its hash, is left out or compared', async () => {
  /** What such a column holds where neither is needed. */
  const others: Record<string, string> = {
    'contacts.sealed': 'a contact',
    'export_chunks.sealed': 'a flag',
    'exports.sha256': 'a checksum',
    'idempotency.key_hash': 'names a reply, which needs an API key too',
    'idempotency.request_hash': 'a checksum',
    'ledger_archives.sha256': 'a checksum',
    'privacy_requests.sealed_email': 'left out with the row, or null',
    'privacy_requests.token_hash': 'of links that have ended',
    'suppressions.hash': 'a person who must not be on file',
    'taxonomy_values.token': 'a number',
    'viewed_pages.page_hash': 'names the page of a query, and opens nothing',
    'stores.tokens': 'numbers',
  }
  const columns = await query<{ name: string; column: string }>(
    source.url,
    `select table_name as name, table_name || '.' || column_name as column from information_schema.columns
     where table_schema = 'public' and column_name ~ '(hash|secret|token|sealed|credential|password|sha256)' order by 2`,
  )
  const undecided = columns.filter(
    ({ name, column }) =>
      !isNeverCopied(name) && !(comparedTables as readonly string[]).includes(name) && !(column in others),
  )
  expect(undecided.map(({ column }) => column)).toEqual([])
})
