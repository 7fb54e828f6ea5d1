import { buildContacts } from './build-contacts.ts'
import { buildPostings } from './build-postings.ts'
import { layDocuments, layRange } from './layout.ts'
import type { RangeColumn, Segment, StagedStores } from './segment.ts'
import { sharedCopy } from './shared-arrays.ts'
import { countUp, pick, placesIn, sortByValue } from './sort.ts'

/** Readies stores for being searched. */
export function buildSegment(staged: StagedStores): Segment {
  const rowsById = sortByValue(countUp(staged.size), staged.ids)
  const rows = sortByValue(rowsById, staged.negatedScores)
  const documentOf = placesIn(rows)
  return {
    ...layDocuments(pick(staged.ids, rows), pick(staged.negatedScores, rows)),
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
  const documents = countUp(values.length).filter((document) => !Number.isNaN(values[document]!))
  return layRange(values, unit, (laid) => sortByValue(documents, laid))
}
