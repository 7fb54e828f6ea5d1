import type { ContactFacts } from '../contacts/facts.ts'
import { type ContactPlace, identitiesOf } from '../contacts/identities.ts'
import type { Client } from '../db/pool.ts'
import type { WriteContext } from './kind.ts'
import { findSuppressed, readHosts } from './load-contacts.ts'
import { applyContactPatch } from './merge-contact.ts'
import type { ContactEntries, PlacedRecord } from './stored-contacts.ts'

/** Whether somebody must not be on file at a place. */
export type SuppressionTest = (facts: ContactFacts, place: ContactPlace) => boolean

/**
 * Asks once for all that could make a record's person one who must not be on file: what the records say, what is on file
 * already, and the hosts of the stores. The sandbox holds nobody.
 */
export async function findSuppressions(
  client: Client,
  { seals: { identities: hasher }, mode }: WriteContext,
  records: PlacedRecord[],
  entries: ContactEntries,
): Promise<SuppressionTest> {
  if (mode === 'test') return () => false
  const candidates = new Set<string>()
  for (const { store, patch } of records) {
    const place = { storeId: store.row.id, country: store.country, externalKey: patch.externalKey }
    for (const { hash } of identitiesOf(hasher, applyContactPatch(null, patch, store.country), place))
      candidates.add(hash)
  }
  for (const { stored } of entries.values()) for (const hash of stored?.identities ?? []) candidates.add(hash)

  const hosts = await readHosts(client, [...new Set(records.map(({ store }) => store.row.id))])
  const hashOfHost = (host: string) => hasher.hash('domain', host).hash
  for (const host of [...hosts.values()].flat()) candidates.add(hashOfHost(host))

  const suppressed = await findSuppressed(client, candidates)
  if (suppressed.size === 0) return () => false
  return (facts, place) =>
    identitiesOf(hasher, facts, place).some(({ hash }) => suppressed.has(hash)) ||
    hosts.get(place.storeId)!.some((host) => suppressed.has(hashOfHost(host)))
}
