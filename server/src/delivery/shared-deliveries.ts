import type { CallerContext, CountedWindows } from '../auth/caller.ts'
import type { ConnectionPool, Queryable } from '../db/pool.ts'
import { storeOfContact } from '../kernel/ids.ts'
import type { DeliverEmails } from '../search/query/vocabulary.ts'
import { batchItemOf, exportsOwnerOf, isAdmitted, readPairs, windowsAfterEach } from '../usage/batch/batch-outcome.ts'
import { ChargeCoalescer } from '../usage/batch/charge-coalescer.ts'
import { type BatchItem, describeBatch, keyTakenAfterEach, takenAfterEach } from '../usage/batch/describe-batch.ts'
import type { MetersTaken } from '../usage/charge-queries.ts'
import type { KnownExports } from '../usage/known-exports.ts'
import type { DocumentCache } from './document-cache.ts'
import type { DeliveredPage, DeliveredStoresByHost } from './queries.ts'
import {
  admitKnownHosts,
  chargeKnownStores,
  type DeliveryOutcome,
  deliverSharedHosts,
  deliverSharedPreviews,
  deliverSharedStores,
  type SharedDelivery,
  type SharedDeliveryReply,
} from './shared-queries.ts'

interface SharedDeliveriesOptions {
  pool: ConnectionPool
  documents: DocumentCache
  knownExports: KnownExports
  deliverEmails: DeliverEmails
}

/** A search whose rows are delivered: stores or contacts, and the limit that was asked for. */
interface PageItem extends BatchItem {
  ids: readonly number[]
  rowsAsked: number
}

interface HostsItem extends BatchItem {
  hosts: readonly string[]
}

type Shared<Delivered> = Delivered & { windows: CountedWindows }

const maxKnownHosts = 50_000

/**
 * Deliveries that are admitted and charged together with other requests of their account, in one statement. Documents
 * that are in memory are not fetched; the statement confirms the version of the catalogue that they are of. Each method
 * returns null if the delivery was refused: nothing was done then.
 */
export class SharedDeliveries {
  readonly #documents: DocumentCache
  readonly #knownExports: KnownExports
  readonly #deliverEmails: DeliverEmails
  readonly #stores: ChargeCoalescer<PageItem, Shared<DeliveredPage>>
  readonly #previews: ChargeCoalescer<PageItem, Shared<DeliveredPage>>
  readonly #hosts: ChargeCoalescer<HostsItem, Shared<DeliveredStoresByHost>>
  /** The stores that hosts led to: a hint which documents need not be fetched. Only a document says what its domain is. */
  readonly #knownHosts = new Map<string, number>()

  constructor({ pool, documents, knownExports, deliverEmails }: SharedDeliveriesOptions) {
    this.#documents = documents
    this.#knownExports = knownExports
    this.#deliverEmails = deliverEmails
    this.#stores = new ChargeCoalescer({ pool, kind: 'stores', send: (db, items) => this.#sendStores(db, items) })
    this.#previews = new ChargeCoalescer({ pool, kind: 'previews', send: (db, items) => this.#sendPreviews(db, items) })
    this.#hosts = new ChargeCoalescer({ pool, kind: 'hosts', send: (db, items) => this.#sendHosts(db, items) })
  }

  /** A page of stores, each an export and a search row. */
  async deliverStores(ctx: CallerContext, ids: readonly number[], rowsAsked: number): Promise<DeliveredPage | null> {
    const item = batchItemOf(ctx, ids.length)
    return item && this.#stores.run(ctx, { ids, rowsAsked, ...item })
  }

  /** A page of contact previews, each a search row, and an export of its store. */
  async deliverPreviews(ctx: CallerContext, ids: readonly number[], rowsAsked: number): Promise<DeliveredPage | null> {
    const item = batchItemOf(ctx, ids.length)
    return item && this.#previews.run(ctx, { ids, rowsAsked, ...item })
  }

  /** The stores with these hosts, each an export. */
  async deliverHosts(ctx: CallerContext, hosts: readonly string[]): Promise<DeliveredStoresByHost | null> {
    const item = batchItemOf(ctx, hosts.length)
    return item && this.#hosts.run(ctx, { hosts, ...item })
  }

  async #sendStores(db: Queryable, items: readonly PageItem[]): Promise<Shared<DeliveredPage>[] | null> {
    const batch = describeBatch(items)
    if (!batch) return null
    const exported = this.#knownExports.of(exportsOwnerOf(items))
    const documents = items.map(({ ids }) => ids.map((id) => this.#documents.get(id)))
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
      catalogueVersion: usesKnown ? this.#documents.version : null,
      ...rowsOf(items),
      ...batch,
    }
    const reply = await (stores.requests.length > 0
      ? deliverSharedStores(db, delivery, stores, this.#deliverEmails)
      : chargeKnownStores(db, delivery))
    if (this.#isOutdated(delivery, reply)) return this.#sendStores(db, items)
    if (!isAdmitted(items, reply.outcome)) return null
    this.#keepDocuments(reply)
    const fetched = itemsById(reply)
    this.#keepExports(
      items,
      stores.storeIds.filter((id) => !unknown.has(id) || fetched.has(id)),
    )
    const figures = figuresOf(items, delivery, reply.outcome)
    return items.map(({ ids }, index) => {
      const delivered = documents[index]!.map((document, at) => document ?? fetched.get(ids[at]!))
      return { items: delivered.filter(isDelivered), ...figures[index]! }
    })
  }

  async #sendPreviews(db: Queryable, items: readonly PageItem[]): Promise<Shared<DeliveredPage>[] | null> {
    const batch = describeBatch(items)
    if (!batch) return null
    const exported = this.#knownExports.of(exportsOwnerOf(items))
    const contacts = { requests: [] as number[], contactIds: [] as number[], areExported: [] as boolean[] }
    for (const [index, { ids }] of items.entries())
      for (const id of ids) {
        contacts.requests.push(index + 1)
        contacts.contactIds.push(id)
        contacts.areExported.push(exported.has(storeOfContact(id)))
      }
    const delivery = { knownRows: items.map(() => 0), catalogueVersion: null, ...rowsOf(items), ...batch }
    const reply = await deliverSharedPreviews(db, delivery, contacts)
    if (!isAdmitted(items, reply.outcome)) return null
    const previews = itemsById(reply)
    this.#keepExports(items, [...previews.keys()].map(storeOfContact))
    const figures = figuresOf(items, delivery, reply.outcome)
    return items.map(({ ids }, index) => ({
      items: ids.map((id) => previews.get(id)).filter(isDelivered),
      ...figures[index]!,
    }))
  }

