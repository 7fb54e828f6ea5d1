import type { Client } from '../../foundation/db/pool.ts'
import type { ContactFacts } from '../../foundation/encryption/contact-facts.ts'
import {
  computeIdentities,
  type Identity,
  type IdentityHasher,
  type PersonIdentities,
} from '../../foundation/encryption/identities.ts'
import { type ContactSeals, openStoredContact } from '../../foundation/encryption/keyring.ts'
import { contactKey } from '../../foundation/kernel/ids.ts'
import { waitForHolders } from '../../product/contacts/hold-queries.ts'
import { expireFilesOfContacts } from '../../product/exports/expire.ts'
import { dropListMembers } from '../../product/lists/upkeep/drop-members.ts'
import { refreshStoreSummaries } from '../writing/store-summaries.ts'
import * as queries from './queries.ts'

/** A contact to erase, and the identities to suppress so that no import adds the person again. */
export interface Erasure {
  contact: queries.ContactKey
  suppressed: Identity[]
}

/**
 * Plans the erasure of people: the given contacts, and all contacts at any store that share a personal mailbox or profile
 * with one of them, directly or through others, because they are the same person. A shareable identity (a switchboard,
 * info@) matches no further contacts, and is suppressed only if no other contact has it.
 */
export async function planErasures(
  client: Client,
  seals: ContactSeals,
  seeds: readonly queries.PersonRow[],
): Promise<Erasure[]> {
  const people = await findSamePeople(client, seals, seeds)
  const shareable = people.flatMap(({ identities }) => identities.shareable)
  const holdersHere = countEach(shareable)
  const holders =
    shareable.length > 0
      ? await queries.countContactsByHash(client, [...holdersHere.keys()])
      : new Map<string, number>()
  const isShared = ({ hash }: Identity) => (holders.get(hash) ?? 0) > holdersHere.get(hash)!
  return people.map(({ row, identities: { own, shareable, record } }) => ({
    contact: row,
    suppressed: [...own, record, ...shareable.filter((identity) => !isShared(identity))],
  }))
}

/** A live contact, opened. */
export interface ErasablePerson {
  row: queries.PersonRow
  facts: ContactFacts
  identities: PersonIdentities
}

/**
 * Finds the contacts that an erasure of `seeds` erases: these, and those that share a personal mailbox or profile with one
 * of them, directly or through others.
 */
export async function findSamePeople(
  client: Client,
  { sealer, identities: hasher }: ContactSeals,
  seeds: readonly queries.PersonRow[],
): Promise<ErasablePerson[]> {
  const people = new Map<number, ErasablePerson>()
  const known = new Set<string>()
  let fresh: string[] = []
  const add = (person: ErasablePerson) => {
    people.set(contactKey(person.row.store_id, person.row.number), person)
    for (const { hash } of person.identities.own) {
      if (!known.has(hash)) fresh.push(hash)
      known.add(hash)
    }
  }
  const open = (row: queries.PersonRow) => openPerson(sealer, hasher, row)
  for (const row of seeds) add(open(row))
  while (fresh.length > 0) {
    const wanted = fresh
    fresh = []
    for (const row of await queries.findPeopleByHashes(client, wanted)) {
      if (people.has(contactKey(row.store_id, row.number))) continue
      const person = open(row)
      // The same mailbox may be personal for one contact and a role mailbox for another.
      if (person.identities.own.some(({ hash }) => known.has(hash))) add(person)
    }
  }
  return [...people.values()]
}

function openPerson(sealer: ContactSeals['sealer'], hasher: IdentityHasher, row: queries.PersonRow): ErasablePerson {
  const { store_id: storeId, number, external_key: externalKey, country, sealed } = row
  const facts = openStoredContact(sealer, storeId, number, sealed)
  return { row, facts, identities: computeIdentities(hasher, facts, { storeId, externalKey, country }) }
}

function countEach(identities: readonly Identity[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { hash } of identities) counts.set(hash, (counts.get(hash) ?? 0) + 1)
  return counts
}

/**
 * Deletes contacts, suppresses their identities and updates the summaries of their stores in one batch. Then takes them off all
 * lists and deletes the kept replies and files of exports that contain them; requests that hold contacts are waited for only here, and
 * wait only from here on. Reveals and the ledger stay, because they contain only numbers. Runs in the caller's transaction, which
 * must hold the catalogue lock. Returns how many contacts still existed.
 */
export async function erasePeople(client: Client, erasures: readonly Erasure[], now: Date): Promise<number> {
  if (erasures.length === 0) return 0
  const contacts = erasures.map(({ contact }) => contact)
  const storeIds = [...new Set(contacts.map((contact) => contact.store_id))]
  const erased = await queries.deleteContacts(client, contacts)
  const contactKeys = contacts.map((contact) => contactKey(contact.store_id, contact.number))
  await queries.insertSuppressions(
    client,
    erasures.flatMap(({ suppressed }) => suppressed),
    now,
  )
  await refreshStoreSummaries(client, storeIds, now)
  await waitForHolders(client, storeIds)
  await dropListMembers(client, 'contacts', contactKeys, now)
  await queries.deleteKeptReplies(client, contactKeys)
  await expireFilesOfContacts(client, contactKeys, now)
  return erased
}
