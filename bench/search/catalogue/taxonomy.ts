import { join } from 'node:path'
import { Random } from '../../../catalogue/build/random.ts'
import { type Facet, facets, type Term, Vocabulary } from '../../../server/src/search/vocabulary.ts'
import { readTaxonomyFiles } from '../../../server/src/taxonomy/files.ts'
import type { TaxonomyEntry } from '../../../server/src/taxonomy/queries.ts'

const taxonomyFolder = join(import.meta.dirname, '../../../catalogue/taxonomy')
const appCount = 1_500
/** The first token that the database gives to a value of the taxonomy. */
const firstToken = 1_000

/** The words of a generated catalogue. */
export interface BenchWords {
  vocabulary: Vocabulary
  terms: readonly Term[]
  /** The terms of a facet from the most used to the rarest; tiers in their own order. */
  ranked(facet: Facet): readonly Term[]
}

/** The taxonomy that ships, and as many invented apps as make a large ecosystem. */
export async function readEntries(): Promise<TaxonomyEntry[]> {
  const shipped = await readTaxonomyFiles(taxonomyFolder)
  const apps = shipped.filter((entry) => entry.facet === 'app').length
  const invented = Array.from({ length: appCount - apps }, (_, index): TaxonomyEntry => {
    const number = index + 1
    const nothing = { parent: null, category: null, min: null, max: null }
    return {
      facet: 'app',
      value: `invented_app_${number}`,
      label: `Invented App ${number}`,
      ...nothing,
      position: apps + index,
      deprecated: false,
    }
  })
  return [...shipped, ...invented]
}

/** The words with the tokens that an empty database would give them. */
export async function readWords(): Promise<BenchWords> {
  return rankWords((await readEntries()).map((entry, index) => ({ ...entry, token: firstToken + index })))
}

export function rankWords(terms: readonly Term[]): BenchWords {
  const byFacet = new Map(facets.map((facet) => [facet, terms.filter((term) => term.facet === facet)]))
  for (const [facet, values] of byFacet) if (!facet.endsWith('_tier')) shuffle(values)
  return { vocabulary: new Vocabulary(terms), terms, ranked: (facet) => byFacet.get(facet)! }
}

/** Files are sorted by name, and popularity must not be. */
function shuffle(values: unknown[]): void {
  const random = new Random(values.length)
  for (let last = values.length - 1; last > 0; last--) {
    const other = random.below(last + 1)
    ;[values[last], values[other]] = [values[other], values[last]]
  }
}
