import type { Queryable } from '../../db/pool.ts'
import { storeOfContact } from '../../kernel/ids.ts'
import { exportsOwnerOf, isAdmitted } from '../../usage/batch/batch-outcome.ts'
import { describeBatch } from '../../usage/batch/describe-batch.ts'
import type { DeliveredPage } from '../queries.ts'
import {
  type DeliveryContext,
  figuresOf,
  isOutdated,
  keepExports,
  type PageItem,
  rowsOf,
  type Shared,
} from './delivery-batch.ts'
import type { PreviewParts } from './document-cache.ts'
import { chargeKnownPreviews, deliverSharedPreviews } from './preview-queries.ts'

/** Sends searches for contacts; null if they were refused. */
export async function sendPreviews(
  ctx: DeliveryContext,
  db: Queryable,
  items: readonly PageItem[],
): Promise<Shared<DeliveredPage>[] | null> {
  const batch = describeBatch(items)
  if (!batch) return null
  const exported = ctx.knownExports.of(exportsOwnerOf(items))
  const previews = items.map(({ ids }) => ids.map((id) => ctx.documents.getPreview(id)))
  const knownRows = items.map(() => 0)
  const exportedStoreIds = new Set<number>()
  const unknown = new Set<number>()
  const requests: number[] = []
  const requestedIds: number[] = []
  let usesKnown = false
  for (const [index, { ids }] of items.entries())
    for (const [at, id] of ids.entries()) {
      const isKnown = previews[index]![at] !== undefined
      const isExported = exported.has(storeOfContact(id))
      if (isKnown) usesKnown = true
      else unknown.add(id)
      if (isKnown && isExported) {
        knownRows[index]!++
        continue
      }
      requests.push(index + 1)
      requestedIds.push(id)
      if (isExported) exportedStoreIds.add(storeOfContact(id))
    }
  const contactIds = items.length === 1 ? items[0]!.ids : [...new Set(items.flatMap(({ ids }) => ids))]
  const delivery = {
    knownRows,
    catalogueVersion: usesKnown ? ctx.documents.version : null,
    ...rowsOf(items),
    ...batch,
  }
  const reply = await (requests.length > 0
    ? deliverSharedPreviews(db, delivery, {
        ...{ contactIds, requests, requestedIds },
        ...{ exportedStoreIds: [...exportedStoreIds], fetchIds: [...unknown] },
      })
    : chargeKnownPreviews(db, delivery, contactIds))
  if (isOutdated(ctx, delivery, reply)) return sendPreviews(ctx, db, items)
  if (!isAdmitted(items, reply.outcome)) return null
  const fetched = new Map<number, PreviewParts>()
  for (const { item_id, item, store } of reply.fetched) {
    const parts = { person: item, store: store! }
    fetched.set(item_id, parts)
    ctx.documents.putPreview(item_id, parts, reply.outcome.version)
  }
  const delivered = requestedIds.filter((id) => !unknown.has(id) || fetched.has(id))
  keepExports(ctx, items, delivered.map(storeOfContact))
  const revealed = new Set(readNumbers(reply.outcome.listed))
  const figures = figuresOf(items, delivery, reply.outcome)
  return items.map(({ ids }, index) => ({
    items: ids.flatMap((id, at) => {
      const parts = previews[index]![at] ?? fetched.get(id)
      // Who is gone is left out.
      return parts ? [`${parts.person}${revealed.has(id)},"store":${parts.store}}`] : []
    }),
    ...figures[index]!,
  }))
}

function readNumbers(list: string | null): number[] {
  return list === null ? [] : list.split(',').map(Number)
}
