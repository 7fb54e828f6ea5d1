import { ApiError } from '../../kernel/errors.ts'
import type { Facet, Term, Vocabulary } from './vocabulary.ts'

/** The terms that a list of words means, in its order; refuses the first word that the taxonomy lacks, at its place. */
export function readTerms(vocabulary: Vocabulary, facet: Facet, words: string[] | undefined, place: string): Term[] {
  return (words ?? []).map(
    (word, index) => vocabulary.find(facet, word) ?? refuseUnknown(vocabulary, facet, word, `${place}[${index}]`),
  )
}

const facetNouns: Record<Facet, string> = {
  category: 'category',
  country: 'country code',
  traffic_tier: 'traffic tier',
  revenue_tier: 'revenue tier',
  theme_type: 'theme type',
  role: 'role',
  seniority: 'seniority',
  app: 'app',
  pixel: 'pixel',
}

function refuseUnknown(vocabulary: Vocabulary, facet: Facet, word: string, param: string): never {
  const nearest = vocabulary.nearest(facet, word)
  const hint = nearest.length > 0 ? `nearest: ${nearest.join(', ')}` : 'GET /taxonomy lists them'
  throw new ApiError('invalid_filter_value', `${quote(word)} is not a known ${facetNouns[facet]}; ${hint}.`, { param })
}

/** A caller's text in a sentence: one line, nothing unprintable, at most 60 characters of it. */
export function quote(text: string): string {
  const characters = [
    ...text
      .slice(0, 200)
      .replace(/[\p{C}\p{Z}]+/gu, ' ')
      .trim(),
  ]
  return `"${characters.length > 60 ? `${characters.slice(0, 60).join('')}…` : characters.join('')}"`
}
