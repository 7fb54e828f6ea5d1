import type { Pool, Queryable } from '../../foundation/db/pool.ts'
import { Refusal } from '../../foundation/kernel/errors.ts'
import type { IdSealer } from '../../foundation/kernel/ids.ts'
import { requireUserAddress } from '../../foundation/kernel/mail/user-address.ts'
import type { ActorContext } from '../auth/actor.ts'
import type { Role } from '../auth/roles.ts'
import { type MembershipRow, selectMemberships } from './members/queries.ts'
import { insertUser, type RegisteredUser, selectUserByEmail } from './queries.ts'

/** The context of what is done to users. */
export interface UsersContext extends ActorContext {
  db: Pool
  ids: IdSealer
}

/** Creates a user without a password; undefined if the address is taken. Throws unless it is a plain address. */
export function createUser(
  db: Queryable,
  user: { email: string; name: string; operator?: boolean; now: Date },
): Promise<RegisteredUser | undefined> {
  const { email, name, operator = false, now } = user
  return insertUser(db, { email: requireUserAddress(email), name, operator, createdAt: now })
}

/** Also finds users whose address would be refused today. */
export function findUserByEmail(db: Queryable, email: string): Promise<RegisteredUser | undefined> {
  return selectUserByEmail(db, email.trim().toLowerCase())
}

/** The user with this address. Throws `person_not_found`. */
export async function requireUser(db: Queryable, email: string): Promise<RegisteredUser> {
  const user = await findUserByEmail(db, email)
  if (!user) throw new Refusal('person_not_found', `Nobody has the address ${JSON.stringify(email)}.`)
  return user
}

/** A user with their memberships. */
export interface UserReport {
  id: string
  email: string
  name: string
  operator: boolean
  accounts: { id: string; role: Role }[]
}

export async function reportUsers(
  { db, ids }: Pick<UsersContext, 'ids'> & { db: Queryable },
  users: readonly RegisteredUser[],
): Promise<UserReport[]> {
  const memberships = await selectMemberships(
    db,
    users.map(({ id }) => id),
  )
  const accountsOf = new Map<number, MembershipRow[]>()
  for (const row of memberships) accountsOf.set(row.person_id, [...(accountsOf.get(row.person_id) ?? []), row])
  return users.map((user) => ({
    id: ids.seal('person', user.id),
    email: user.email,
    name: user.name,
    operator: user.operator,
    accounts: (accountsOf.get(user.id) ?? []).map(({ account_id, role }) => ({
      id: ids.seal('account', account_id),
      role,
    })),
  }))
}