  async #sendHosts(db: Queryable, items: readonly HostsItem[]): Promise<Shared<DeliveredStoresByHost>[] | null> {
    const batch = describeBatch(items)
    if (!batch) return null
    const exported = this.#knownExports.of(exportsOwnerOf(items))
    const documents = new Map<number, string>()
    const exportedIds = new Set<number>()
    const storeByHost = new Map<string, number>()
    const hosts = { requests: [] as number[], hosts: [] as string[] }
    const { mode } = items[0]!.caller
    for (const [index, item] of items.entries())
      for (const host of item.hosts) {
        const id = this.#knownHosts.get(`${mode} ${host}`)
        if (id !== undefined) {
          const document = this.#documents.get(id)
          if (document !== undefined) documents.set(id, document)
          if (exported.has(id)) exportedIds.add(id)
          if (document !== undefined && exportedIds.has(id) && hasDomain(document, host)) {
            storeByHost.set(host, id)
            continue
          }
        }
        hosts.requests.push(index + 1)
        hosts.hosts.push(host)
      }
    const delivery = {
      searchRowsAllowance: items[0]!.caller.entitlement.limits.search_rows,
      rowsAsked: items.map(() => 0),
      rowsBudgets: items.map(({ caller }) => caller.key!.budgets.search_rows),
      knownRows: items.map(() => 0),
      catalogueVersion: documents.size > 0 ? this.#documents.version : null,
      ...batch,
    }
    const known = { knownIds: [...documents.keys()], exportedIds: [...exportedIds] }
    const reply = await (hosts.hosts.length > 0
      ? deliverSharedHosts(db, delivery, Object.assign(hosts, known), this.#deliverEmails)
      : admitKnownHosts(db, delivery))
    if (this.#isOutdated(delivery, reply)) return this.#sendHosts(db, items)
    if (!isAdmitted(items, reply.outcome)) return null
    this.#keepDocuments(reply)
    for (const { item_id, item } of reply.fetched) documents.set(item_id, item)
    const resolved = readResolved(reply.outcome.resolved)
    for (const [host, id] of resolved) {
      storeByHost.set(host, id)
      this.#keepHost(`${mode} ${host}`, id)
    }
    this.#keepExports(
      items,
      [...resolved.values()].filter((id) => !exportedIds.has(id) && documents.has(id)),
    )
    const figures = figuresOf(items, delivery, reply.outcome)
    return items.map((item, index) => ({
      stores: item.hosts.flatMap((host) => {
        const document = documents.get(storeByHost.get(host) ?? -1)
        return document === undefined ? [] : [{ host, document, previews: null }]
      }),
      ...figures[index]!,
    }))
  }

  /** Whether known documents were those of another version; then nothing was done, and the batch is to be sent anew. */
  #isOutdated({ catalogueVersion }: SharedDelivery, { outcome }: SharedDeliveryReply): boolean {
    this.#documents.sawVersion(outcome.version)
    return outcome.minute_used === null && catalogueVersion !== null && catalogueVersion !== outcome.version
  }

  #keepDocuments({ outcome, fetched }: SharedDeliveryReply): void {
    for (const { item_id, item } of fetched) this.#documents.put(item_id, item, outcome.version)
  }

  #keepExports(items: readonly BatchItem[], storeIds: readonly number[]): void {
    if (storeIds.length > 0) this.#knownExports.add(exportsOwnerOf(items), storeIds)
  }

  #keepHost(name: string, storeId: number): void {
    if (this.#knownHosts.size >= maxKnownHosts) this.#knownHosts.clear()
    this.#knownHosts.set(name, storeId)
  }
}

function rowsOf(items: readonly PageItem[]) {
  return {
    searchRowsAllowance: items[0]!.caller.entitlement.limits.search_rows,
    rowsAsked: items.map(({ rowsAsked }) => rowsAsked),
    rowsBudgets: items.map(({ caller }) => caller.key!.budgets.search_rows),
  }
}

function itemsById({ fetched }: SharedDeliveryReply): Map<number, string> {
  return new Map(fetched.map(({ item_id, item }) => [item_id, item]))
}

/** What is gone is left out. */
function isDelivered(item: string | undefined): item is string {
  return item !== undefined
}

/** What each request counted and left, had they come one after the other. */
function figuresOf(
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
