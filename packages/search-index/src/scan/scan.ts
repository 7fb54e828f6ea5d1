import type { Pace, SlicedWork } from '@storedex/work'
import type { Segment } from '../segments/segment.ts'
import { DocumentFilter } from './document-filter.ts'
import type { Conditions } from './resolve.ts'
import { lowerBound } from './sort-keys.ts'
import { WindowScan } from './window-scan.ts'

/** Up to this many documents are sorted and checked one by one; more are scanned by windows of words. */
const maxSorted = 4_096

/** What to scan for: the first `limit` documents from `first` on, ascending. `only`, ascending, restricts the scan. */
export interface ScanRange {
  first: number
  limit: number
  only?: Uint32Array | null
}

/** Finds the documents that meet all conditions. */
export class DocumentScan implements SlicedWork<number[]> {
  readonly #check: DocumentFilter
  readonly #scan: CandidateScan | WindowScan

  constructor(conditions: Conditions, { first, limit, only = null }: ScanRange) {
    const candidates = only ?? fewCandidates(conditions)
    const check = new DocumentFilter(conditions)
    this.#check = check
    this.#scan = candidates
      ? new CandidateScan(check, candidates, first, limit)
      : new WindowScan(conditions, check, first, limit)
  }

  advance(pace: Pace): number[] | undefined {
    // Between two slices, others may use the filter's table.
    this.#check.acquire()
    try {
      return this.#scan.advance(pace) ? this.#scan.documents : undefined
    } finally {
      this.#check.release()
    }
  }
}

/** The documents that meet the narrowest condition, sorted; null if they are too many. */
export function fewCandidates({ segment, clauses, ranges }: Conditions): Uint32Array | null {
  const [narrowest] = clauses
  const [range] = ranges
  const inRange = range ? range.end - range.start : Number.POSITIVE_INFINITY
  if (!narrowest || inRange < narrowest.bound)
    return range && inRange <= maxSorted ? range.order.slice(range.start, range.end).sort() : null
  const { slots, codes, entries } = narrowest
  if (slots.length > 0) return null
  // A single list is sorted already, so a longer one pays too.
  if (codes.length === 1)
    return entries <= Math.max(maxSorted, segment.size >>> 9) ? entriesOf(segment, codes[0]!) : null
  return entries <= maxSorted ? gatherSorted(segment, codes, entries) : null
}

function gatherSorted(segment: Segment, codes: number[], count: number): Uint32Array {
  const gathered = new Uint32Array(count)
  let at = 0
  for (const code of codes) {
    const list = entriesOf(segment, code)
    gathered.set(list, at)
    at += list.length
  }
  return gathered.sort()
}

function entriesOf({ entries, entryStarts }: Segment, code: number): Uint32Array {
  return entries.subarray(entryStarts[code], entryStarts[code + 1])
}

/** So many documents are checked before the cost of checking is estimated: most scans end earlier. */
const firstDocuments = 128
const unitsPerPause = 4_096

/** Checks documents one by one. */
class CandidateScan {
  /** The documents found, ascending. */
  readonly documents: number[] = []
  readonly #check: DocumentFilter
  readonly #candidates: Uint32Array
  readonly #limit: number
  #at: number
  #previous = -1

  constructor(check: DocumentFilter, candidates: Uint32Array, first: number, limit: number) {
    this.#check = check
    this.#candidates = candidates
    this.#limit = limit
    this.#at = lowerBound(candidates, first)
  }

  /** Works until it is done or has to pause; returns whether it is done. */
  advance(pace: Pace): boolean {
    if (this.#checkUntil(this.#at + firstDocuments)) return true
    const { cost } = this.#check
    const documentsAtOnce = Math.max(1, Math.floor(unitsPerPause / cost))
    for (let checked = firstDocuments; !pace.spend(checked * cost); checked = documentsAtOnce)
      if (this.#checkUntil(this.#at + documentsAtOnce)) return true
    return false
  }

  /** Returns whether the page is full or all are checked. */
  #checkUntil(end: number): boolean {
    const check = this.#check
    const candidates = this.#candidates
    const limit = this.#limit
    const documents = this.documents
    const last = Math.min(end, candidates.length)
    let previous = this.#previous
    for (let at = this.#at; at < last; at++) {
      const document = candidates[at]!
      // A document can be in the lists of several tokens.
      if (document !== previous && check.meets(document) && documents.push(document) === limit) return true
      previous = document
    }
    this.#at = last
    this.#previous = previous
    return last === candidates.length
  }
}
