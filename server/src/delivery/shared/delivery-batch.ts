/** What the batches of all kinds of deliveries have in common. */

import type { CountedWindows } from '../../auth/caller.ts'
import type { DeliverEmails } from '../../search/query/vocabulary.ts'
import { exportsOwnerOf, readPairs, windowsAfterEach } from '../../usage/batch/batch-outcome.ts'
import { type BatchItem, keyTakenAfterEach, takenAfterEach } from '../../usage/batch/describe-batch.ts'
import type { MetersTaken } from '../../usage/charge-queries.ts'
import type { KnownExports } from '../../usage/known-exports.ts'
import type { DeliveryOutcome, SharedDelivery, SharedDeliveryReply } from './delivery-queries.ts'
import type { DocumentCache } from './document-cache.ts'
import type { KnownHosts } from './known-hosts.ts'

/** What is known in memory, and how documents are served. */
export interface DeliveryContext {
  documents: DocumentCache
  knownExports: KnownExports
  knownHosts: KnownHosts
  deliverEmails: DeliverEmails
}

/** A search whose rows are delivered: stores or contacts, and the limit that was asked for. */
export interface PageItem extends BatchItem {
  ids: readonly number[]
  rowsAsked: number
}

/** A lookup or an enrichment. */
export interface HostsItem extends BatchItem {
  hosts: readonly string[]
}

export type Shared<Delivered> = Delivered & { windows: CountedWindows }

/** Whether known documents were those of another version; then nothing was done, and the batch is to be sent anew. */
export function isOutdated(
  { documents }: DeliveryContext,
  { catalogueVersion }: SharedDelivery,
  { outcome }: SharedDeliveryReply,
): boolean {
  documents.sawVersion(outcome.version)
  return outcome.minute_used === null && catalogueVersion !== null && catalogueVersion !== outcome.version
}

export function keepDocuments({ documents }: DeliveryContext, { outcome, fetched }: SharedDeliveryReply): void {
  for (const { item_id, item } of fetched) documents.put(item_id, item, outcome.version)
}

export function keepExports(
  { knownExports }: DeliveryContext,
  items: readonly BatchItem[],
  storeIds: readonly number[],
): void {
  if (storeIds.length > 0) knownExports.add(exportsOwnerOf(items), storeIds)
}

/** The search rows of a batch of searches. */
export function rowsOf(items: readonly PageItem[]) {
  return {
    searchRowsAllowance: items[0]!.caller.entitlement.limits.search_rows,
    rowsAsked: items.map(({ rowsAsked }) => rowsAsked),
    rowsBudgets: items.map(({ caller }) => caller.key!.budgets.search_rows),
  }
}

/** What each request counted and left, had they come one after the other. */
export function figuresOf(
  items: readonly BatchItem[],
  { counterKeyIds }: SharedDelivery,
  outcome: DeliveryOutcome,
): (MetersTaken & { windows: CountedWindows })[] {
  const rows = outcome.rows.split(',').map(Number)
  const exports = outcome.exports.split(',').map(Number)
  const rowsTaken = takenAfterEach(outcome.rows_taken, rows)
  const exportsTaken = takenAfterEach(outcome.exports_taken, exports)
  const keyRowsTaken = keyTakenAfterEach(readPairs(outcome.key_rows_taken), rows, counterKeyIds)
  const keyExportsTaken = keyTakenAfterEach(readPairs(outcome.key_exports_taken), exports, counterKeyIds)
  const windows = windowsAfterEach(items, outcome)
  return items.map((_, index) => ({
    rows_taken: rowsTaken[index]!,
    exports_taken: exportsTaken[index]!,
    key_rows_taken: keyRowsTaken[index]!,
    key_exports_taken: keyExportsTaken[index]!,
    windows: windows[index]!,
  }))
}
