import { rankInStore } from '../traits.ts'
import {
  type Contacts,
  allocateContacts,
  encodeDocuments,
  allocatePostings,
  encodeRange,
  type Postings,
  signatureKey,
} from './layout.ts'
import { NumberTable } from './number-table.ts'
import { type RangeColumn, type Segment, type StagedStores, wordsOf } from './segment.ts'
import { sharedCopy } from './shared-arrays.ts'
import { identityPermutation, permuteStarts, pick, invertPermutation, sortByValue } from './sort.ts'

/** Readies stores for being searched. */
export function buildSegment(staged: StagedStores): Segment {
  const rowsById = sortByValue(identityPermutation(staged.size), staged.ids)
  const rows = sortByValue(rowsById, staged.negatedScores)
  const documentOf = invertPermutation(rows)
  return {
    ...encodeDocuments(pick(staged.ids, rows), pick(staged.negatedScores, rows)),
    byId: sharedCopy(
      Uint32Array,
      rowsById.map((row) => documentOf[row]!),
    ),
    ...buildPostings(staged, documentOf),
    activeAds: buildRange(
      pick(staged.activeAds, rows).map((count) => count || Number.NaN),
      1,
    ),
    created: buildRange(pick(staged.created, rows), 1000),
    discovered: buildRange(pick(staged.discovered, rows), 1000),
    ...buildContacts(staged, documentOf),
  }
}

function buildRange(values: Float64Array, unit: number): RangeColumn {
  const documents = identityPermutation(values.length).filter((document) => !Number.isNaN(values[document]!))
  return encodeRange(values, unit, (laid) => sortByValue(documents, laid))
}

/** The postings of staged rows, by where their documents stand. */
function buildPostings({ tokenStarts, tokens }: StagedStores, documentOf: Uint32Array): Postings {
  const table = new NumberTable()
  for (let at = 0; at < tokens.length; at++) table.add(tokens[at]!)
  const { values, counts } = table.sort()
  // First all codes are brought into result order: reading rows here and there would take longer than writing so does.
  const starts = permuteStarts(tokenStarts, documentOf)
  const codes = values.length <= 0x1_0000 ? new Uint16Array(tokens.length) : new Uint32Array(tokens.length)
  for (let row = 0; row < documentOf.length; row++) {
    const end = tokenStarts[row + 1]!
    let target = starts[documentOf[row]!]!
    for (let at = tokenStarts[row]!; at < end; at++) codes[target++] = table.numberOf(tokens[at]!)
  }
  const postings = allocatePostings(documentOf.length, values, counts)
  fillPostings(postings, starts, codes)
  return postings
}

/** Documents come in ascending order, so that every list is ascending; so are the codes of each, as its tokens are. */
function fillPostings(
  { denseSlots, bits, entryStarts, entries, mentionStarts, mentions }: Postings,
  starts: Uint32Array,
  codes: Uint16Array | Uint32Array,
): void {
  const size = starts.length - 1
  const words = wordsOf(size)
  const nextEntries = entryStarts.slice()
  let mention = 0
  for (let document = 0; document < size; document++) {
    const end = starts[document + 1]!
    for (let at = starts[document]!; at < end; at++) {
      const code = codes[at]!
      const slot = denseSlots[code]!
      if (slot >= 0) {
        bits[slot * words + (document >>> 5)]! |= 1 << (document & 31)
      } else {
        entries[nextEntries[code]!++] = document
        mentions[mention++] = code
      }
    }
    mentionStarts[document + 1] = mention
  }
}

/** The contacts of staged rows, by where their documents stand. */
function buildContacts(staged: StagedStores, documentOf: Uint32Array): Contacts {
  const { contactStarts: rowStarts, contactRoles, contactTraits, contactNumbers } = staged
  const table = new NumberTable()
  for (let contact = 0; contact < contactRoles.length; contact++)
    table.add(signatureKey(contactRoles[contact]!, contactTraits[contact]!))
  const { values: keys } = table.sort()
  const laid = allocateContacts(permuteStarts(rowStarts, documentOf), keys)
  const { contactStarts, contactSignatures: laidSignatures, contactNumbers: laidNumbers } = laid
  let order = new Uint32Array(64)
  // Row by row, since reading where memory was not expected to be read takes longer than writing there.
  for (let row = 0; row < documentOf.length; row++) {
    const start = rowStarts[row]!
    const count = rowStarts[row + 1]! - start
    if (count > order.length) order = new Uint32Array(count)
    orderByPlace(order, staged, start, count)
    const target = contactStarts[documentOf[row]!]!
    for (let index = 0; index < count; index++) {
      const contact = start + (order[index]! & indexMask)
      const key = signatureKey(contactRoles[contact]!, contactTraits[contact]!)
      laidSignatures[target + index] = table.numberOf(key)
      laidNumbers[target + index] = contactNumbers[contact]!
    }
  }
  return laid
}

/** A store has no more contacts than this can index, since their numbers are of 16 bits; the place goes above it. */
const indexMask = 0xffff

/** Moving numbers up one by one beats the library's sort for lists up to about this long; nearly all are. */
const shortList = 48

/** Writes which contact of a store comes first, second and so on into the lower bits of `order`. */
function orderByPlace(
  order: Uint32Array,
  { contactTraits, contactNumbers }: StagedStores,
  start: number,
  count: number,
): void {
  for (let index = 0; index < count; index++) {
    const place = rankInStore(contactTraits[start + index]!, contactNumbers[start + index]!)
    const key = place * (indexMask + 1) + index
    let at = index
    if (count <= shortList) for (; at > 0 && order[at - 1]! > key; at--) order[at] = order[at - 1]!
    order[at] = key
  }
  if (count > shortList) order.subarray(0, count).sort()
}
