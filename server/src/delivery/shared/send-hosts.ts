import type { Queryable } from '../../db/pool.ts'
import { exportsOwnerOf, isAdmitted } from '../../usage/batch/batch-outcome.ts'
import { describeBatch } from '../../usage/batch/describe-batch.ts'
import type { DeliveredStoresByHost } from '../queries.ts'
import {
  type DeliveryContext,
  figuresOf,
  type HostsItem,
  isOutdated,
  keepDocuments,
  keepExports,
  type Shared,
} from './delivery-batch.ts'
import { exportKnown } from './delivery-queries.ts'
import { admitKnownHosts, deliverSharedHosts } from './host-queries.ts'

/** Sends lookups and enrichments; null if they were refused. */
export async function sendHosts(
  ctx: DeliveryContext,
  db: Queryable,
  items: readonly HostsItem[],
): Promise<Shared<DeliveredStoresByHost>[] | null> {
  const batch = describeBatch(items)
  if (!batch) return null
  const exported = ctx.knownExports.of(exportsOwnerOf(items))
  const documents = new Map<number, string>()
  const exportedIds = new Set<number>()
  const storeByHost = new Map<string, number>()
  const known = { requests: [] as number[], storeIds: [] as number[] }
  const hosts = { requests: [] as number[], hosts: [] as string[] }
  const { mode } = items[0]!.caller
  for (const [index, item] of items.entries())
    for (const host of item.hosts) {
      const id = ctx.knownHosts.get(mode, host)
      const document = id === undefined ? undefined : ctx.documents.get(id)
      const isExported = id !== undefined && exported.has(id)
      if (document !== undefined) documents.set(id!, document)
      if (document === undefined || !hasDomain(document, host)) {
        if (isExported) exportedIds.add(id)
        hosts.requests.push(index + 1)
        hosts.hosts.push(host)
        continue
      }
      storeByHost.set(host, id!)
      if (isExported) continue
      known.requests.push(index + 1)
      known.storeIds.push(id!)
    }
  const delivery = {
    searchRowsAllowance: items[0]!.caller.entitlement.limits.search_rows,
    rowsAsked: items.map(() => 0),
    rowsBudgets: items.map(({ caller }) => caller.key!.budgets.search_rows),
    knownRows: items.map(() => 0),
    catalogueVersion: documents.size > 0 ? ctx.documents.version : null,
    ...batch,
  }
  const hints = { knownIds: [...documents.keys()], exportedIds: [...exportedIds], known }
  const reply = await (hosts.hosts.length > 0
    ? deliverSharedHosts(db, delivery, Object.assign(hosts, hints), ctx.deliverEmails)
    : known.requests.length > 0
      ? exportKnown(db, 'hosts', delivery, known)
      : admitKnownHosts(db, delivery))
  if (isOutdated(ctx, delivery, reply)) return sendHosts(ctx, db, items)
  if (!isAdmitted(items, reply.outcome)) return null
  keepDocuments(ctx, reply)
  for (const { item_id, item } of reply.fetched) documents.set(item_id, item)
  const resolved = readResolved(reply.outcome.listed)
  for (const [host, id] of resolved) {
    storeByHost.set(host, id)
    ctx.knownHosts.set(mode, host, id)
  }
  const delivered = [...resolved.values()].filter((id) => documents.has(id))
  keepExports(ctx, items, [...known.storeIds, ...delivered])
  const figures = figuresOf(items, delivery, reply.outcome)
  return items.map((item, index) => ({
    stores: item.hosts.flatMap((host) => {
      const document = documents.get(storeByHost.get(host) ?? -1)
      return document === undefined ? [] : [{ host, document, previews: null }]
    }),
    ...figures[index]!,
  }))
}

/** Whether a host is the domain of a document's store, and no alias. */
function hasDomain(document: string, host: string): boolean {
  return document.startsWith(`${host}"`, document.indexOf(domainField) + domainField.length)
}

const domainField = '"domain":"'

/** The store of each host, from pairs such as `12 shop.example`. */
function readResolved(text: string | null): Map<string, number> {
  const stores = new Map<string, number>()
  if (text === null) return stores
  for (const pair of text.split(',')) {
    const space = pair.indexOf(' ')
    stores.set(pair.slice(space + 1), Number(pair.slice(0, space)))
  }
  return stores
}
