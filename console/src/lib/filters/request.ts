import { entriesOf, type FilterField, type FilterFields, peopleFields, storeFields } from './fields.ts'
import type { Filters, FilterValue } from './url.ts'

/** Rows of a page, in both searches. */
export const rowsPerPage = 25

interface PageParameters {
  limit: number
  cursor?: string
}

export interface StoreSearchBody extends PageParameters {
  filters: object
}

export interface PeopleSearchBody extends PageParameters {
  person?: object
  store?: object
  max_contacts_per_store: number
}

/** The body of a store search, for the API and for the console alike. */
export function storeSearchBody(filters: Filters, cursor?: string): StoreSearchBody {
  return { filters: nestedValues(storeFields, filters), limit: rowsPerPage, ...(cursor && { cursor }) }
}

/** The body of a contact search, for the API and for the console alike. */
export function peopleSearchBody(filters: Filters, maxPerStore: number, cursor?: string): PeopleSearchBody {
  return {
    ...nestedValues(peopleFields, filters),
    max_contacts_per_store: maxPerStore,
    limit: rowsPerPage,
    ...(cursor && { cursor }),
  }
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
