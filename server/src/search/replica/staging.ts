import { type CodedStores, type Codes, codesFor, NumberTable, signatureKey } from '@storedex/search-index'
import type { BinaryRow } from './binary-rows.ts'
import type { CatalogueCount } from './queries.ts'

const startRows = 1_024
const growth = 1.5
/** Memory that is reserved and never written takes no room, copying an array that has become too short does. */
const reserve = 1.1
const tokensPerStore = 24

/** Collects stores and contacts in growing arrays, as input for `buildCodedSegment`. */
export class Staging {
  #stores = 0
  #ids: Float64Array
  #negatedScores: Float64Array
  #activeAds: Uint32Array
  #created: Float64Array
  #discovered: Float64Array
  #tokenStarts: Uint32Array
  readonly #tokenTable = new NumberTable()
  #tokens: Codes
  #tokenCount = 0
  /** The tokens of one store. */
  #row = new Int32Array(64)
  #table: IdTable | undefined
  #lastId = Number.NaN
  #lastRow = -1

  #contacts = 0
  #contactRows: Uint32Array
  readonly #signatureTable = new NumberTable()
  #contactSignatures: Codes
  #contactNumbers: Uint16Array

  /** `expected` is how many rows will come, as estimated. */
  constructor(expected: CatalogueCount = { stores: 0, contacts: 0 }) {
    const [stores, contacts] = [startRows + expected.stores * reserve, startRows + expected.contacts * reserve].map(
      Math.ceil,
    )
    this.#ids = new Float64Array(stores!)
    this.#negatedScores = new Float64Array(stores!)
    this.#activeAds = new Uint32Array(stores!)
    this.#created = new Float64Array(stores!)
    this.#discovered = new Float64Array(stores!)
    this.#tokenStarts = new Uint32Array(stores! + 1)
    this.#tokens = new Uint16Array(stores! * tokensPerStore)
    this.#contactRows = new Uint32Array(contacts!)
    this.#contactSignatures = new Uint16Array(contacts!)
    this.#contactNumbers = new Uint16Array(contacts!)
  }

  get stores(): number {
    return this.#stores
  }

  get contacts(): number {
    return this.#contacts
  }

