import { passwordHasher } from '../../src/customers/users/passwords/hasher.ts'
import { updatePassword } from '../../src/customers/users/queries.ts'
import type { TestApp, TestKey } from './app.ts'
import type { TestReply } from './client.ts'
import type { TestUser, UserTraits } from './user.ts'

/** Somebody who calls the console's routes about their account. */
export interface TestMember extends TestUser {
  look(path: string, headers?: Record<string, string>): Promise<TestReply>
  ask(path: string, body: object, headers?: Record<string, string>): Promise<TestReply>
  /** The internal id. */
  number: number
}

/** Creates a member. Paths of `look` and `ask` are relative to the routes of their account. */
export async function createMember(app: TestApp, traits: UserTraits = {}): Promise<TestMember> {
  const user = await app.person({ role: 'member', ...traits })
  const of = (path: string) => `/accounts/${user.account}${path}`
  return {
    ...user,
    look: (path, headers) => user.get(of(path), headers),
    ask: (path, body, headers) => user.post(of(path), body, headers),
    number: app.deps.ids.open(user.id)!.value,
  }
}

/** The internal id of a key. */
export const keyNumber = (app: TestApp, key: TestKey) => app.deps.ids.open(key.id)!.value

export interface SpentEntry {
  meter: string
  amount: number
  key_id: number | null
  person_id: number | null
  request_id: string
}

/** The ledger of an account, oldest first. */
export async function readLedger(app: TestApp, account: string): Promise<SpentEntry[]> {
  const { rows } = await app.db.query<SpentEntry>(
    'select meter, amount, key_id, person_id, request_id from ledger where account_id = $1 order by entry',
    [app.accountNumber(account)],
  )
  return rows
}

export interface Spent {
  contact_credits: number
  store_exports: number
  search_rows: number
}

/** What the counters of an account say, over all periods. */
export async function readSpent(app: TestApp, account: string): Promise<Spent> {
  const { rows } = await app.db.query<Spent>(
    `select coalesce(sum(used) filter (where meter = 'contact_credits'), 0) as contact_credits,
            coalesce(sum(used) filter (where meter = 'store_exports'), 0) as store_exports,
            coalesce(sum(used) filter (where meter = 'search_rows'), 0) as search_rows
     from usage_counters where account_id = $1`,
    [app.accountNumber(account)],
  )
  return rows[0]!
}

/** How many rows a user has looked at in the hour. */
export async function readViewed(app: TestApp, { number }: TestMember): Promise<number> {
  const { rows } = await app.db.query('select rows_viewed from person_windows where person_id = $1', [number])
  return rows[0]?.rows_viewed ?? 0
}

/** Makes the hour of a user begin now with so many rows looked at. */
export async function setViewed(app: TestApp, { number }: TestMember, rows: number): Promise<void> {
  await app.db.query(
    `insert into person_windows (person_id, started_at, rows_viewed, allowance) values ($1, $2, $3, 3000)
     on conflict (person_id) do update set started_at = excluded.started_at, rows_viewed = excluded.rows_viewed`,
    [number, app.clock.now(), rows],
  )
}

/** Lets a user sign in with a password. */
export async function setPassword(app: TestApp, user: TestUser, password: string): Promise<void> {
  const hash = await passwordHasher.hash(password, { email: user.email, address: '127.0.0.1' })
  await updatePassword(app.db, app.deps.ids.open(user.id)!.value, { hash, name: null, at: app.clock.now() })
}
