import type { ConnectionPool } from '../../foundation/db/pool.ts'
import type { DeliverEmails } from '../../foundation/encryption/contact-facts.ts'
import { SharedReads } from '../../foundation/http/request-database.ts'
import { DocumentCache, type PreviewParts } from './document-cache.ts'
import { type FetchedDocument, fetchDocuments, fetchHosts, fetchPreviews } from './fetch-queries.ts'
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

interface Fetched<Key, Item> {
  version: string
  items: ReadonlyMap<Key, Item>
}

type Reader = Parameters<SharedReads<never, never>['read']>[0]

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
  readonly #documents: SharedReads<readonly number[], Fetched<number, string>>
  readonly #previews: SharedReads<readonly number[], Fetched<number, PreviewParts>>
  readonly #storesOfHosts: SharedReads<readonly string[], Fetched<string, FetchedDocument>>

  constructor({ maxBytes, pool, deliverEmails }: DocumentsOptions) {
    this.cache = new DocumentCache({ maxBytes, db: pool.lane('document cache') })
    this.#documents = new SharedReads<readonly number[], Fetched<number, string>>({
      pool,
      weigh: ({ length }) => length,
      read: async (db, mode, asked) => {
        const { version, rows } = await fetchDocuments(db, mode, distinct(asked), deliverEmails)
        return { version, items: new Map(rows.map(({ id, document }) => [id, document])) }
      },
    })
    this.#previews = new SharedReads<readonly number[], Fetched<number, PreviewParts>>({
      pool,
      weigh: ({ length }) => length,
      read: async (db, mode, asked) => {
        const { version, rows } = await fetchPreviews(db, mode, distinct(asked), deliverEmails)
        const partsOf = ({ person, store, is_revealable: isRevealable }: (typeof rows)[number]) => ({
          ...{ person, store, isRevealable },
        })
        return { version, items: new Map(rows.map((row) => [row.id, partsOf(row)])) }
      },
    })
    this.#storesOfHosts = new SharedReads<readonly string[], Fetched<string, FetchedDocument>>({
      pool,
      weigh: ({ length }) => length,
      read: async (db, mode, asked) => {
        const { version, rows } = await fetchHosts(db, mode, distinct(asked), deliverEmails)
        return { version, items: new Map(rows.map(({ host, id, document }) => [host, { id, document }])) }
      },
    })
  }

  findStores(reader: Reader, ids: readonly number[]): Promise<Found<string>> {
    return this.#find(ids, {
      get: (id) => this.cache.get(id),
      fetch: (missing) => this.#documents.read(reader, missing),
      put: (id, document, version) => this.cache.put(id, document, version),
    })
  }

  findPreviews(reader: Reader, contactIds: readonly number[]): Promise<Found<PreviewParts>> {
    return this.#find(contactIds, {
      get: (id) => this.cache.getPreview(id),
      fetch: (missing) => this.#previews.read(reader, missing),
      put: (id, parts, version) => this.cache.putPreview(id, parts, version),
    })
  }

  /** The stores that hosts lead to, as domain or alias. That a host is the domain of a store, only the document says. */
  async findHosts(reader: Reader, hosts: readonly string[]): Promise<FoundHosts> {
    const { mode } = reader.caller
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
    const fetched = await this.#storesOfHosts.read(reader, unknown)
    this.sawVersion(fetched.version)
    if (items.size > 0 && fetched.version !== version) return this.findHosts(reader, hosts)
    for (const host of unknown) {
      const found = fetched.items.get(host)
      if (!found) continue
      const { id, document } = found
      this.#hosts.set(mode, host, id)
      storeByHost.set(host, id)
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
      fetch(missing: readonly number[]): Promise<Fetched<number, Item>>
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
    for (const id of missing) {
      const item = fetched.items.get(id)
      if (item === undefined) continue
      items.set(id, item)
      source.put(id, item, fetched.version)
    }
    return { items, version: fetched.version }
  }
}

function distinct<Key>(asked: readonly (readonly Key[])[]): readonly Key[] {
  return asked.length === 1 ? asked[0]! : [...new Set(asked.flat())]
}

/** Whether a host is the domain of a document's store, and no alias. */
function hasDomain(document: string, host: string): boolean {
  return document.startsWith(`${host}"`, document.indexOf(domainField) + domainField.length)
}

const domainField = '"domain":"'
