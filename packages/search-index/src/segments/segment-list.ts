import { countBits } from '../scan/bitset.ts'
import { findDocument } from '../scan/resolve.ts'
import { contactsPerStore } from '../traits.ts'
import { type LiveSegment, type Segment, type StagedStores, wordsOf } from './segment.ts'
import { shared } from './shared-arrays.ts'

/** What happens to the segments of one mode. Nothing here changes a list or a bit that was given: views may show them. */
export type SegmentList = readonly LiveSegment[]

/** A segment is merged with all newer ones once these have an eighth of its size: few segments, and few merges of each. */
const mergeFactor = 8

export interface Replacement {
  shelf: SegmentList
  /** Whether somebody who was at one of the stores is there no longer. */
  isSomebodyGone: boolean
}

/** Puts newer copies of stores on the shelf, and marks the older ones dead. */
export function replaceStores(shelf: SegmentList, staged: StagedStores, segment: Segment): Replacement {
  const remaining = new Remaining(staged)
  let isSomebodyGone = false
  const older = shelf.map((part) => {
    const marking = new Marking(part)
    for (let row = 0; row < staged.size; row++) {
      const document = findDocument(part.segment, staged.ids[row]!)
      if (document < 0 || !marking.mark(document)) continue
      isSomebodyGone ||= !remaining.hasAll(row, part.segment, document)
    }
    return marking.part
  })
  return { shelf: [...older, { segment, dead: null }], isSomebodyGone }
}

/** The newest segments that are to become one, or none. Of those in `busy` a merge is being made. */
export function planMerge(shelf: SegmentList, busy: SegmentList): SegmentList {
  const free = shelf.filter(({ segment }) => !includes(busy, segment))
  let newer = 0
  let first = free.length
  for (let index = free.length - 1; index >= 0; index--) {
    const { size } = free[index]!.segment
    if (index < free.length - 1 && size < newer * mergeFactor) first = index
    newer += size
  }
  return free.slice(first)
}

/** Puts what `parts` were merged into in their place; what has died in them since then is dead in it too. */
export function applyMerge(shelf: SegmentList, parts: SegmentList, merged: Segment): SegmentList {
  const marking = new Marking({ segment: merged, dead: null })
  for (const { segment, dead } of shelf) {
    const before = parts.find((part) => part.segment === segment)
    if (!before || dead === null || dead === before.dead) continue
    for (let word = 0; word < dead.length; word++) {
      let died = dead[word]! & ~(before.dead?.[word] ?? 0)
      for (; died !== 0; died &= died - 1) {
        const document = word * 32 + 31 - Math.clz32(died & -died)
        marking.mark(findDocument(merged, segment.ids[document]!))
      }
    }
  }
  const place = shelf.findIndex(({ segment }) => includes(parts, segment))
  const rest = shelf.filter(({ segment }) => !includes(parts, segment))
  return merged.size === 0 ? rest : rest.toSpliced(place, 0, marking.part)
}

/** Without the segments of which nothing is alive. */
export function dropDeadSegments(shelf: SegmentList, busy: SegmentList): SegmentList {
  return shelf.filter((part) => includes(busy, part.segment) || countDead(part) < part.segment.size)
}

/** How many documents of a segment are dead. */
export function countDead({ dead }: LiveSegment): number {
  return dead === null ? 0 : countBits(dead, dead.length)
}

function includes(shelf: SegmentList, segment: Segment): boolean {
  return shelf.some((part) => part.segment === segment)
}

/** A segment whose documents die; the bits are copied when the first one does. */
class Marking {
  part: LiveSegment
  readonly #given: Int32Array | null

  constructor(part: LiveSegment) {
    this.part = part
    this.#given = part.dead
  }

  /** False for one that was dead already. */
  mark(document: number): boolean {
    const bit = 1 << (document & 31)
    if (((this.part.dead?.[document >>> 5] ?? 0) & bit) !== 0) return false
    if (this.part.dead === this.#given) {
      const dead = shared(Int32Array, wordsOf(this.part.segment.size))
      if (this.#given) dead.set(this.#given)
      this.part = { segment: this.part.segment, dead }
    }
    this.part.dead![document >>> 5]! |= bit
    return true
  }
}

/** Who is at the stores that were read. */
class Remaining {
  readonly #staged: StagedStores
  /** Number → the row that had it last, + 1. */
  readonly #rowOf = new Uint32Array(contactsPerStore)

  constructor(staged: StagedStores) {
    this.#staged = staged
  }

  /** Whether everybody at the older copy of a row's store is at the newer one. */
  hasAll(row: number, { contactStarts, contactNumbers }: Segment, document: number): boolean {
    const [staged, rowOf] = [this.#staged, this.#rowOf]
    for (let at = staged.contactStarts[row]!; at < staged.contactStarts[row + 1]!; at++)
      rowOf[staged.contactNumbers[at]!] = row + 1
    for (let at = contactStarts[document]!; at < contactStarts[document + 1]!; at++)
      if (rowOf[contactNumbers[at]!] !== row + 1) return false
    return true
  }
}
