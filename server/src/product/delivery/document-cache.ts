import type { Queryable } from '../../foundation/db/pool.ts'
import type { GaugeSource } from '../../foundation/http/metrics.ts'
import { storeOfContact } from '../../foundation/kernel/ids.ts'
import { PartedMap } from '../../foundation/runtime/parted.ts'
import { readCatalogueChanges, readCatalogueVersion } from './document-cache-queries.ts'

export interface DocumentCacheOptions {
  /** Memory for documents, about; 0 turns the cache off. */
  maxBytes: number
  /** Where changes are read. */
  db: Queryable
}

/** Of the map's entry, the store's object and the document's header. */
const bytesPerStore = 200
/** Of a map of people. */
const bytesPerMap = 200
/** Of the entry of a person or a preview, and the text's header. */
const bytesPerText = 110
/** After more changes than this, dropping everything costs less than finding out which. */
const mostChanges = 20_000
/** Time between two looks at what changed; an import commits batches faster. */
const pauseMs = 200

/** What previews of a contact are put together from; the import renders both. */
export interface PreviewParts extends CachedPerson {
  store: string
}

interface CachedPerson {
  person: string
  /** Whether the contact has a channel that may be delivered. */
  isRevealable: boolean
}

interface CachedStore {
  document: string | undefined
  /** The store's part of previews, and the people's by contact key. */
  preview: string | undefined
  people: Map<number, CachedPerson> | undefined
  bytes: number
}

/**
 * Rendered documents of stores and previews of their contacts, in memory. All of them are those of one version of the
 * catalogue; a statement that uses them confirms that version, so one that has changed, or of a store that is gone, is never
 * delivered. When the catalogue moves on, the stores that changed are dropped in the background, and nothing is used until then.
 *
 * Two generations bound it: what is used moves to the young one; when that is full, the old one is forgotten.
 */
export class DocumentCache {
  readonly #maxBytes: number
  readonly #db: Queryable
  #young = new PartedMap<CachedStore>()
  #old = new PartedMap<CachedStore>()
  #youngBytes = 0
  #oldBytes = 0
  /** Of the documents; null while there are none. */
  #version: string | null = null
  /** The newest version seen. */
  #seen: string | null = null
  #isCatchingUp = false
  readonly #documentReads: Reads = { hits: 0, misses: 0 }
  readonly #previewReads: Reads = { hits: 0, misses: 0 }

  constructor({ maxBytes, db }: DocumentCacheOptions) {
    this.#maxBytes = maxBytes
    this.#db = db
  }

  /** The version of all documents, if it is the newest seen; null: none may be used. */
  get version(): string | null {
    return this.#version === this.#seen ? this.#version : null
  }

