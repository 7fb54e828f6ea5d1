import { finish, type Pace, type SlicedWork, type Steps } from '@storedex/work'
import { hasKey } from '../exclusion/without-stores.ts'
import type { ContactQuery, ContactSortKey, PersonQuery, StoreQuery, StoreSortKey } from '../query.ts'
import type { LiveSegment, Segment } from '../segments/segment.ts'
import { contactsPerStore, rankInStore } from '../traits.ts'
import { type Conditions, findDocuments, resolveQuery } from './resolve.ts'
import { DocumentScan } from './scan.ts'
import { findFirstDocument, mergeSorted, sortKeyOf } from './sort-keys.ts'

/** The first `limit` matching stores after a key, in result order. No store is alive in two segments. */
export function scanStores(
  segments: readonly LiveSegment[],
  query: StoreQuery,
  after: StoreSortKey | null,
  limit: number,
): StoreSortKey[] {
  return finish(new StoreScan(segments, query, after, limit))
}

/** Of looking up the sort key of a document. */
const unitsPerKey = 32

export class StoreScan implements SlicedWork<StoreSortKey[]> {
  readonly #segments: readonly LiveSegment[]
  readonly #query: StoreQuery
  readonly #after: StoreSortKey | null
  readonly #limit: number
  readonly #lists: StoreSortKey[][] = []
  #next = 0
  /** Of the segment before `#next`; null between two segments. */
  #scan: DocumentScan | null = null

  constructor(segments: readonly LiveSegment[], query: StoreQuery, after: StoreSortKey | null, limit: number) {
    this.#segments = segments
    this.#query = query
    this.#after = after
    this.#limit = limit
  }

