import { layPostings, type Postings } from './layout.ts'
import { NumberTable } from './number-table.ts'
import { type StagedStores, wordsOf } from './segment.ts'
import { moveStarts } from './sort.ts'

/** The postings of staged rows, by where their documents stand. */
export function buildPostings({ tokenStarts, tokens }: StagedStores, documentOf: Uint32Array): Postings {
  const table = new NumberTable()
  for (let at = 0; at < tokens.length; at++) table.add(tokens[at]!)
  const { values, counts } = table.sort()
  // First all codes are brought into result order: reading rows here and there would take longer than writing so does.
  const starts = moveStarts(tokenStarts, documentOf)
  const codes = values.length <= 0x1_0000 ? new Uint16Array(tokens.length) : new Uint32Array(tokens.length)
  for (let row = 0; row < documentOf.length; row++) {
    const end = tokenStarts[row + 1]!
    let target = starts[documentOf[row]!]!
    for (let at = tokenStarts[row]!; at < end; at++) codes[target++] = table.numberOf(tokens[at]!)
  }
  const postings = layPostings(documentOf.length, values, counts)
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
