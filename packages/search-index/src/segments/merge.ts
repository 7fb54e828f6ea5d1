import { layDocuments, layRange } from './layout.ts'
import { mergeContacts } from './merge-contacts.ts'
import { gone, livingOf, type MergedPart, mergeDocuments } from './merge-documents.ts'
import { mergePostings } from './merge-postings.ts'
import { type LiveSegment, noValue, type RangeColumn, type Segment } from './segment.ts'
import { sharedCopy } from './shared-arrays.ts'
import { mergeLists } from './sort.ts'

/**
 * Makes one segment of several, without a trace of the documents that are dead: the very segment that the living stores
 * would be built into. No store may live in two of them. Every order is merged from those of the parts, none is sorted anew.
 */
export function mergeSegments(segments: readonly LiveSegment[]): Segment {
  const { parts, ids, negatedScores } = mergeDocuments(segments)
  const byId = parts.map((part) => livingOf(part, part.segment.byId))
  return {
    ...layDocuments(ids, negatedScores),
    byId: sharedCopy(
      Uint32Array,
      mergeLists(byId, (a, b) => ids[a]! < ids[b]!),
    ),
    ...mergePostings(parts, ids.length),
    activeAds: mergeRange(parts, ids.length, 1, ({ activeAds }) => activeAds),
    created: mergeRange(parts, ids.length, 1000, ({ created }) => created),
    discovered: mergeRange(parts, ids.length, 1000, ({ discovered }) => discovered),
    ...mergeContacts(parts, ids.length),
  }
}

function mergeRange(
  parts: readonly MergedPart[],
  size: number,
  unit: number,
  columnOf: (segment: Segment) => RangeColumn,
): RangeColumn {
  const values = new Float64Array(size).fill(Number.NaN)
  for (const part of parts) copyValues(part, columnOf(part.segment), values)
  const orders = parts.map((part) => livingOf(part, columnOf(part.segment).order))
  return layRange(values, unit, (laid) =>
    mergeLists(orders, (a, b) => laid[a]! < laid[b]! || (laid[a] === laid[b] && a < b)),
  )
}

function copyValues({ documents }: MergedPart, { unit, values }: RangeColumn, target: Float64Array): void {
  const none = values instanceof Uint32Array ? noValue : Number.NaN
  for (let document = 0; document < documents.length; document++) {
    const value = values[document]!
    if (documents[document] !== gone && value !== none) target[documents[document]!] = value * unit
  }
}
