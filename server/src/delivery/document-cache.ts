import type { Queryable } from '../db/pool.ts'
import type { GaugeSource } from '../http/metrics.ts'
import { PartedMap } from '../runtime/parted.ts'
import { readCatalogueChanges } from './document-cache-queries.ts'

export interface DocumentCacheOptions {
  /** Memory for documents, about; 0 turns the cache off. */
  maxBytes: number
  /** Where changes are read. */
  db: Queryable
}

/** Of the map's entry and the string's header. */
const bytesPerEntry = 120
/** After more changes than this, dropping everything costs less than finding out which. */
const mostChanges = 20_000
/** Time between two looks at what changed; an import commits batches faster. */
const pauseMs = 200

/**
 * Rendered documents of stores, in memory. All of them are those of one version of the catalogue; a statement that uses them
 * confirms that version, so a document that has changed, or of a store that is gone, is never delivered. When the
 * catalogue moves on, the stores that changed are dropped in the background, and nothing is used until then.
 *
 * Two generations bound it: what is used moves to the young one; when that is full, the old one is forgotten.
 */
export class DocumentCache {
  readonly #maxBytes: number
  readonly #db: Queryable
  #young = new PartedMap<string>()
  #old = new PartedMap<string>()
  #youngBytes = 0
  #oldBytes = 0
  /** Of the documents; null while there are none. */
  #version: string | null = null
  /** The newest version seen. */
  #seen: string | null = null
  #isCatchingUp = false
  #hits = 0
  #misses = 0

  constructor({ maxBytes, db }: DocumentCacheOptions) {
    this.#maxBytes = maxBytes
    this.#db = db
  }

  /** The version of which every document is, if it is the newest seen; null: none may be used. */
  get version(): string | null {
    return this.#version === this.#seen ? this.#version : null
  }

  /** The document of a store; undefined if it is not in memory or none may be used. */
  get(storeId: number): string | undefined {
    if (this.version === null) return undefined
    const young = this.#young.get(storeId)
    if (young !== undefined) {
      this.#hits++
      return young
    }
    const old = this.#old.get(storeId)
    if (old === undefined) {
      this.#misses++
      return undefined
    }
    this.#hits++
    this.#old.delete(storeId)
    this.#oldBytes -= sizeOf(old)
    this.#add(storeId, old)
    return old
  }

  /** Keeps a document that was read of a version, if the others are of it too. */
  put(storeId: number, document: string, version: string): void {
    if (version !== this.version || this.#maxBytes === 0 || this.#young.has(storeId)) return
    this.#add(storeId, document)
  }

  /** Takes note of the version that a statement read. It is used when all rows of its batch are known to be there. */
  sawVersion(version: string): void {
    if (this.#maxBytes === 0 || version === this.#seen) return
    this.#seen = version
    if (!this.#isCatchingUp) void this.#catchUp()
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
        help: 'Memory used by cached documents of stores, about.',
        read: () => [{ value: this.#youngBytes + this.#oldBytes }],
      },
      {
        name: 'storedex_document_cache_documents',
        help: 'Cached documents of stores.',
        read: () => [{ value: this.#young.size + this.#old.size }],
      },
    ]
  }

  counters(): GaugeSource[] {
    return [
      {
        name: 'storedex_document_cache_reads_total',
        help: 'Documents looked for in the cache, by whether they were there.',
        labelNames: ['result'],
        read: () => [
          { labels: { result: 'hit' }, value: this.#hits },
          { labels: { result: 'miss' }, value: this.#misses },
        ],
      },
    ]
  }

  #add(storeId: number, document: string): void {
    const bytes = sizeOf(document)
    if (this.#youngBytes + bytes > this.#maxBytes / 2) {
      this.#old = this.#young
      this.#oldBytes = this.#youngBytes
      this.#young = new PartedMap()
      this.#youngBytes = 0
    }
    this.#young.set(storeId, document)
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
      // The database is not available: requests say so. What is in memory is of no known version.
      this.clear()
    } finally {
      this.#isCatchingUp = false
    }
  }

  #drop(storeId: number): void {
    const young = this.#young.get(storeId)
    if (young !== undefined) {
      this.#young.delete(storeId)
      this.#youngBytes -= sizeOf(young)
    }
    const old = this.#old.get(storeId)
    if (old === undefined) return
    this.#old.delete(storeId)
    this.#oldBytes -= sizeOf(old)
  }
}

/** One byte a character, or two if one of them needs two. */
function sizeOf(document: string): number {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range of characters that take one byte
  return bytesPerEntry + document.length * (/^[\x00-\xff]*$/.test(document) ? 1 : 2)
}
