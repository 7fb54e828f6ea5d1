import { type FacetName, facetsOf } from './facets.ts'
import { contactFields, entriesOf, type FilterField, type FilterFields, storeFields } from './fields.ts'
import type { Filters, FilterValue } from './url.ts'

/** Rows of a page, in both searches. */
export const rowsPerPage = 25

interface PageParameters {
  limit: number
  cursor?: string
}

/** The conditions of a store search, for each use of it: a page, a count, an export. */
export interface StoreQuestion {
  filters: object
  exclude?: object
}

/** The conditions of a contact search. */
export interface ContactQuestion {
  person?: object
  store?: object
  exclude?: object
  max_contacts_per_store: number
}

export type StoreSearchBody = StoreQuestion & PageParameters
export type ContactSearchBody = ContactQuestion & PageParameters

/** Values that a count shows beside filters, at most. */
export const valuesPerFacet = 100

interface FacetParameters<Question> {
  facets?: Exclude<FacetName, Question extends StoreQuestion ? 'roles' | 'seniorities' : 'contact_roles'>[]
  facet_limit?: number
}

export function storeQuestion(filters: Filters): StoreQuestion {
  const { exclude, ...own } = nestedValues(storeFields, filters)
  return { filters: own, ...(exclude !== undefined && { exclude: exclude as Nested }) }
}

export function contactQuestion(filters: Filters, maxPerStore: number): ContactQuestion {
  return { ...nestedValues(contactFields, filters), max_contacts_per_store: maxPerStore }
}

/** The question with everything that is shown beside filters. Of stores that it names, the service counts no facets. */
export function countBody<Question extends StoreQuestion | ContactQuestion>(
  fields: FilterFields,
  question: Question,
): Question & FacetParameters<Question> {
  const { domains = [] } = ('store' in question ? question.store : {}) as { domains?: readonly string[] }
  if (domains.length > 0) return question
  const facets = facetsOf(fields) as NonNullable<FacetParameters<Question>['facets']>
  return { ...question, facets, facet_limit: valuesPerFacet }
}

/** The body of a store search, for the API and for the console alike. */
export function storeSearchBody(filters: Filters, cursor?: string): StoreSearchBody {
  return { ...storeQuestion(filters), limit: rowsPerPage, ...(cursor && { cursor }) }
}

/** The body of a contact search, for the API and for the console alike. */
export function contactSearchBody(filters: Filters, maxPerStore: number, cursor?: string): ContactSearchBody {
  return { ...contactQuestion(filters, maxPerStore), limit: rowsPerPage, ...(cursor && { cursor }) }
}

interface Nested {
  [name: string]: Nested | FilterValue
}

function nestedValues(fields: FilterFields, filters: Filters): Nested {
  const body: Nested = {}
  for (const [name, field] of entriesOf(fields)) {
    const value = filters[name]
    if (value === undefined) continue
    const parent = field.path.slice(0, -1).reduce((at, key) => {
      at[key] ??= {}
      return at[key] as Nested
    }, body)
    parent[field.path.at(-1)!] = wireValue(field, value)
  }
  return body
}

/** A day stands for all of its moments, in UTC. */
function wireValue(field: FilterField, value: FilterValue): FilterValue {
  if (field.kind !== 'day') return value
  return field.bound === 'from' ? `${String(value)}T00:00:00Z` : `${String(value)}T23:59:59.999Z`
}
