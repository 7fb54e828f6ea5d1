import type { StagedStores } from '@storedex/search-index'
import type { BinaryRow } from './binary-rows.ts'

const startRows = 1_024
const growth = 1.5

/** Collects stores and contacts in growing arrays, as input for `buildSegment`. */
export class Staging {
  #stores = 0
  #ids = new Float64Array(startRows)
  #negatedScores = new Float64Array(startRows)
  #activeAds = new Uint32Array(startRows)
  #created = new Float64Array(startRows)
  #discovered = new Float64Array(startRows)
  #tokenStarts = new Uint32Array(startRows + 1)
  #tokens = new Int32Array(startRows)
  #tokenCount = 0
  #table: IdTable | undefined
  #lastId = Number.NaN
  #lastRow = -1

  #contacts = 0
  #contactRows = new Uint32Array(startRows)
  #roles = new Int32Array(startRows)
  #traits = new Uint8Array(startRows)
  #numbers = new Uint16Array(startRows)

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
    const count = row.countIntegers()
    if (this.#tokenCount + count > this.#tokens.length)
      this.#tokens = grown(this.#tokens, this.#tokenCount + count, Int32Array)
    row.integers(this.#tokens, this.#tokenCount)
    this.#tokenCount += sortDistinct(this.#tokens, this.#tokenCount, count)
    this.#tokenStarts[at + 1] = this.#tokenCount
  }

  /** Call it after all stores are added. Returns false if the store is not among them. */
  addContact(storeId: number, number: number, traits: number, role: number): boolean {
    const row = this.#rowOf(storeId)
    if (row < 0) return false
    if (this.#contacts === this.#numbers.length) this.#growContacts()
    const at = this.#contacts++
    this.#contactRows[at] = row
    this.#roles[at] = role
    this.#traits[at] = traits
    this.#numbers[at] = number
    return true
  }

  finish(): StagedStores {
    const stores = this.#stores
    return {
      size: stores,
      ids: this.#ids.subarray(0, stores),
      negatedScores: this.#negatedScores.subarray(0, stores),
      activeAds: this.#activeAds.subarray(0, stores),
      created: this.#created.subarray(0, stores),
      discovered: this.#discovered.subarray(0, stores),
      tokenStarts: this.#tokenStarts.subarray(0, stores + 1),
      tokens: this.#tokens.subarray(0, this.#tokenCount),
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
  #sortContacts(): Pick<StagedStores, 'contactStarts' | 'contactRoles' | 'contactTraits' | 'contactNumbers'> {
    const [count, rows] = [this.#contacts, this.#contactRows]
    const contactStarts = new Uint32Array(this.#stores + 1)
    for (let at = 0; at < count; at++) contactStarts[rows[at]! + 1]!++
    for (let row = 0; row < this.#stores; row++) contactStarts[row + 1]! += contactStarts[row]!
    const next = contactStarts.slice()
    const contactRoles = new Int32Array(count)
    const contactTraits = new Uint8Array(count)
    const contactNumbers = new Uint16Array(count)
    for (let at = 0; at < count; at++) {
      const index = next[rows[at]!]!++
      contactRoles[index] = this.#roles[at]!
      contactTraits[index] = this.#traits[at]!
      contactNumbers[index] = this.#numbers[at]!
    }
    return { contactStarts, contactRoles, contactTraits, contactNumbers }
  }

  #growStores(): void {
    const rows = this.#stores + 1
    this.#ids = grown(this.#ids, rows, Float64Array)
    this.#negatedScores = grown(this.#negatedScores, rows, Float64Array)
    this.#activeAds = grown(this.#activeAds, rows, Uint32Array)
    this.#created = grown(this.#created, rows, Float64Array)
    this.#discovered = grown(this.#discovered, rows, Float64Array)
    const tokenStarts = new Uint32Array(this.#ids.length + 1)
    tokenStarts.set(this.#tokenStarts)
    this.#tokenStarts = tokenStarts
  }

  #growContacts(): void {
    const count = this.#contacts + 1
    this.#contactRows = grown(this.#contactRows, count, Uint32Array)
    this.#roles = grown(this.#roles, count, Int32Array)
    this.#traits = grown(this.#traits, count, Uint8Array)
    this.#numbers = grown(this.#numbers, count, Uint16Array)
  }
}

function grown<A extends { length: number; set(values: A): void }>(
  values: A,
  wanted: number,
  kind: new (length: number) => A,
): A {
  const longer = new kind(Math.ceil(Math.max(wanted, values.length) * growth))
  longer.set(values)
  return longer
}

/** Imports write tokens sorted; this covers rows written otherwise. Returns the number of distinct tokens. */
function sortDistinct(tokens: Int32Array, from: number, count: number): number {
  let isSorted = true
  for (let at = from + 1; at < from + count; at++) if (tokens[at - 1]! >= tokens[at]!) isSorted = false
  if (isSorted) return count
  const distinct = Int32Array.from(new Set(tokens.subarray(from, from + count))).sort()
  tokens.set(distinct, from)
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
