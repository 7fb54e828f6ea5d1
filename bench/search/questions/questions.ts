import { Random } from '../../../catalogue/build/random.ts'
import { normalizePersonFilters } from '../../../server/src/search/person.ts'
import { normalizeStoreConditions, normalizeStoreFilters } from '../../../server/src/search/query.ts'
import { type BenchWords, ranksOf } from '../catalogue/taxonomy.ts'
import { pageLimit, type Question, type QuestionClass, type Search } from '../engine.ts'
import { type ContactFilters, contactQuestions } from './contacts.ts'
import { storeQuestions } from './stores.ts'

/** All questions of the set, for a catalogue of so many stores. */
export function allQuestions(words: BenchWords, stores: number): Question[] {
  const ranks = ranksOf(words)
  const ofStores = Object.entries(storeQuestions(ranks)).flatMap(([name, asked]) =>
    asked.map(([question, about, filters]): Question => {
      const query = normalizeStoreFilters(words.vocabulary, filters, 'all')
      const search = { kind: 'stores', mode: 'live', query, after: null, limit: pageLimit } as const
      return { name: question, about, class: name as QuestionClass, search }
    }),
  )
  const ofContacts = contactQuestions(ranks).map(
    ([name, about, filters]): Question => ({
      name,
      about,
      class: 'contact',
      search: contactSearch(words, filters, stores),
    }),
  )
  return [...ofStores, ...ofContacts]
}

export function contactSearch(words: BenchWords, filters: ContactFilters, stores: number): Search {
  return {
    kind: 'contacts',
    mode: 'live',
    store: normalizeStoreConditions(words.vocabulary, filters.store ?? {}, 'store'),
    storeIds: filters.namedStores === undefined ? null : nameStores(filters.namedStores, stores),
    person: normalizePersonFilters(words.vocabulary, filters.person),
    maxPerStore: filters.maxPerStore ?? 1,
    after: null,
    limit: pageLimit,
  }
}

function nameStores(count: number, stores: number): number[] {
  const random = new Random(stores)
  return [...new Set(Array.from({ length: count }, () => 1 + random.below(stores)))]
}
