import { rankInStore, traitsCount } from '../traits.ts'
import { codesFor, encodeStores } from './coded-stores.ts'
import {
  allocateContacts,
  allocatePostings,
  type Contacts,
  encodeDocuments,
  encodeRange,
  type Postings,
} from './layout.ts'
import { type CodedStores, type Codes, type RangeColumn, type Segment, type StagedStores, wordsOf } from './segment.ts'
import { sharedCopy } from './shared-arrays.ts'
import { gather, identityPermutation, invertPermutation, permuteStarts, selectNumbers, sortByValue } from './sort.ts'

/** Builds a searchable segment from staged rows. */
export function buildSegment(staged: StagedStores): Segment {
  return buildCodedSegment(encodeStores(staged))
}

/**
 * The same from coded rows. With `collectGarbage` the columns are dropped after their last use, the largest first, so that
 * building takes less than twice the memory of the segment; `stores` is empty afterwards.
 */
export function buildCodedSegment(stores: CodedStores, collectGarbage?: () => void): Segment {
  const drop = (...names: (keyof CodedStores)[]) => {
    if (!collectGarbage) return
    for (const name of names) Object.assign(stores, { [name]: undefined })
    collectGarbage()
  }
  const rowsById = sortByValue(identityPermutation(stores.size), stores.ids)
  const rows = sortByValue(rowsById, stores.negatedScores)
  const documentOf = invertPermutation(rows)
  const byId = sharedCopy(Uint32Array, rowsById)
  for (let index = 0; index < byId.length; index++) byId[index] = documentOf[byId[index]!]!

  const gathered = new Float64Array(stores.size)
  const documents = encodeDocuments(gather(stores.ids, rows, gathered), gather(stores.negatedScores, rows))
  drop('ids', 'negatedScores')
  const postings = buildPostings(stores, documentOf, () => drop('tokens', 'tokenStarts', 'tokenTable'))
  drop()
  const contacts = buildContacts(stores, documentOf)
  drop('contactStarts', 'contactSignatures', 'contactNumbers', 'signatureTable')
  const gatherRange = (name: 'activeAds' | 'created' | 'discovered', unit: number) =>
    buildRange(gather(stores[name], rows, gathered), unit)
  const adsOf = gather(stores.activeAds, rows, gathered)
  for (let document = 0; document < adsOf.length; document++) adsOf[document] ||= Number.NaN
  const activeAds = buildRange(adsOf, 1)
  drop('activeAds')
  const created = gatherRange('created', 1000)
  drop('created')
  return {
    ...documents,
    byId,
    ...postings,
    activeAds,
    created,
    discovered: gatherRange('discovered', 1000),
    ...contacts,
  }
}

function buildRange(values: Float64Array, unit: number): RangeColumn {
  const documents = selectNumbers(values.length, (document) => !Number.isNaN(values[document]!))
  return encodeRange(values, unit, (stored) => sortByValue(documents, stored))
}

/** `dropTokens` is called before the postings are allocated. */
function buildPostings(stores: CodedStores, documentOf: Uint32Array, dropTokens: () => void): Postings {
  const { starts, codes, values, counts } = permuteTokens(stores, documentOf)
  dropTokens()
  const postings = allocatePostings(documentOf.length, values, counts)
  fillPostings(postings, starts, codes)
  return postings
}

/**
 * Brings the tokens of all rows into result order, as indexes of the ascending `values`. Scattered writes are cheaper than
 * scattered reads. `documentOf` maps rows to documents.
 */
function permuteTokens({ tokenStarts, tokens, tokenTable }: CodedStores, documentOf: Uint32Array) {
  const { values, counts, renumbered } = tokenTable.sort()
  const starts = permuteStarts(tokenStarts, documentOf)
  const codes = codesFor(values.length, starts.at(-1)!)
  for (let row = 0; row < documentOf.length; row++) {
    const end = tokenStarts[row + 1]!
    let target = starts[documentOf[row]!]!
    for (let at = tokenStarts[row]!; at < end; at++) codes[target++] = renumbered[tokens[at]!]!
  }
  return { starts, codes, values, counts }
}

/** Documents are visited in ascending order, so every list is ascending. */
function fillPostings(
  { denseSlots, bits, entryStarts, entries, mentionStarts, mentions }: Postings,
  starts: Uint32Array,
  codes: Codes,
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

function buildContacts(stores: CodedStores, documentOf: Uint32Array): Contacts {
  const { contactStarts: rowStarts, contactSignatures, contactNumbers, signatureTable } = stores
  const { values: keys, renumbered } = signatureTable.sort()
  const traitsOf = Uint8Array.from(renumbered, (signature) => keys[signature]! % traitsCount)
  const contacts = allocateContacts(permuteStarts(rowStarts, documentOf), keys)
  const { contactStarts, contactSignatures: signatures, contactNumbers: numbers } = contacts
  let order = new Uint32Array(64)
  // Row by row: scattered writes are cheaper than scattered reads.
  for (let row = 0; row < documentOf.length; row++) {
    const start = rowStarts[row]!
    const count = rowStarts[row + 1]! - start
    if (count > order.length) order = new Uint32Array(count)
    sortByRank(order, stores, traitsOf, start, count)
    const target = contactStarts[documentOf[row]!]!
    for (let index = 0; index < count; index++) {
      const contact = start + (order[index]! & indexMask)
      signatures[target + index] = renumbered[contactSignatures[contact]!]!
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
  { contactSignatures, contactNumbers }: CodedStores,
  traitsOf: Uint8Array,
  start: number,
  count: number,
): void {
  for (let index = 0; index < count; index++) {
    const rank = rankInStore(traitsOf[contactSignatures[start + index]!]!, contactNumbers[start + index]!)
    const key = rank * (indexMask + 1) + index
    let at = index
    if (count <= shortList) for (; at > 0 && order[at - 1]! > key; at--) order[at] = order[at - 1]!
    order[at] = key
  }
  if (count > shortList) order.subarray(0, count).sort()
}
