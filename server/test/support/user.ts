import { openAccount } from '../../src/customers/accounts/open-account.ts'
import type { PlanSlug } from '../../src/customers/accounts/plans.ts'
import { openAccountId } from '../../src/customers/accounts/read-account.ts'
import type { Role } from '../../src/customers/auth/roles.ts'
import { upsertMember } from '../../src/customers/users/members/queries.ts'
import { updateOperator } from '../../src/customers/users/queries.ts'
import { createSession } from '../../src/customers/users/sessions/sessions.ts'
import { createUser, findUserByEmail } from '../../src/customers/users/user.ts'
import type { Deps } from '../../src/operations/deps.ts'
import type { TestReply } from './client.ts'

export interface UserTraits {
  /** Public id of an account; by default a new one on an active pro plan; null for none. */
  account?: string | null
  plan?: PlanSlug
  /** Default: owner. */
  role?: Role
  operator?: boolean
  /** Default: an address of their own. An existing user gets another session. */
  email?: string
  name?: string
}

type ExtraHeaders = Record<string, string>

/** Calls the console's API. Paths are relative to /console/api. */
export interface ConsoleClient {
  get(path: string, headers?: ExtraHeaders): Promise<TestReply>
  post(path: string, body?: unknown, headers?: ExtraHeaders): Promise<TestReply>
  put(path: string, body?: unknown, headers?: ExtraHeaders): Promise<TestReply>
  patch(path: string, body?: unknown, headers?: ExtraHeaders): Promise<TestReply>
  delete(path: string, body?: unknown, headers?: ExtraHeaders): Promise<TestReply>
}

/** Somebody who is signed in to the console. */
export interface TestUser extends ConsoleClient {
  /** `per_…` */
  id: string
  email: string
  /** Public id of the account; empty without one. */
  account: string
  /** The `Cookie` header of the session. */
  cookie: string
}

/** A browser with this cookie; null for none. */
export function createConsoleClient(url: string, cookie: string | null): ConsoleClient {
  const send =
    (method: string) =>
    async (path: string, body?: unknown, headers: ExtraHeaders = {}) => {
      const response = await fetch(`${url}/console/api${path}`, {
        method,
        redirect: 'manual',
        headers: {
          ...(cookie === null ? {} : { cookie }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      const isJson = response.headers.get('content-type')?.includes('json')
      return {
        status: response.status,
        headers: response.headers,
        body: isJson && text !== '' ? JSON.parse(text) : text || undefined,
      }
    }
  return {
    get: (path, headers) => send('GET')(path, undefined, headers),
    post: send('POST'),
    put: send('PUT'),
    patch: send('PATCH'),
    delete: send('DELETE'),
  }
}

/** Creates a user with a session, without a password, and their account. */
export async function createTestUser(url: string, deps: Deps, traits: UserTraits): Promise<TestUser> {
  const { db, ids, clock } = deps
  const now = clock.now()
  const email = traits.email ?? `person-${crypto.randomUUID()}@people.example`
  const known = await findUserByEmail(db, email)
  const user = known ?? (await createUser(db, { email, name: traits.name ?? 'Test Person', now }))!
  if (traits.operator !== undefined) await updateOperator(db, user.id, traits.operator)
  const newAccount = async () =>
    ids.seal('account', (await openAccount(db, { name: 'Test account', plan: traits.plan ?? 'pro' }, now)).id)
  const account = traits.account === undefined ? await newAccount() : traits.account
  if (account !== null) {
    const accountId = openAccountId(ids, account)
    await upsertMember(db, { accountId, userId: user.id, role: traits.role ?? 'owner', addedAt: now })
  }
  const browser = { address: '127.0.0.1', userAgent: 'test' }
  const cookie = `storedex_session=${await createSession(db, { userId: user.id, browser, now })}`
  const id = ids.seal('person', user.id)
  return { ...createConsoleClient(url, cookie), id, email, account: account ?? '', cookie }
}
