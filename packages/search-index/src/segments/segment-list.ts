import { countBits } from '../scan/bitset.ts'
import { findDocument } from '../scan/resolve.ts'
import { contactsPerStore } from '../traits.ts'
import { type CodedStores, type LiveSegment, type Segment, wordsOf } from './segment.ts'
import { shared } from './shared-arrays.ts'

/** The segments of one catalogue, the newest last. Functions here return new lists and bits: searches may hold the old ones. */
export type SegmentList = readonly LiveSegment[]

/** A segment is merged with all newer ones once they have more than an eighth of its documents. */
const mergeFactor = 8

export interface Replacement {
  list: SegmentList
  /** Whether a store has lost a contact, so that its older copy holds data that may have to be erased. */
  hasRemovedContacts: boolean
}

/** The compared fields of newer copies of stores. */
type NewerStores = Pick<CodedStores, 'size' | 'ids' | 'contactStarts' | 'contactNumbers'>

/** Appends newer copies of stores and marks the older ones dead. */
export function replaceStores(list: SegmentList, staged: NewerStores, segment: Segment): Replacement {
  const contacts = new ContactComparison(staged)
  let hasRemovedContacts = false
  const older = list.map((part) => {
    const tombstones = new CopyOnWriteTombstones(part)
    for (let row = 0; row < staged.size; row++) {
      const document = findDocument(part.segment, staged.ids[row]!)
      if (document < 0 || !tombstones.add(document)) continue
      hasRemovedContacts ||= !contacts.keepsAll(row, part.segment, document)
    }
    return tombstones.segment
  })
  return { list: [...older, { segment, dead: null }], hasRemovedContacts }
}

/** Marks stores dead that the catalogue no longer has. `hasRemovedContacts` is true if one of them was alive. */
export function removeStores(list: SegmentList, storeIds: readonly number[]): Replacement {
  let hasRemovedContacts = false
  const remaining = list.map((part) => {
    const tombstones = new CopyOnWriteTombstones(part)
    for (const id of storeIds) {
      const document = findDocument(part.segment, id)
      if (document >= 0 && tombstones.add(document)) hasRemovedContacts = true
    }
    return tombstones.segment
  })
  return { list: remaining, hasRemovedContacts }
}

/** The newest segments that should be merged into one, or none. Segments in `busy` are being merged already. */
export function planMerge(list: SegmentList, busy: SegmentList): SegmentList {
  const free = list.filter(({ segment }) => !includes(busy, segment))
  let newer = 0
  let first = free.length
  for (let index = free.length - 1; index >= 0; index--) {
    const { size } = free[index]!.segment
    if (index < free.length - 1 && size < newer * mergeFactor) first = index
    newer += size
  }
  return free.slice(first)
}

/** Replaces `parts` with the segment they were merged into. Documents that died since the merge began are dead in it too. */
export function applyMerge(list: SegmentList, parts: SegmentList, merged: Segment): SegmentList {
  const tombstones = new CopyOnWriteTombstones({ segment: merged, dead: null })
  for (const { segment, dead } of list) {
    const before = parts.find((part) => part.segment === segment)
    if (!before || dead === null || dead === before.dead) continue
    for (let word = 0; word < dead.length; word++) {
      let died = dead[word]! & ~(before.dead?.[word] ?? 0)
      for (; died !== 0; died &= died - 1) {
        const document = word * 32 + 31 - Math.clz32(died & -died)
        tombstones.add(findDocument(merged, segment.ids[document]!))
      }
    }
  }
  const index = list.findIndex(({ segment }) => includes(parts, segment))
  const rest = list.filter(({ segment }) => !includes(parts, segment))
  return merged.size === 0 ? rest : rest.toSpliced(index, 0, tombstones.segment)
}

/** Removes segments whose documents are all dead. */
export function dropDeadSegments(list: SegmentList, busy: SegmentList): SegmentList {
  return list.filter((part) => includes(busy, part.segment) || countDead(part) < part.segment.size)
}

/** How many documents of a segment are dead. */
export function countDead({ dead }: LiveSegment): number {
  return dead === null ? 0 : countBits(dead, dead.length)
}

function includes(list: SegmentList, segment: Segment): boolean {
  return list.some((part) => part.segment === segment)
}

/** The dead documents of a segment; the bits are copied before the first change. */
class CopyOnWriteTombstones {
  segment: LiveSegment
  readonly #original: Int32Array | null

  constructor(segment: LiveSegment) {
    this.segment = segment
    this.#original = segment.dead
  }

  /** Returns false for a document that was dead already. */
  add(document: number): boolean {
    const bit = 1 << (document & 31)
    if (((this.segment.dead?.[document >>> 5] ?? 0) & bit) !== 0) return false
    if (this.segment.dead === this.#original) {
      const dead = shared(Int32Array, wordsOf(this.segment.segment.size))
      if (this.#original) dead.set(this.#original)
      this.segment = { segment: this.segment.segment, dead }
    }
    this.segment.dead![document >>> 5]! |= bit
    return true
  }
}

/** Compares the contacts of the newer copies of stores with those of the older copies. */
class ContactComparison {
  readonly #staged: NewerStores
  /** Contact number → the last row that had it, + 1. */
  readonly #rowOf = new Uint32Array(contactsPerStore)

  constructor(staged: NewerStores) {
    this.#staged = staged
  }

  /** Whether the newer copy of a row's store has all contacts of the older copy. */
  keepsAll(row: number, { contactStarts, contactNumbers }: Segment, document: number): boolean {
    const [staged, rowOf] = [this.#staged, this.#rowOf]
    for (let at = staged.contactStarts[row]!; at < staged.contactStarts[row + 1]!; at++)
      rowOf[staged.contactNumbers[at]!] = row + 1
    for (let at = contactStarts[document]!; at < contactStarts[document + 1]!; at++)
      if (rowOf[contactNumbers[at]!] !== row + 1) return false
    return true
  }
}
