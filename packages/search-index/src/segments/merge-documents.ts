import type { LiveSegment, Segment } from './segment.ts'
import { gather, identityPermutation, invertPermutation, mergeLists, selectNumbers } from './sort.ts'

/** One of the segments being merged. */
export interface MergedPart {
  segment: Segment
  /** Its documents → those of the merged segment, ascending; `deadDocument` for the dead. */
  documents: Uint32Array
}

export const deadDocument = 0xffff_ffff

interface MergedDocuments {
  parts: MergedPart[]
  /** By document of the merged segment. */
  ids: Float64Array
  negatedScores: Float64Array
}

/** Merges the living documents of all parts into result order. */
export function mergeDocuments(parts: readonly LiveSegment[]): MergedDocuments {
  const living = parts.map(livingDocuments)
  const size = living.reduce((sum, documents) => sum + documents.length, 0)
  // Rows are the living documents, one part after another.
  const ids = new Float64Array(size)
  const scores = new Float64Array(size)
  const rows = identityPermutation(size)
  const rowsOfParts: Uint32Array[] = []
  let start = 0
  parts.forEach(({ segment }, part) => {
    const documents = living[part]!
    copyKeys(segment, documents, ids.subarray(start), scores.subarray(start))
    rowsOfParts.push(rows.subarray(start, start + documents.length))
    start += documents.length
  })

  const isBefore = (a: number, b: number) => scores[a]! < scores[b]! || (scores[a] === scores[b] && ids[a]! < ids[b]!)
  const order = mergeLists(rowsOfParts, isBefore)
  const documentOf = invertPermutation(order)
  return {
    parts: parts.map(({ segment }, part) => {
      const documents = new Uint32Array(segment.size).fill(deadDocument)
      living[part]!.forEach((document, index) => {
        documents[document] = documentOf[rowsOfParts[part]![index]!]!
      })
      return { segment, documents }
    }),
    ids: gather(ids, order),
    negatedScores: gather(scores, order),
  }
}

function livingDocuments({ segment, dead }: LiveSegment): Uint32Array {
  if (dead === null) return identityPermutation(segment.size)
  return selectNumbers(segment.size, (document) => ((dead[document >>> 5]! >>> (document & 31)) & 1) === 0)
}

function copyKeys(segment: Segment, documents: Uint32Array, ids: Float64Array, scores: Float64Array): void {
  const { scoreStarts } = segment
  let run = 0
  for (let index = 0; index < documents.length; index++) {
    const document = documents[index]!
    while (run + 1 < scoreStarts.length && scoreStarts[run + 1]! <= document) run++
    ids[index] = segment.ids[document]!
    scores[index] = segment.scores[run]!
  }
}

/** Maps documents of a part to those of the merged segment, in the given order, without the dead. */
export function remapLiving({ documents }: MergedPart, list: Uint32Array): Uint32Array {
  const living = new Uint32Array(list.length)
  let count = 0
  for (let index = 0; index < list.length; index++) {
    const document = documents[list[index]!]!
    if (document !== deadDocument) living[count++] = document
  }
  return living.subarray(0, count)
}
