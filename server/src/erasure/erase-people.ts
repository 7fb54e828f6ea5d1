import { refreshStoreSummaries } from '../catalogue/store-summaries.ts'
import type { Client } from '../db/pool.ts'
import {
  computeIdentities,
  type Identity,
  type IdentityHasher,
  type PersonIdentities,
} from '../encryption/identities.ts'
import { type ContactSeals, openStoredContact } from '../encryption/keyring.ts'
import { contactKey } from '../kernel/ids.ts'
import * as load from './queries.ts'

/** Somebody to be erased at one store, and what is remembered so that no import brings them back. */
export interface Erasure {
  contact: load.ContactKey
  suppressed: Identity[]
}

/**
 * Whom erasing these people takes along: they themselves, and whoever shares a mailbox or a profile of their own with one
 * of them, at whatever store; it is the same person. What others may have too (a switchboard, info@) leads to nobody, and
 * is suppressed only where nobody else on file has it.
 */
export async function planErasures(
  client: Client,
  seals: ContactSeals,
  seeds: readonly load.PersonRow[],
): Promise<Erasure[]> {
  const people = await findSamePeople(client, seals, seeds)
  const shareable = people.flatMap(({ identities }) => identities.shareable)
  const holdersHere = countEach(shareable)
  const holders =
    shareable.length > 0 ? await load.countContactsByHash(client, [...holdersHere.keys()]) : new Map<string, number>()
  const isShared = ({ hash }: Identity) => (holders.get(hash) ?? 0) > holdersHere.get(hash)!
  return people.map(({ row, identities: { own, shareable, record } }) => ({
    contact: row,
    suppressed: [...own, record, ...shareable.filter((identity) => !isShared(identity))],
  }))
}

interface Person {
  row: load.PersonRow
  identities: PersonIdentities
}

async function findSamePeople(
  client: Client,
  { sealer, identities: hasher }: ContactSeals,
  seeds: readonly load.PersonRow[],
): Promise<Person[]> {
  const people = new Map<number, Person>()
  const known = new Set<string>()
  let fresh: string[] = []
  const add = (person: Person) => {
    people.set(contactKey(person.row.store_id, person.row.number), person)
    for (const { hash } of person.identities.own) {
      if (!known.has(hash)) fresh.push(hash)
      known.add(hash)
    }
  }
  const open = (row: load.PersonRow): Person => ({ row, identities: identify(sealer, hasher, row) })
  for (const row of seeds) add(open(row))
  while (fresh.length > 0) {
    const wanted = fresh
    fresh = []
    for (const row of await load.findPeopleByHashes(client, wanted)) {
      if (people.has(contactKey(row.store_id, row.number))) continue
      const person = open(row)
      // What is this person's own may be a role's mailbox to somebody else.
      if (person.identities.own.some(({ hash }) => known.has(hash))) add(person)
    }
  }
  return [...people.values()]
}

function identify(sealer: ContactSeals['sealer'], hasher: IdentityHasher, row: load.PersonRow): PersonIdentities {
  const { store_id: storeId, number, external_key: externalKey, country, sealed } = row
  const facts = openStoredContact(sealer, storeId, number, sealed)
  return computeIdentities(hasher, facts, { storeId, externalKey, country })
}

function countEach(identities: readonly Identity[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { hash } of identities) counts.set(hash, (counts.get(hash) ?? 0) + 1)
  return counts
}

/**
 * Deletes people with all that is kept of them, in the caller's transaction, which holds the catalogue's lock; what their
 * stores say of them goes with it, in one numbered batch. Purchases and the ledger stay: they know numbers only. Answers
 * how many were still there.
 */
export async function erasePeople(client: Client, erasures: readonly Erasure[], now: Date): Promise<number> {
  if (erasures.length === 0) return 0
  const positions = erasures.map(({ contact }) => contact)
  const erased = await load.deleteContacts(client, positions)
  await load.deleteKeptReplies(
    client,
    positions.map((position) => contactKey(position.store_id, position.number)),
  )
  await load.insertSuppressions(
    client,
    erasures.flatMap(({ suppressed }) => suppressed),
    now,
  )
  await refreshStoreSummaries(client, [...new Set(positions.map((position) => position.store_id))])
  return erased
}
