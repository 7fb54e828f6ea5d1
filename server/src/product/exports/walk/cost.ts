import { contactsPerStore } from '@storedex/search-index'
import type { Queryable } from '../../../foundation/db/pool.ts'
import type { DeliverEmails } from '../../../foundation/encryption/contact-facts.ts'
import { contactKey } from '../../../foundation/kernel/ids.ts'
import type { ExportPosition } from '../export-row.ts'
import type { ExportKind } from '../format/columns.ts'
import * as queries from './cost-queries.ts'
import type { Walk } from './walk.ts'

/** What an export delivers and what that costs, if nothing changes meanwhile. */
export interface ExportCost {
  /** Contacts that are delivered, revealed ones included. */
  contacts: number
  stores: number
  credits: number
  already_revealed: number
  /** Contacts that are passed over, because they have no deliverable channel. */
  unrevealable: number
  new_exports: number
}

export interface CostContext {
  db: Queryable
  account: queries.AccountPeriod
  deliverEmails: DeliverEmails
}

export interface CostBounds {
  rows: number
  credits: number
  storeExports: number
}

export function contactIdOf({ storeId, contact }: ExportPosition): number {
  return contactKey(storeId, contact! % contactsPerStore)
}

const positionsAtOnce = 5_000

/**
 * Follows a walk from a position, as the export itself would, up to its bounds. `onBatch` is called before each batch and may
 * throw to end it.
 */
export async function computeCost(
  ctx: CostContext,
  kind: ExportKind,
  walk: Walk,
  from: { after: ExportPosition | null; bounds: CostBounds },
  onBatch: () => void,
): Promise<ExportCost & { rows: number }> {
  const { bounds } = from
  const cost = { rows: 0, contacts: 0, stores: 0, credits: 0, already_revealed: 0, unrevealable: 0, new_exports: 0 }
  let previousStore = -1
  for (let { after } = from; ; ) {
    onBatch()
    const positions = await walk.next(after, positionsAtOnce)
    const facts = await readCostFacts(ctx, kind, positions)
    for (const [index, { storeId }] of positions.entries()) {
      const contactId = facts.contactIds[index]
      if (contactId !== undefined && facts.flags !== null && facts.flags[index] !== '1') {
        if (facts.flags[index] === '0' && cost.rows < bounds.rows) cost.unrevealable++
        continue
      }
      // Positions come store by store.
      const isOtherStore = storeId !== previousStore
      const credits = kind === 'contacts' && !facts.revealed.has(contactId!) ? 1 : 0
      const storeExports = isOtherStore && !facts.exported.has(storeId) ? 1 : 0
      const isBeyond =
        cost.rows >= bounds.rows ||
        cost.credits + credits > bounds.credits ||
        cost.new_exports + storeExports > bounds.storeExports
      if (isBeyond) return cost
      cost.rows++
      cost.stores += isOtherStore ? 1 : 0
      cost.credits += credits
      cost.new_exports += storeExports
      if (contactId !== undefined) {
        cost.contacts++
        if (facts.revealed.has(contactId)) cost.already_revealed++
      }
      previousStore = storeId
    }
    if (positions.length < positionsAtOnce) return cost
    after = positions.at(-1)!
  }
}

async function readCostFacts(
  { db, account, deliverEmails }: CostContext,
  kind: ExportKind,
  positions: ExportPosition[],
) {
  const storeIds = [...new Set(positions.map(({ storeId }) => storeId))]
  const contactIds = kind === 'stores' ? [] : positions.map(contactIdOf)
  return {
    contactIds,
    exported: await queries.selectExportedStores(db, account, storeIds),
    revealed: contactIds.length > 0 ? await queries.selectRevealedContacts(db, account, contactIds) : new Set<number>(),
    // People who cannot be revealed can still be previewed.
    flags: kind === 'contacts' ? await queries.readRevealability(db, contactIds, deliverEmails) : null,
  }
}