  /** The document of a store; undefined if it is not in memory or none may be used. */
  get(storeId: number): string | undefined {
    return counted(this.#documentReads, this.#find(storeId)?.document)
  }

  /** The parts of a contact's preview; undefined if they are not in memory or none may be used. */
  getPreview(contactKey: number): PreviewParts | undefined {
    const cached = this.#find(storeOfContact(contactKey))
    const person = counted(this.#previewReads, cached?.people?.get(contactKey))
    return person === undefined ? undefined : { ...person, store: cached!.preview! }
  }

  /** Keeps a document that was read of a version, if the others are of it too. */
  put(storeId: number, document: string, version: string): void {
    if (this.#find(storeId)?.document !== undefined) return
    const cached = this.#makeRoom(storeId, version, sizeOf(document))
    if (cached) cached.document = document
  }

  /** Keeps the parts of a preview that were read of a version, if the others are of it too. */
  putPreview(contactKey: number, { person, isRevealable, store }: PreviewParts, version: string): void {
    const storeId = storeOfContact(contactKey)
    const known = this.#find(storeId)
    if (known?.people?.has(contactKey)) return
    const bytes = bytesPerText + sizeOf(person) + (known?.people ? 0 : bytesPerMap + bytesPerText + sizeOf(store))
    const cached = this.#makeRoom(storeId, version, bytes)
    if (!cached) return
    cached.preview ??= store
    cached.people ??= new Map()
    cached.people.set(contactKey, { person, isRevealable })
  }

  /** Takes note of the version that a statement read. It is used when all rows of its batch are known to be there. */
  sawVersion(version: string): void {
    if (this.#maxBytes === 0 || version === this.#seen) return
    this.#seen = version
    if (!this.#isCatchingUp) void this.#catchUp()
  }

  /** Checks the catalogue's version: without it, an idle process would keep erased contacts. */
  async check(): Promise<void> {
    if (this.#version !== null) this.sawVersion(await readCatalogueVersion(this.#db))
  }

  /** Forgets everything, as after a connection was lost: another database may answer the next one. */
  clear(): void {
    this.#young = new PartedMap()
    this.#old = new PartedMap()
    this.#youngBytes = 0
    this.#oldBytes = 0
    this.#version = null
    this.#seen = null
  }

  /** Gauges of what is in memory. */
  gauges(): GaugeSource[] {
    return [
      {
        name: 'storedex_document_cache_bytes',
        help: 'Memory used by cached documents of stores and previews of contacts, about.',
        read: () => [{ value: this.#youngBytes + this.#oldBytes }],
      },
      {
        name: 'storedex_document_cache_stores',
        help: 'Stores of which a document or previews are cached.',
        read: () => [{ value: this.#young.size + this.#old.size }],
      },
    ]
  }

  counters(): GaugeSource[] {
    return [
      {
        name: 'storedex_document_cache_reads_total',
        help: 'Documents and previews looked for in the cache, by whether they were there.',
        labelNames: ['kind', 'result'],
        read: () => [
          { labels: { kind: 'document', result: 'hit' }, value: this.#documentReads.hits },
          { labels: { kind: 'document', result: 'miss' }, value: this.#documentReads.misses },
          { labels: { kind: 'preview', result: 'hit' }, value: this.#previewReads.hits },
          { labels: { kind: 'preview', result: 'miss' }, value: this.#previewReads.misses },
        ],
      },
    ]
  }

  /** The cached entry of a store, which becomes young; undefined for none, or if none may be used. */
  #find(storeId: number): CachedStore | undefined {
    if (this.version === null) return undefined
    const young = this.#young.get(storeId)
    if (young) return young
    const old = this.#old.get(storeId)
    if (!old) return undefined
    this.#old.delete(storeId)
    this.#oldBytes -= old.bytes
    this.#growYoung(old.bytes)
    this.#young.set(storeId, old)
    return old
  }

  /** The cached entry of a store, grown by these bytes; undefined if the version is another or they are too many. */
  #makeRoom(storeId: number, version: string, bytes: number): CachedStore | undefined {
    if (version !== this.version || this.#maxBytes === 0) return undefined
    const cached = this.#find(storeId) ?? emptyStore()
    this.#drop(storeId)
    cached.bytes += bytes
    if (cached.bytes > this.#maxBytes / 2) return undefined
    this.#growYoung(cached.bytes)
    this.#young.set(storeId, cached)
    return cached
  }

  #growYoung(bytes: number): void {
    if (this.#youngBytes + bytes > this.#maxBytes / 2) {
      this.#old = this.#young
      this.#oldBytes = this.#youngBytes
      this.#young = new PartedMap()
      this.#youngBytes = 0
    }
    this.#youngBytes += bytes
  }

  /** Drops what changed, again and again until the documents are of the newest version seen. */
  async #catchUp(): Promise<void> {
    this.#isCatchingUp = true
    try {
      while (this.#seen !== null && this.#version !== this.#seen) {
        const since = this.#version
        const { version, isComplete, storeIds } = await readCatalogueChanges(this.#db, since, mostChanges)
        // Cleared meanwhile.
        if (this.#version !== since) break
        if (isComplete) {
          if (storeIds === null) this.clear()
          else for (const id of storeIds) this.#drop(id)
          this.#version = version
          this.#seen = version
        }
        await new Promise((resolve) => setTimeout(resolve, pauseMs).unref())
      }
    } catch {
      // The database is not available: requests say so. The version of the cache is unknown.
      this.clear()
    } finally {
      this.#isCatchingUp = false
    }
  }

  #drop(storeId: number): void {
    const young = this.#young.get(storeId)
    if (young) {
      this.#young.delete(storeId)
      this.#youngBytes -= young.bytes
    }
    const old = this.#old.get(storeId)
    if (!old) return
    this.#old.delete(storeId)
    this.#oldBytes -= old.bytes
  }
}

interface Reads {
  hits: number
  misses: number
}

function counted<Found>(reads: Reads, found: Found | undefined): Found | undefined {
  if (found === undefined) reads.misses++
  else reads.hits++
  return found
}

function emptyStore(): CachedStore {
  return { document: undefined, preview: undefined, people: undefined, bytes: bytesPerStore }
}

/** One byte a character, or two if one of them needs two. */
function sizeOf(text: string): number {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range of characters that take one byte
  return text.length * (/^[\x00-\xff]*$/.test(text) ? 1 : 2)
}
