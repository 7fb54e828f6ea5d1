import { layPostings, type Postings } from './layout.ts'
import { NumberTable } from './number-table.ts'
import { type StagedStores, wordsOf } from './segment.ts'

/** The postings of staged rows, given in result order. */
export function buildPostings(staged: StagedStores, rows: Uint32Array): Postings {
  const table = new NumberTable()
  for (const token of staged.tokens) table.add(token)
  const { values, counts, places } = table.sorted()
  const postings = layPostings(rows.length, values, counts)
  fillPostings(postings, staged, rows, (token) => places[table.numberOf(token)]!)
  return postings
}

/** Documents come in ascending order, so that every list is ascending; so are the codes of each, as its tokens are. */
function fillPostings(
  { denseSlots, bits, entryStarts, entries, mentionStarts, mentions }: Postings,
  { tokenStarts, tokens }: StagedStores,
  rows: Uint32Array,
  codeOf: (token: number) => number,
): void {
  const words = wordsOf(rows.length)
  const nextEntries = entryStarts.slice()
  let mention = 0
  for (let document = 0; document < rows.length; document++) {
    const row = rows[document]!
    const end = tokenStarts[row + 1]!
    for (let at = tokenStarts[row]!; at < end; at++) {
      const code = codeOf(tokens[at]!)
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
