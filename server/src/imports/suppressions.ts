import { findSuppressed, hasSuppressions, readHosts } from '../catalogue/contact-queries.ts'
import { readArrayText } from '../catalogue/queries.ts'
import type { Client } from '../db/pool.ts'
import { recordIdentity } from '../encryption/identities.ts'
import { hashesOfPerson } from './contact-hashes.ts'
import type { ContactState } from './contacts/contact-rows.ts'
import { type ContactEntries, entryKey, type RecordPlace } from './contacts/stored-contacts.ts'
import type { WriteContext } from './kind.ts'

/** Whether somebody must not be on file. */
export type SuppressionTest = (person: Omit<ContactState, 'number'>) => boolean

/**
 * Asks once for all that could make a record's person one who must not be on file: what the records say, what is on file
 * already, and the hosts of the stores. Nobody in the sandbox is real, so nobody there is left out.
 */
export async function findSuppressions(
  client: Client,
  { seals: { identities: hasher }, mode }: WriteContext,
  places: RecordPlace[],
  entries: ContactEntries,
): Promise<SuppressionTest> {
  const nobody = () => false
  if (mode === 'test' || places.length === 0 || !(await hasSuppressions(client))) return nobody
  const hosts = await readHosts(client, [...new Set(places.map(({ storeId }) => storeId))])
  const hashOfHost = (host: string) => hasher.hash('domain', host).hash
  const said = places.flatMap((place) => [
    ...place.channelHashes,
    ...readArrayText(entries.get(entryKey(place))?.stored?.identities ?? '{}'),
    recordIdentity(hasher, place).hash,
  ])
  const suppressed = await findSuppressed(client, [...said, ...[...hosts.values()].flat().map(hashOfHost)])
  if (suppressed.size === 0) return nobody
  return (person) =>
    hashesOfPerson(hasher, person).some((hash) => suppressed.has(hash)) ||
    hosts.get(person.storeId)!.some((host) => suppressed.has(hashOfHost(host)))
}
