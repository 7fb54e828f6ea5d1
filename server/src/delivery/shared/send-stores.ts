import type { Queryable } from '../../db/pool.ts'
import { exportsOwnerOf, isAdmitted } from '../../usage/batch/batch-outcome.ts'
import { describeBatch } from '../../usage/batch/describe-batch.ts'
import type { DeliveredPage } from '../queries.ts'
import {
  type DeliveryContext,
  figuresOf,
  isOutdated,
  keepDocuments,
  keepExports,
  type PageItem,
  rowsOf,
  type Shared,
} from './delivery-batch.ts'
import { exportKnown, type SharedDeliveryReply } from './delivery-queries.ts'
import { chargeKnownStores, deliverSharedStores } from './store-queries.ts'

/** Sends searches for stores; null if they were refused. */
export async function sendStores(
  ctx: DeliveryContext,
  db: Queryable,
  items: readonly PageItem[],
): Promise<Shared<DeliveredPage>[] | null> {
  const batch = describeBatch(items)
  if (!batch) return null
  const exported = ctx.knownExports.of(exportsOwnerOf(items))
  const documents = items.map(({ ids }) => ids.map((id) => ctx.documents.get(id)))
  const knownRows = items.map(() => 0)
  let usesKnown = false
  const stores = {
    requests: [] as number[],
    storeIds: [] as number[],
    exportedIds: [] as number[],
    fetchIds: [] as number[],
  }
  const unknown = new Set<number>()
  for (const [index, { ids }] of items.entries())
    for (const [at, id] of ids.entries()) {
      const isKnown = documents[index]![at] !== undefined
      const isExported = exported.has(id)
      if (isKnown) usesKnown = true
      else unknown.add(id)
      if (isKnown && isExported) {
        knownRows[index]!++
        continue
      }
      stores.requests.push(index + 1)
      stores.storeIds.push(id)
      if (isExported) stores.exportedIds.push(id)
    }
  stores.fetchIds = [...unknown]
  const delivery = {
    knownRows,
    catalogueVersion: usesKnown ? ctx.documents.version : null,
    ...rowsOf(items),
    ...batch,
  }
  const reply = await (unknown.size > 0
    ? deliverSharedStores(db, delivery, stores, ctx.deliverEmails)
    : stores.requests.length > 0
      ? exportKnown(db, 'stores', delivery, stores)
      : chargeKnownStores(db, delivery))
  if (isOutdated(ctx, delivery, reply)) return sendStores(ctx, db, items)
  if (!isAdmitted(items, reply.outcome)) return null
  keepDocuments(ctx, reply)
  const fetched = itemsById(reply)
  keepExports(
    ctx,
    items,
    stores.storeIds.filter((id) => !unknown.has(id) || fetched.has(id)),
  )
  const figures = figuresOf(items, delivery, reply.outcome)
  return items.map(({ ids }, index) => {
    const delivered = documents[index]!.map((document, at) => document ?? fetched.get(ids[at]!))
    return { items: delivered.filter(isDelivered), ...figures[index]! }
  })
}

function itemsById({ fetched }: SharedDeliveryReply): Map<number, string> {
  return new Map(fetched.map(({ item_id, item }) => [item_id, item]))
}

/** What is gone is left out. */
function isDelivered(item: string | undefined): item is string {
  return item !== undefined
}