  advance(pace: Pace): StoreSortKey[] | undefined {
    const segments = this.#segments
    for (;;) {
      if (!this.#scan) {
        if (this.#next === segments.length) return mergeSorted(this.#lists, this.#limit)
        const live = segments[this.#next++]!
        const conditions = resolveQuery(live, this.#query)
        if (!conditions) continue
        const first = findFirstDocument(live.segment, this.#after, false)
        this.#scan = new DocumentScan(conditions, { first, limit: this.#limit })
      }
      const documents = this.#scan.advance(pace)
      if (!documents) return undefined
      const { segment } = segments[this.#next - 1]!
      this.#lists.push(documents.map((document) => sortKeyOf(segment, document)))
      this.#scan = null
      if (pace.spend(documents.length * unitsPerKey)) return undefined
    }
  }
}

/**
 * The first `limit` matching contacts after a key, in result order. Every matching store has a matching contact, because a
 * store's tokens include those of its contacts. So a page needs at most one store more than rows: the store of the key, which
 * may have no contact left. Only if contacts are left out may it need further stores, which are found in growing portions.
 */
export function scanContacts(segments: readonly LiveSegment[], search: ContactQuery): ContactSortKey[] {
  return finish(new ContactScan(segments, search))
}

export class ContactScan implements SlicedWork<ContactSortKey[]> {
  readonly #segments: readonly LiveSegment[]
  readonly #search: ContactQuery
  readonly #query: StoreQuery
  readonly #lists: ContactSortKey[][] = []
  #next = 0
  /** Of the segment before `#next`; null between two segments. */
  #scan: ContactSegmentScan | null = null

  constructor(segments: readonly LiveSegment[], search: ContactQuery) {
    const { store, person } = search
    this.#segments = segments
    this.#search = search
    this.#query = { ...store, clauses: [...store.clauses, person.storeTokens] }
  }

  advance(pace: Pace): ContactSortKey[] | undefined {
    for (;;) {
      if (!this.#scan) {
        if (this.#next === this.#segments.length) return mergeSorted(this.#lists, this.#search.limit)
        const live = this.#segments[this.#next++]!
        const conditions = resolveQuery(live, this.#query)
        if (!conditions) continue
        this.#scan = new ContactSegmentScan(conditions, this.#search)
      }
      const contacts = this.#scan.advance(pace)
      if (!contacts) return undefined
      this.#lists.push(contacts)
      this.#scan = null
    }
  }
}

const largestPortion = 16_384

/** Finds the contacts of one segment: portions of stores, and the contacts of each. */
class ContactSegmentScan implements SlicedWork<ContactSortKey[]> {
  readonly #conditions: Conditions
  readonly #contacts: ContactReader
  /** Finds the only stores to search; null once they are known, or for all. */
  #finding: Steps<Uint32Array> | null = null
  readonly #storeIds: readonly number[] | null
  #only: Uint32Array | null = null
  #first: number
  #portion: number
  #scan: DocumentScan | null = null
  /** The stores of the portion, and how many were read. */
  #documents: number[] | null = null
  #read = 0

  constructor(conditions: Conditions, search: ContactQuery) {
    const { segment } = conditions
    this.#conditions = conditions
    this.#contacts = new ContactReader(segment, search)
    this.#storeIds = search.storeIds
    this.#first = findFirstDocument(segment, search.after, true)
    this.#portion = search.limit + 1
  }

  advance(pace: Pace): ContactSortKey[] | undefined {
    const contacts = this.#contacts
    if (this.#storeIds && !this.#findOnly(this.#storeIds, pace)) return undefined
    for (;;) {
      if (!this.#documents) {
        const range = { first: this.#first, limit: this.#portion, only: this.#only }
        this.#scan ??= new DocumentScan(this.#conditions, range)
        const documents = this.#scan.advance(pace)
        if (!documents) return undefined
        this.#documents = documents
        this.#read = 0
        this.#scan = null
      }
      const documents = this.#documents
      this.#read = contacts.read(documents, this.#read, pace)
      if (contacts.isFull) return contacts.found
      if (this.#read < documents.length) return undefined
      if (documents.length < this.#portion) return contacts.found
      this.#first = documents.at(-1)! + 1
      this.#portion = Math.min(this.#portion * 4, largestPortion)
      this.#documents = null
    }
  }

  #findOnly(storeIds: readonly number[], pace: Pace): boolean {
    if (this.#only) return true
    this.#finding ??= findDocuments(this.#conditions.segment, storeIds, pace)
    const step = this.#finding.next()
    if (!step.done) return false
    this.#only = step.value
    return true
  }
}

const unitsPerPause = 2_048
/** Of reading a contact, and of looking it up in one list of those to leave out. */
const unitsPerContact = 4
const unitsPerLookup = 256

/**
 * Reads the matching contacts of stores. Contacts up to the key are skipped only after `maxPerStore` has counted them, so the
 * cut does not depend on pages. Those left out are not counted.
 */
class ContactReader {
  readonly found: ContactSortKey[] = []
  readonly #segment: Segment
  readonly #search: ContactQuery
  readonly #isWanted: Uint8Array
  readonly #cost: number

  constructor(segment: Segment, search: ContactQuery) {
    this.#segment = segment
    this.#search = search
    this.#isWanted = wantedSignatures(segment, search.person)
    this.#cost = unitsPerContact + unitsPerLookup * (search.without?.length ?? 0)
  }

  get isFull(): boolean {
    return this.found.length === this.#search.limit
  }

  /** Reads from a place in the list of documents until the page is full or it has to pause; returns the place to continue. */
  read(documents: readonly number[], from: number, pace: Pace): number {
    const { contactStarts } = this.#segment
    let cost = 0
    for (let index = from; index < documents.length; index++) {
      const document = documents[index]!
      this.#readStore(document)
      if (this.isFull) return index + 1
      cost += unitsPerKey + (contactStarts[document + 1]! - contactStarts[document]!) * this.#cost
      if (cost < unitsPerPause) continue
      if (pace.spend(cost)) return index + 1
      cost = 0
    }
    return documents.length
  }

  #readStore(document: number): void {
    const { maxPerStore, after, limit, without = [] } = this.#search
    const { contactStarts, contactSignatures, contactNumbers, signatureTraits } = this.#segment
    const isWanted = this.#isWanted
    const { negatedScore, storeId } = sortKeyOf(this.#segment, document)
    const passed = after && after.storeId === storeId && after.negatedScore === negatedScore ? after.contact : -1
    const end = contactStarts[document + 1]!
    let taken = 0
    for (let at = contactStarts[document]!; at < end && taken < maxPerStore; at++) {
      const signature = contactSignatures[at]!
      if (isWanted[signature] === 0) continue
      if (without.length > 0 && hasKey(without, storeId * contactsPerStore + contactNumbers[at]!)) continue
      taken++
      const contact = rankInStore(signatureTraits[signature]!, contactNumbers[at]!)
      if (contact <= passed) continue
      this.found.push({ negatedScore, storeId, contact })
      if (this.found.length === limit) return
    }
  }
}

/** Signature → 1 if it matches the query. */
export function wantedSignatures(
  { signatureRoles, signatureTraits }: Segment,
  { roleTokens, traits }: PersonQuery,
): Uint8Array {
  const isWanted = new Uint8Array(signatureRoles.length)
  for (let signature = 0; signature < isWanted.length; signature++) {
    const meets =
      (roleTokens === null || roleTokens.includes(signatureRoles[signature]!)) &&
      (traits === null || traits.includes(signatureTraits[signature]!))
    if (meets) isWanted[signature] = 1
  }
  return isWanted
}
