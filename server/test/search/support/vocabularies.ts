import { type Facet, type Term, Vocabulary } from '../../../src/search/query/vocabulary.ts'

/** A vocabulary from lists of words; `below/above` names a parent. Tokens count from 1000 in the order given. */
export function vocabularyOf(words: Partial<Record<Facet, string[]>>): Vocabulary {
  const terms: Term[] = []
  for (const [facet, list] of Object.entries(words) as [Facet, string[]][])
    for (const word of list) {
      const [value, parent] = word.split('/') as [string, string | undefined]
      terms.push({ facet, value, token: 1000 + terms.length, parent: parent ?? null })
    }
  return new Vocabulary(terms)
}
