import { type Contacts, allocateContacts, encodeDocuments, encodeRange, signatureKey } from './layout.ts'
import { gone, remapLiving, type MergedPart, mergeDocuments } from './merge-documents.ts'
import { mergePostings } from './merge-postings.ts'
import { NumberTable } from './number-table.ts'
import { type LiveSegment, noValue, type RangeColumn, type Segment } from './segment.ts'
import { sharedCopy } from './shared-arrays.ts'
import { mergeLists } from './sort.ts'

/**
 * Makes one segment of several, without a trace of the documents that are dead: the very segment that the living stores
 * would be built into. No store may live in two of them. Every order is merged from those of the parts, none is sorted anew.
 */
export function mergeSegments(segments: readonly LiveSegment[]): Segment {
  const { parts, ids, negatedScores } = mergeDocuments(segments)
  const byId = parts.map((part) => remapLiving(part, part.segment.byId))
  return {
    ...encodeDocuments(ids, negatedScores),
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
  const orders = parts.map((part) => remapLiving(part, columnOf(part.segment).order))
  return encodeRange(values, unit, (laid) =>
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

/** The contacts of the living documents, with a table of the signatures that are left among them. */
function mergeContacts(parts: readonly MergedPart[], size: number): Contacts {
  const starts = new Uint32Array(size + 1)
  const table = new NumberTable()
  for (const part of parts) {
    for (const signature of countContacts(part, starts)) table.add(keyOf(part.segment, signature))
  }
  for (let document = 0; document < size; document++) starts[document + 1]! += starts[document]!
  const { values: keys } = table.sort()
  const merged = allocateContacts(starts, keys)
  for (const part of parts) {
    // Those that nobody living has get no number, and are not asked for.
    const signatures = Int32Array.from(part.segment.signatureRoles, (_, signature) =>
      table.numberOf(keyOf(part.segment, signature)),
    )
    copyContacts(part, signatures, merged)
  }
  return merged
}

function keyOf({ signatureRoles, signatureTraits }: Segment, signature: number): number {
  return signatureKey(signatureRoles[signature]!, signatureTraits[signature]!)
}

/** Notes how many contacts each document has, one place too far right, and answers which signatures they have. */
function countContacts({ segment, documents }: MergedPart, starts: Uint32Array): number[] {
  const { contactStarts, contactSignatures } = segment
  const isUsed = new Uint8Array(segment.signatureRoles.length)
  for (let document = 0; document < documents.length; document++) {
    const target = documents[document]!
    if (target === gone) continue
    const end = contactStarts[document + 1]!
    starts[target + 1] = end - contactStarts[document]!
    for (let contact = contactStarts[document]!; contact < end; contact++) isUsed[contactSignatures[contact]!] = 1
  }
  return [...isUsed.keys()].filter((signature) => isUsed[signature] === 1)
}

function copyContacts({ segment, documents }: MergedPart, signatures: Int32Array, merged: Contacts): void {
  const { contactStarts, contactSignatures, contactNumbers } = segment
  for (let document = 0; document < documents.length; document++) {
    if (documents[document] === gone) continue
    let next = merged.contactStarts[documents[document]!]!
    const end = contactStarts[document + 1]!
    for (let contact = contactStarts[document]!; contact < end; contact++) {
      merged.contactSignatures[next] = signatures[contactSignatures[contact]!]!
      merged.contactNumbers[next] = contactNumbers[contact]!
      next++
    }
  }
}