  /** Reads the rest of a row of `streamStores` after id and mode. */
  addStore(id: number, row: BinaryRow): void {
    if (this.#stores === this.#ids.length) this.#growStores()
    const at = this.#stores++
    this.#ids[at] = id
    this.#negatedScores[at] = row.float64()
    this.#activeAds[at] = Math.max(0, row.int32Or(0))
    this.#created[at] = row.moment()
    this.#discovered[at] = row.moment()
    this.#addTokens(row)
    this.#tokenStarts[at + 1] = this.#tokenCount
  }

  #addTokens(row: BinaryRow): void {
    const given = row.countIntegers()
    if (given > this.#row.length) this.#row = new Int32Array(given * 2)
    row.integers(this.#row, 0)
    const count = sortDistinct(this.#row, given)
    this.#tokens = withRoom(this.#tokens, this.#tokenCount, count, this.#tokenTable.size + count)
    for (let at = 0; at < count; at++) this.#tokens[this.#tokenCount++] = this.#tokenTable.add(this.#row[at]!)
  }

  /** Call it after all stores are added. Returns false if the store is not among them. */
  addContact(storeId: number, number: number, traits: number, role: number): boolean {
    const row = this.#rowOf(storeId)
    if (row < 0) return false
    this.#contactRows = withRoom(this.#contactRows, this.#contacts, 1)
    this.#contactNumbers = withRoom(this.#contactNumbers, this.#contacts, 1)
    this.#contactSignatures = withRoom(this.#contactSignatures, this.#contacts, 1, this.#signatureTable.size + 1)
    const at = this.#contacts++
    this.#contactRows[at] = row
    this.#contactSignatures[at] = this.#signatureTable.add(signatureKey(role, traits))
    this.#contactNumbers[at] = number
    return true
  }

  /** Returns what was added; nothing can be added any more. */
  finish(): CodedStores {
    const stores = this.#stores
    return {
      size: stores,
      ids: this.#ids.subarray(0, stores),
      negatedScores: this.#negatedScores.subarray(0, stores),
      activeAds: this.#activeAds.subarray(0, stores),
      created: this.#created.subarray(0, stores),
      discovered: this.#discovered.subarray(0, stores),
      tokenTable: this.#tokenTable,
      tokenStarts: this.#tokenStarts.subarray(0, stores + 1),
      tokens: this.#tokens.subarray(0, this.#tokenCount),
      signatureTable: this.#signatureTable,
      ...this.#sortContacts(),
    }
  }

  /** Contacts usually come grouped by store. */
  #rowOf(storeId: number): number {
    if (storeId !== this.#lastId) {
      this.#table ??= new IdTable(this.#ids.subarray(0, this.#stores))
      this.#lastId = storeId
      this.#lastRow = this.#table.rowOf(storeId)
    }
    return this.#lastRow
  }

  /** Counting sort of contacts by row. */
  #sortContacts(): Pick<CodedStores, 'contactStarts' | 'contactSignatures' | 'contactNumbers'> {
    const [count, rows] = [this.#contacts, this.#contactRows]
    const contactStarts = new Uint32Array(this.#stores + 1)
    for (let at = 0; at < count; at++) contactStarts[rows[at]! + 1]!++
    for (let row = 0; row < this.#stores; row++) contactStarts[row + 1]! += contactStarts[row]!
    const next = contactStarts.slice()
    const contactSignatures = codesFor(this.#signatureTable.size, count)
    const contactNumbers = new Uint16Array(count)
    for (let at = 0; at < count; at++) {
      const index = next[rows[at]!]!++
      contactSignatures[index] = this.#contactSignatures[at]!
      contactNumbers[index] = this.#contactNumbers[at]!
    }
    // Free the sorted rows before the segment is built.
    this.#table = undefined
    this.#contactRows = new Uint32Array(0)
    this.#contactSignatures = new Uint16Array(0)
    this.#contactNumbers = new Uint16Array(0)
    return { contactStarts, contactSignatures, contactNumbers }
  }

  #growStores(): void {
    const count = this.#stores
    this.#ids = withRoom(this.#ids, count, 1)
    this.#negatedScores = withRoom(this.#negatedScores, count, 1)
    this.#activeAds = withRoom(this.#activeAds, count, 1)
    this.#created = withRoom(this.#created, count, 1)
    this.#discovered = withRoom(this.#discovered, count, 1)
    this.#tokenStarts = withRoom(this.#tokenStarts, count + 1, this.#ids.length - count)
  }
}

/** An array with room for more values after the first `used`: the same one, or a longer copy. */
function withRoom<A extends Codes | Float64Array>(values: A, used: number, more: number, tableSize?: number): A {
  const isTooNarrow = tableSize !== undefined && values instanceof Uint16Array && tableSize > 0x1_0000
  if (used + more <= values.length && !isTooNarrow) return values
  const kind = (isTooNarrow ? Uint32Array : values.constructor) as new (length: number) => A
  const longer = new kind(Math.ceil((used + more) * growth))
  longer.set(values.subarray(0, used) as never)
  return longer
}

/** Imports write tokens sorted; this covers rows written otherwise. Returns the number of distinct tokens. */
function sortDistinct(tokens: Int32Array, count: number): number {
  let isSorted = true
  for (let at = 1; at < count; at++) if (tokens[at - 1]! >= tokens[at]!) isSorted = false
  if (isSorted) return count
  const distinct = Int32Array.from(new Set(tokens.subarray(0, count))).sort()
  tokens.set(distinct)
  return distinct.length
}

/** 2^32 divided by the golden ratio (Fibonacci hashing). */
const hashFactor = 0x9e37_79b1

/** Maps ids up to 2^53 to rows: an open-addressing hash table, filled by the constructor. */
export class IdTable {
  readonly #ids: Float64Array
  readonly #mask: number
  readonly #shift: number
  /** Row + 1 by hash, 0 where free. */
  readonly #slots: Int32Array

  /** `ids[row]` is the id of a row. */
  constructor(ids: Float64Array) {
    let slots = 32
    while (slots < ids.length * 2) slots *= 2
    this.#ids = ids
    this.#mask = slots - 1
    this.#shift = Math.clz32(slots) + 1 + 4
    this.#slots = new Int32Array(slots)
    for (let row = 0; row < ids.length; row++) {
      let slot = this.#firstSlot(ids[row]!)
      while (this.#slots[slot] !== 0) slot = (slot + 1) & this.#mask
      this.#slots[slot] = row + 1
    }
  }

  /** -1 for an unknown id. */
  rowOf(id: number): number {
    let slot = this.#firstSlot(id)
    for (;;) {
      const row = this.#slots[slot]! - 1
      if (row < 0 || this.#ids[row] === id) return row
      slot = (slot + 1) & this.#mask
    }
  }

  /** Sixteen neighbouring ids share a cache line, since they are looked up together; lines are spread by the hash. */
  #firstSlot(id: number): number {
    const line = Math.imul(Math.floor(id / 16), hashFactor) >>> this.#shift
    return ((line << 4) | (id & 15)) & this.#mask
  }
}
