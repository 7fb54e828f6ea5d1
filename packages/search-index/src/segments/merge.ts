import { storedTraits } from '../traits.ts'
import { allocateContacts, type Contacts, encodeDocuments, encodeRange, signatureKey } from './layout.ts'
import { deadDocument, type MergedPart, mergeDocuments, remapLiving } from './merge-documents.ts'
import { mergePostings } from './merge-postings.ts'
import { NumberTable } from './number-table.ts'
import { type LiveSegment, noValue, type RangeColumn, type Segment } from './segment.ts'
import { sharedCopy } from './shared-arrays.ts'
import { mergeLists } from './sort.ts'

/**
 * Merges segments into one without dead documents: equal to the segment built from the living stores. No store may be alive
 * in two of them. Sorted orders are merged, never sorted again. `collectGarbage` is called after each step.
 */
export function mergeSegments(segments: readonly LiveSegment[], collectGarbage: () => void = () => {}): Segment {
  const { parts, documents } = mergeOrder(segments)
  const { size } = documents
  const after = <T>(step: T): T => {
    collectGarbage()
    return step
  }
  return {
    ...documents,
    ...after(mergePostings(parts, size)),
    activeAds: after(mergeRange(parts, size, 1, ({ activeAds }) => activeAds)),
    created: after(mergeRange(parts, size, 1000, ({ created }) => created)),
    discovered: after(mergeRange(parts, size, 1000, ({ discovered }) => discovered)),
    ...mergeContacts(parts, size),
  }
}

function mergeOrder(segments: readonly LiveSegment[]) {
  const { parts, ids, negatedScores } = mergeDocuments(segments)
  const byId = parts.map((part) => remapLiving(part, part.segment.byId))
  const merged = mergeLists(byId, (a, b) => ids[a]! < ids[b]!)
  return { parts, documents: { ...encodeDocuments(ids, negatedScores), byId: sharedCopy(Uint32Array, merged) } }
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
  return encodeRange(values, unit, (stored) =>
    mergeLists(orders, (a, b) => stored[a]! < stored[b]! || (stored[a] === stored[b] && a < b)),
  )
}

function copyValues({ documents }: MergedPart, { unit, values }: RangeColumn, target: Float64Array): void {
  const none = values instanceof Uint32Array ? noValue : Number.NaN
  for (let document = 0; document < documents.length; document++) {
    const value = values[document]!
    if (documents[document] !== deadDocument && value !== none) target[documents[document]!] = value * unit
  }
}

/** Keeps only signatures that a living document has. */
function mergeContacts(parts: readonly MergedPart[], size: number): Contacts {
  const starts = new Uint32Array(size + 1)
  const table = new NumberTable()
  for (const part of parts) {
    for (const signature of countLivingContacts(part, starts)) table.add(keyOf(part.segment, signature))
  }
  for (let document = 0; document < size; document++) starts[document + 1]! += starts[document]!
  const { values: keys } = table.sort()
  const merged = allocateContacts(starts, keys)
  for (const part of parts) {
    // Unused signatures map to -1 and are never read.
    const signatures = Int32Array.from(part.segment.signatureRoles, (_, signature) =>
      table.numberOf(keyOf(part.segment, signature)),
    )
    copyContacts(part, signatures, merged)
  }
  return merged
}

function keyOf({ signatureRoles, signatureTraits, signatureRevealable }: Segment, signature: number): number {
  const traits = storedTraits(signatureTraits[signature]!, signatureRevealable[signature] === 1)
  return signatureKey(signatureRoles[signature]!, traits)
}

/** Writes each document's contact count to `starts[document + 1]` and returns the signatures in use. */
function countLivingContacts({ segment, documents }: MergedPart, starts: Uint32Array): number[] {
  const { contactStarts, contactSignatures } = segment
  const isUsed = new Uint8Array(segment.signatureRoles.length)
  for (let document = 0; document < documents.length; document++) {
    const target = documents[document]!
    if (target === deadDocument) continue
    const end = contactStarts[document + 1]!
    starts[target + 1] = end - contactStarts[document]!
    for (let contact = contactStarts[document]!; contact < end; contact++) isUsed[contactSignatures[contact]!] = 1
  }
  return [...isUsed.keys()].filter((signature) => isUsed[signature] === 1)
}

function copyContacts({ segment, documents }: MergedPart, signatures: Int32Array, merged: Contacts): void {
  const { contactStarts, contactSignatures, contactNumbers } = segment
  for (let document = 0; document < documents.length; document++) {
    if (documents[document] === deadDocument) continue
    let next = merged.contactStarts[documents[document]!]!
    const end = contactStarts[document + 1]!
    for (let contact = contactStarts[document]!; contact < end; contact++) {
      merged.contactSignatures[next] = signatures[contactSignatures[contact]!]!
      merged.contactNumbers[next] = contactNumbers[contact]!
      next++
    }
  }
}
