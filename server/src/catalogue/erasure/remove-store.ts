import { type Access, authorize } from '../../customers/auth/access.ts'
import type { Actor } from '../../customers/auth/actor.ts'
import { recordAudit } from '../../customers/auth/audit.ts'
import { type Pool, transact } from '../../foundation/db/pool.ts'
import { contactKey } from '../../foundation/kernel/ids.ts'
import type { Clock } from '../../foundation/kernel/time.ts'
import { waitForHolders } from '../../product/contacts/hold-queries.ts'
import { expireFilesOfContacts } from '../../product/exports/expire.ts'
import { dropListMembers } from '../../product/lists/upkeep/drop-members.ts'
import { deleteChangesOf } from '../history/queries.ts'
import { reportStore, requireStoreByDomain, type StoreReport } from '../renaming/named-store.ts'
import { lockCatalogue, recordBatch } from '../writing/queries.ts'
import * as queries from './queries.ts'
import { deleteContactsOf, deleteStore, recordRemovedStore } from './remove-store-queries.ts'

const removing: Access = { operator: true, kind: 'powerful' }

/** What was removed: the store as it was, and the batch that removed it. */
export interface RemovedStore {
  removed: StoreReport
  batch: number
}

/**
 * Removes a live store with its hosts, contacts and history from the catalogue, in one numbered batch, and with them the kept replies
 * and files of exports that contain any of its people; lists lose them. Exports, reveals and the ledger stay: they contain only
 * numbers, and the numbers of
 * stores and contacts are never given again. No suppression is added: an import may add the store and its contacts again.
 */
export function removeStore(ctx: { actor: Actor; db: Pool; clock: Clock }, domain: string): Promise<RemovedStore> {
  const { actor, clock } = ctx
  authorize({ actor, now: clock.now() }, removing)
  return transact(ctx.db, async (client) => {
    await queries.prepareErasureTransaction(client)
    // Imports wait from here on, so that they cannot add people to the store in between.
    const { batch } = await lockCatalogue(client)
    const stored = await requireStoreByDomain(client, domain)
    const numbers = await deleteContactsOf(client, stored.id)
    const contactKeys = numbers.map((number) => contactKey(stored.id, number))
    const now = clock.now()
    await deleteStore(client, stored.id)
    await deleteChangesOf(client, [stored.id])
    await recordRemovedStore(client, stored.id, batch + 1)
    await recordBatch(client, batch + 1, { rows: 1, left: [stored.batch] }, now)
    // Last, because requests that hold the store or its contacts wait from here on.
    await waitForHolders(client, [stored.id])
    await dropListMembers(client, 'stores', [stored.id], now)
    await dropListMembers(client, 'contacts', contactKeys, now)
    if (numbers.length > 0) {
      await queries.deleteKeptReplies(client, contactKeys)
      await expireFilesOfContacts(client, contactKeys, now)
    }
    const removed = reportStore({ ...stored, contacts: numbers.length })
    const details = { contacts: numbers.length, batch: batch + 1 }
    await recordAudit(client, { actor, now }, { accountId: null, action: 'store.removed', target: removed.id, details })
    return { removed, batch: batch + 1 }
  })
}
