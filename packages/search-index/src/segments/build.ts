import { rankInStore } from '../traits.ts'
import {
  allocateContacts,
  allocatePostings,
  type Contacts,
  encodeDocuments,
  encodeRange,
  type Postings,
  signatureKey,
} from './layout.ts'
import { NumberTable } from './number-table.ts'
import { type RangeColumn, type Segment, type StagedStores, wordsOf } from './segment.ts'
import { sharedCopy } from './shared-arrays.ts'
import { gather, identityPermutation, invertPermutation, permuteStarts, sortByValue } from './sort.ts'

/** Builds a searchable segment from staged rows. */
export function buildSegment(staged: StagedStores): Segment {
  const rowsById = sortByValue(identityPermutation(staged.size), staged.ids)
  const rows = sortByValue(rowsById, staged.negatedScores)
  const documentOf = invertPermutation(rows)
  return {
    ...encodeDocuments(gather(staged.ids, rows), gather(staged.negatedScores, rows)),
    byId: sharedCopy(
      Uint32Array,
      rowsById.map((row) => documentOf[row]!),
    ),
    ...buildPostings(staged, documentOf),
    activeAds: buildRange(
      gather(staged.activeAds, rows).map((count) => count || Number.NaN),
      1,
    ),
    created: buildRange(gather(staged.created, rows), 1000),
    discovered: buildRange(gather(staged.discovered, rows), 1000),
    ...buildContacts(staged, documentOf),
  }
}

function buildRange(values: Float64Array, unit: number): RangeColumn {
  const documents = identityPermutation(values.length).filter((document) => !Number.isNaN(values[document]!))
  return encodeRange(values, unit, (stored) => sortByValue(documents, stored))
}

/** `documentOf` maps rows to documents. */
function buildPostings({ tokenStarts, tokens }: StagedStores, documentOf: Uint32Array): Postings {
  const table = new NumberTable()
  for (let at = 0; at < tokens.length; at++) table.add(tokens[at]!)
  const { values, counts } = table.sort()
  // Bring all codes into result order first: scattered writes are cheaper than scattered reads.
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

/** Documents are visited in ascending order, so every list is ascending. */
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

function buildContacts(staged: StagedStores, documentOf: Uint32Array): Contacts {
  const { contactStarts: rowStarts, contactRoles, contactTraits, contactNumbers } = staged
  const table = new NumberTable()
  for (let contact = 0; contact < contactRoles.length; contact++)
    table.add(signatureKey(contactRoles[contact]!, contactTraits[contact]!))
  const { values: keys } = table.sort()
  const contacts = allocateContacts(permuteStarts(rowStarts, documentOf), keys)
  const { contactStarts, contactSignatures: signatures, contactNumbers: numbers } = contacts
  let order = new Uint32Array(64)
  // Row by row: scattered writes are cheaper than scattered reads.
  for (let row = 0; row < documentOf.length; row++) {
    const start = rowStarts[row]!
    const count = rowStarts[row + 1]! - start
    if (count > order.length) order = new Uint32Array(count)
    sortByRank(order, staged, start, count)
    const target = contactStarts[documentOf[row]!]!
    for (let index = 0; index < count; index++) {
      const contact = start + (order[index]! & indexMask)
      const key = signatureKey(contactRoles[contact]!, contactTraits[contact]!)
      signatures[target + index] = table.numberOf(key)
      numbers[target + index] = contactNumbers[contact]!
    }
  }
  return contacts
}

/** Sort keys hold the rank above these 16 bits and the contact's index in them. */
const indexMask = 0xffff

/** Insertion sort is faster than the built-in sort up to about this length; nearly all stores have fewer contacts. */
const shortList = 48

/** Sorts a store's contacts by rank: the lower bits of `order` get their indexes. */
function sortByRank(
  order: Uint32Array,
  { contactTraits, contactNumbers }: StagedStores,
  start: number,
  count: number,
): void {
  for (let index = 0; index < count; index++) {
    const rank = rankInStore(contactTraits[start + index]!, contactNumbers[start + index]!)
    const key = rank * (indexMask + 1) + index
    let at = index
    if (count <= shortList) for (; at > 0 && order[at - 1]! > key; at--) order[at] = order[at - 1]!
    order[at] = key
  }
  if (count > shortList) order.subarray(0, count).sort()
}
