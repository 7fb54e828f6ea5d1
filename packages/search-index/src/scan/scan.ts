import type { Segment } from '../segments/segment.ts'
import { DocumentFilter } from './document-filter.ts'
import type { Conditions } from './resolve.ts'
import { lowerBound } from './sort-keys.ts'
import { WindowScan } from './window-scan.ts'

/** Up to this many documents are sorted and checked one by one; more are scanned by windows of words. */
const maxSorted = 4_096

/** The first `limit` documents from `first` on that meet all conditions, ascending. `only`, ascending, restricts the scan. */
export function scanDocuments(
  conditions: Conditions,
  first: number,
  limit: number,
  only: Uint32Array | null = null,
): number[] {
  const candidates = only ?? fewCandidates(conditions)
  const check = new DocumentFilter(conditions)
  try {
    return candidates ? checkEach(check, candidates, first, limit) : new WindowScan(conditions, check).run(first, limit)
  } finally {
    check.release()
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

function checkEach(check: DocumentFilter, candidates: Uint32Array, first: number, limit: number): number[] {
  const documents: number[] = []
  let previous = -1
  for (let at = lowerBound(candidates, first); at < candidates.length && documents.length < limit; at++) {
    const document = candidates[at]!
    // A document can be in the lists of several tokens.
    if (document !== previous && check.meets(document)) documents.push(document)
    previous = document
  }
  return documents
}
