import type { ConnectionPool, Queryable } from '../db/pool.ts'
import type { Mode } from '../kernel/ids.ts'
import type { DeliverEmails } from '../search/query/vocabulary.ts'
import { DocumentCache, type PreviewParts } from './document-cache.ts'
import { fetchDocuments, fetchHosts, fetchPreviews } from './fetch-queries.ts'
import { KnownHosts } from './known-hosts.ts'

interface DocumentsOptions {
  /** Memory for documents, about; 0 keeps none. */
  maxBytes: number
  pool: ConnectionPool
  deliverEmails: DeliverEmails
}

/** What was found, all of it of one version of the catalogue; null if nothing was looked for. */
interface Found<Item> {
  items: ReadonlyMap<number, Item>
  version: string | null
}

/** The stores that hosts lead to. */
export interface FoundHosts extends Found<string> {
  storeByHost: ReadonlyMap<string, number>
}

/**
 * Turns ids and hosts into rendered documents of stores and previews of contacts: from memory, or fetched. What does not exist is
 * left out. A charge confirms the version; if the catalogue has moved on, what was found is looked for again.
 */
export class Documents {
  readonly cache: DocumentCache
  readonly #hosts = new KnownHosts()
  readonly #deliverEmails: DeliverEmails

  constructor({ maxBytes, pool, deliverEmails }: DocumentsOptions) {
    this.cache = new DocumentCache({ maxBytes, db: pool.lane('document cache') })
    this.#deliverEmails = deliverEmails
  }

  findStores(db: Queryable, mode: Mode, ids: readonly number[]): Promise<Found<string>> {
    return this.#find(ids, {
      get: (id) => this.cache.get(id),
      fetch: async (missing) => {
        const { version, rows } = await fetchDocuments(db, mode, missing, this.#deliverEmails)
        return { version, items: rows.map(({ id, document }) => [id, document] as const) }
      },
      put: (id, document, version) => this.cache.put(id, document, version),
    })
  }

  findPreviews(db: Queryable, mode: Mode, contactIds: readonly number[]): Promise<Found<PreviewParts>> {
    return this.#find(contactIds, {
      get: (id) => this.cache.getPreview(id),
      fetch: async (missing) => {
        const { version, rows } = await fetchPreviews(db, mode, missing, this.#deliverEmails)
        const partsOf = ({ person, store, is_revealable }: (typeof rows)[number]): PreviewParts => ({
          ...{ person, store },
          isRevealable: is_revealable,
        })
        return { version, items: rows.map((row) => [row.id, partsOf(row)] as const) }
      },
      put: (id, parts, version) => this.cache.putPreview(id, parts, version),
    })
  }

  /** The stores that hosts lead to, as domain or alias. That a host is the domain of a store, only the document says. */
  async findHosts(db: Queryable, mode: Mode, hosts: readonly string[]): Promise<FoundHosts> {
    const { version } = this.cache
    const items = new Map<number, string>()
    const storeByHost = new Map<string, number>()
    const unknown: string[] = []
    for (const host of hosts) {
      const id = this.#hosts.get(mode, host)
      const document = id === undefined ? undefined : this.cache.get(id)
      if (document !== undefined) items.set(id!, document)
      if (document !== undefined && hasDomain(document, host)) storeByHost.set(host, id!)
      else unknown.push(host)
    }
    if (unknown.length === 0) return { items, storeByHost, version }
    const fetched = await fetchHosts(db, { mode, hosts: unknown, knownIds: [...items.keys()] }, this.#deliverEmails)
    this.sawVersion(fetched.version)
    if (items.size > 0 && fetched.version !== version) return this.findHosts(db, mode, hosts)
    for (const { host, id, document } of fetched.rows) {
      this.#hosts.set(mode, host, id)
      storeByHost.set(host, id)
      if (document === null) continue
      items.set(id, document)
      this.cache.put(id, document, fetched.version)
    }
    return { items, storeByHost, version: fetched.version }
  }

  /** Takes note of the version that a statement read. */
  sawVersion(version: string | null): void {
    if (version !== null) this.cache.sawVersion(version)
  }

  async #find<Item>(
    ids: readonly number[],
    source: {
      get(id: number): Item | undefined
      fetch(missing: readonly number[]): Promise<{ version: string; items: (readonly [number, Item])[] }>
      put(id: number, item: Item, version: string): void
    },
  ): Promise<Found<Item>> {
    const { version } = this.cache
    const items = new Map<number, Item>()
    const missing: number[] = []
    for (const id of ids) {
      const item = source.get(id)
      if (item === undefined) missing.push(id)
      else items.set(id, item)
    }
    if (missing.length === 0) return { items, version }
    const fetched = await source.fetch(missing)
    this.sawVersion(fetched.version)
    // Items of two versions do not belong together; those in memory are not used until they are of the new one.
    if (items.size > 0 && fetched.version !== version) return this.#find(ids, source)
    for (const [id, item] of fetched.items) {
      items.set(id, item)
      source.put(id, item, fetched.version)
    }
    return { items, version: fetched.version }
  }
}

/** Whether a host is the domain of a document's store, and no alias. */
function hasDomain(document: string, host: string): boolean {
  return document.startsWith(`${host}"`, document.indexOf(domainField) + domainField.length)
}

const domainField = '"domain":"'
