import type { Pool, Queryable } from '../../foundation/db/pool.ts'
import { Refusal } from '../../foundation/kernel/errors.ts'
import type { IdSealer } from '../../foundation/kernel/ids.ts'
import { requireUserAddress } from '../../foundation/kernel/mail/user-address.ts'
import type { ActorContext } from '../auth/actor.ts'
import type { Role } from '../auth/roles.ts'
import { type MembershipRow, selectMemberships } from './members/queries.ts'
import { insertPerson, type RegisteredPerson, selectPersonByEmail } from './queries.ts'

/** The context of what is done to people. */
export interface PeopleContext extends ActorContext {
  db: Pool
  ids: IdSealer
}

/** Creates a person without a password; undefined when somebody has this address. Throws for no plain address. */
export function createPerson(
  db: Queryable,
  person: { email: string; name: string; operator?: boolean; now: Date },
): Promise<RegisteredPerson | undefined> {
  const { email, name, operator = false, now } = person
  return insertPerson(db, { email: requireUserAddress(email), name, operator, createdAt: now })
}

/** Also finds somebody whose address would no longer be accepted. */
export function findPersonByEmail(db: Queryable, email: string): Promise<RegisteredPerson | undefined> {
  return selectPersonByEmail(db, email.trim().toLowerCase())
}

/** The person with this address. Throws `person_not_found`. */
export async function requirePerson(db: Queryable, email: string): Promise<RegisteredPerson> {
  const person = await findPersonByEmail(db, email)
  if (!person) throw new Refusal('person_not_found', `Nobody has the address ${JSON.stringify(email)}.`)
  return person
}

/** A person with their memberships. */
export interface PersonReport {
  id: string
  email: string
  name: string
  operator: boolean
  accounts: { id: string; role: Role }[]
}

export async function reportPeople(
  { db, ids }: Pick<PeopleContext, 'ids'> & { db: Queryable },
  people: readonly RegisteredPerson[],
): Promise<PersonReport[]> {
  const memberships = await selectMemberships(
    db,
    people.map(({ id }) => id),
  )
  const accountsOf = new Map<number, MembershipRow[]>()
  for (const row of memberships) accountsOf.set(row.person_id, [...(accountsOf.get(row.person_id) ?? []), row])
  return people.map((person) => ({
    id: ids.seal('person', person.id),
    email: person.email,
    name: person.name,
    operator: person.operator,
    accounts: (accountsOf.get(person.id) ?? []).map(({ account_id, role }) => ({
      id: ids.seal('account', account_id),
      role,
    })),
  }))
}
