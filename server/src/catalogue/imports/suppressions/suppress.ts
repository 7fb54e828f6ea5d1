import { authorize } from '../../../customers/auth/access.ts'
import { recordAudit } from '../../../customers/auth/audit.ts'
import { transact } from '../../../foundation/db/pool.ts'
import type { Identity } from '../../../foundation/encryption/identities.ts'
import { type ErasureContext, erasing } from '../../erasure/erase-contacts.ts'
import { type Erasure, erasePeople, planErasures } from '../../erasure/erase-people.ts'
import * as queries from '../../erasure/queries.ts'
import { lockCatalogue } from '../../writing/queries.ts'
import { RecordError } from '../fields/faults.ts'
import type { Reject } from '../records/rejects-formats.ts'
import type { Line } from '../source/lines.ts'
import { readSuppression, type Suppression } from './read-suppression.ts'

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
 * finishes an interrupted call, and otherwise changes nothing. The audit log has numbers alone.
 */
export async function suppress(ctx: ErasureContext, suppressions: readonly Suppression[]): Promise<SuppressionCounts> {
  authorize({ actor: ctx.actor, now: ctx.clock.now() }, erasing)
  const inserted = await addSuppressions(ctx, suppressions)
  const erased = await eraseMatches(ctx, suppressions)
  return { inserted, erased }
}

/** Returns how many suppressions are new; a duplicate counts once. */
function addSuppressions({ actor, db, clock }: ErasureContext, suppressions: readonly Suppression[]): Promise<number> {
  return transact(db, async (client) => {
    await queries.prepareErasureTransaction(client)
    // A running import commits first, so the erasure finds its contacts. The next import reads the suppressions.
    await lockCatalogue(client)
    const identities = suppressions.flatMap((suppression) => suppression.identities)
    const now = clock.now()
    const added = await queries.insertSuppressions(client, identities, now)
    const inserted = suppressions.filter((suppression) => deleteAny(added, suppression.identities)).length
    if (inserted > 0)
      await recordAudit(
        client,
        { actor, now },
        { accountId: null, action: 'suppressions.added', details: { added: inserted } },
      )
    return inserted
  })
}

function deleteAny(hashes: Set<string>, identities: readonly Identity[]): boolean {
  return identities.map(({ hash }) => hashes.delete(hash)).includes(true)
}

async function eraseMatches(ctx: ErasureContext, suppressions: readonly Suppression[]): Promise<number> {
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
      const now = ctx.clock.now()
      const sliceErased = await erasePeople(client, slice, now)
      if (sliceErased > 0)
        await recordAudit(
          client,
          { actor: ctx.actor, now },
          { accountId: null, action: 'contacts.erased', details: { by: 'suppression', erased: sliceErased } },
        )
      return sliceErased
    })
  }
  return erased
}

function hashesOf(identities: readonly Identity[]): string[] {
  return identities.map(({ hash }) => hash)
}

/** Reads one suppression of each line; what is none is a reject. */
export function readSuppressions(
  { seals }: Pick<ErasureContext, 'seals'>,
  lines: readonly Line[],
): { suppressions: Suppression[]; rejects: Reject[] } {
  const suppressions: Suppression[] = []
  const rejects: Reject[] = []
  for (const line of lines) {
    try {
      suppressions.push(readSuppression(line, seals.identities))
    } catch (error) {
      if (!(error instanceof RecordError)) throw error
      rejects.push({ line: line.number, reason: error.message, original: [line.bytes.toString('utf8')] })
    }
  }
  return { suppressions, rejects }
}
