import { Random } from '../../../catalogue/build/random.ts'
import { normalizePersonFilters } from '../../../server/src/search/query/person-query.ts'
import { normalizeStoreConditions, normalizeStoreFilters } from '../../../server/src/search/query/store-query.ts'
import { type BenchTaxonomy, valuesByRank } from '../catalogue/taxonomy.ts'
import { pageLimit, type Question, type QuestionClass, type Search } from '../engine.ts'
import { type ContactFilters, contactQuestions } from './contacts.ts'
import { storeQuestions } from './stores.ts'

/** All questions, for a catalogue of this size. */
export function allQuestions(taxonomy: BenchTaxonomy, stores: number): Question[] {
  const values = valuesByRank(taxonomy)
  const ofStores = Object.entries(storeQuestions(values)).flatMap(([name, definitions]) =>
    definitions.map(([question, about, filters]): Question => {
      const query = normalizeStoreFilters(taxonomy.vocabulary, filters, 'all')
      const search = { kind: 'stores', mode: 'live', query, after: null, limit: pageLimit } as const
      return { name: question, about, class: name as QuestionClass, search }
    }),
  )
  const ofContacts = contactQuestions(values).map(
    ([name, about, filters]): Question => ({
      name,
      about,
      class: 'contact',
      search: contactSearch(taxonomy, filters, stores),
    }),
  )
  return [...ofStores, ...ofContacts]
}

export function contactSearch(taxonomy: BenchTaxonomy, filters: ContactFilters, stores: number): Search {
  return {
    kind: 'contacts',
    mode: 'live',
    store: normalizeStoreConditions(taxonomy.vocabulary, filters.store ?? {}, 'store'),
    storeIds: filters.namedStores === undefined ? null : nameStores(filters.namedStores, stores),
    person: normalizePersonFilters(taxonomy.vocabulary, filters.person),
    maxPerStore: filters.maxPerStore ?? 1,
    after: null,
    limit: pageLimit,
  }
}

function nameStores(count: number, stores: number): number[] {
  const random = new Random(stores)
  return [...new Set(Array.from({ length: count }, () => 1 + random.below(stores)))]
}
