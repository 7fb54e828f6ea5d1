import { lockCatalogue } from '../../catalogue/queries.ts'
import { type Alongside, transact } from '../../db/pool.ts'
import type { Identity } from '../../encryption/identities.ts'
import type { ErasureContext } from '../../erasure/erase-contacts.ts'
import { type Erasure, erasePeople, planErasures } from '../../erasure/erase-people.ts'
import * as queries from '../../erasure/queries.ts'
import type { Suppression } from './read-suppression.ts'

/** Few enough that other writers do not wait long. */
const peoplePerTransaction = 1_000

export interface SuppressionCounts {
  /** New suppressions. */
  inserted: number
  /** Contacts erased because they match. */
  erased: number
}

/**
 * Suppresses people and sites, so that imports reject them, and then erases stored contacts that match. Repeating it
 * finishes an interrupted call, and otherwise changes nothing. `alongside` runs in each of its transactions, with what
 * that one changed.
 */
export async function suppress(
  ctx: ErasureContext,
  suppressions: readonly Suppression[],
  alongside?: Alongside<SuppressionCounts>,
): Promise<SuppressionCounts> {
  const inserted = await addSuppressions(ctx, suppressions, alongside)
  const erased = await eraseMatches(ctx, suppressions, alongside)
  return { inserted, erased }
}

/** Returns how many suppressions are new; a duplicate counts once. */
function addSuppressions(
  { db, clock }: ErasureContext,
  suppressions: readonly Suppression[],
  alongside?: Alongside<SuppressionCounts>,
): Promise<number> {
  return transact(db, async (client) => {
    await queries.prepareErasureTransaction(client)
    // A running import commits first, so the erasure finds its contacts. The next import reads the suppressions.
    await lockCatalogue(client)
    const identities = suppressions.flatMap((suppression) => suppression.identities)
    const added = await queries.insertSuppressions(client, identities, clock.now())
    const inserted = suppressions.filter((suppression) => deleteAny(added, suppression.identities)).length
    await alongside?.(client, { inserted, erased: 0 })
    return inserted
  })
}

function deleteAny(hashes: Set<string>, identities: readonly Identity[]): boolean {
  return identities.map(({ hash }) => hashes.delete(hash)).includes(true)
}

async function eraseMatches(
  ctx: ErasureContext,
  suppressions: readonly Suppression[],
  alongside?: Alongside<SuppressionCounts>,
): Promise<number> {
  const erasures = await transact(ctx.db, async (client) => {
    await queries.prepareErasureTransaction(client)
    const personal = suppressions.flatMap(({ identities, host }) => (host === null ? identities : []))
    const sites = suppressions.flatMap(({ identities, host }) => (host === null ? [] : identities))
    const hosts = suppressions.flatMap(({ host }) => host ?? [])
    const people = personal.length > 0 ? await queries.findPeopleByHashes(client, hashesOf(personal)) : []
    // A suppressed domain does not erase the same people at other stores, so these are not passed to `planErasures`.
    const colleagues = sites.length > 0 ? await queries.findContactKeys(client, hashesOf(sites), hosts) : []
    const planned: Erasure[] = await planErasures(client, ctx.seals, people)
    return [...planned, ...colleagues.map((contact) => ({ contact, suppressed: [] }))]
  })
  let erased = 0
  for (let start = 0; start < erasures.length; start += peoplePerTransaction) {
    const slice = erasures.slice(start, start + peoplePerTransaction)
    erased += await transact(ctx.db, async (client) => {
      await queries.prepareErasureTransaction(client)
      await lockCatalogue(client)
      const sliceErased = await erasePeople(client, slice, ctx.clock.now())
      await alongside?.(client, { inserted: 0, erased: sliceErased })
      return sliceErased
    })
  }
  return erased
}

function hashesOf(identities: readonly Identity[]): string[] {
  return identities.map(({ hash }) => hash)
}
