import { entriesOf, type FilterField, type FilterFields, type FilterName, maxLists } from './fields.ts'

/**
 * Filters as the page's URL has them: flat, with the values of a list joined by spaces, which a URL shows as `+`:
 * `?countries=DE+AT&apps_none=yotpo`. A name that is not set is missing.
 */
export type FilterSearch = { [Name in FilterName]?: string | number | boolean }

/** One filter's value: a list of values or domains, a flag, a number, or a day such as `2026-05-31`. */
export type FilterValue = readonly string[] | boolean | number | string

/** The filters that are set. Empty lists are missing. */
export type Filters = { readonly [Name in FilterName]?: FilterValue }

/** Whatever stands in the URL, reduced to what these fields understand. Anything else is dropped. */
export function parseFilters(fields: FilterFields, search: { readonly [Name in FilterName]?: unknown }): Filters {
  const filters: { -readonly [Name in FilterName]?: FilterValue } = {}
  for (const [name, field] of entriesOf(fields)) {
    const value = parseValue(field, search[name])
    if (value !== undefined) filters[name] = value
  }
  return filters
}

/** The search parameters of filters, in the order of the fields: equal filters have equal URLs. */
export function toSearch(fields: FilterFields, filters: Filters): FilterSearch {
  const search: FilterSearch = {}
  for (const [name] of entriesOf(fields)) {
    const value = filters[name]
    if (value === undefined) continue
    search[name] = isList(value) ? value.join(' ') : value
  }
  return search
}

export function isList(value: FilterValue | undefined): value is readonly string[] {
  return Array.isArray(value)
}

/** The values of a list; empty where it is not set. */
export function listOf(filters: Filters, name: FilterName): readonly string[] {
  const value = filters[name]
  return isList(value) ? value : []
}

/** Filters with one of them changed; `undefined` or an empty list removes it. */
export function withFilter(filters: Filters, name: FilterName, value: FilterValue | undefined): Filters {
  const { [name]: _old, ...others } = filters
  return value === undefined || (isList(value) && value.length === 0) ? others : { ...others, [name]: value }
}

function parseValue(field: FilterField, raw: unknown): FilterValue | undefined {
  if (raw === undefined || raw === null) return undefined
  switch (field.kind) {
    case 'values':
      return parseList(raw, field.list === 'countries' ? (word) => word.toUpperCase() : (word) => word.toLowerCase())
    case 'domains':
      return parseList(raw, (word) => word)
    case 'lists':
      return parseList(raw, (word) => word)?.slice(0, maxLists)
    case 'switch':
      return raw === true || raw === 'true' ? true : undefined
    case 'flag':
      return raw === true || raw === 'true' ? true : raw === false || raw === 'false' ? false : undefined
    case 'number':
      return parseNumber(raw, field.max)
    case 'day':
      return isDay(textOf(raw)) ? textOf(raw) : undefined
  }
}

function parseList(raw: unknown, normalize: (word: string) => string): string[] | undefined {
  // A parameter that is repeated arrives as a list.
  const words = (Array.isArray(raw) ? raw : [raw]).flatMap((part) => textOf(part).split(/[\s,]+/))
  const distinct = [...new Set(words.filter((word) => word !== '').map(normalize))]
  return distinct.length > 0 ? distinct : undefined
}

function parseNumber(raw: unknown, max: number): number | undefined {
  const value = /^\d+$/.test(textOf(raw)) ? Number(raw) : Number.NaN
  return Number.isInteger(value) && value > 0 && value <= max ? value : undefined
}

/** The text of a plain value; empty for anything else. */
function textOf(raw: unknown): string {
  return typeof raw === 'string' || typeof raw === 'number' || typeof raw === 'boolean' ? String(raw) : ''
}

/** True if the text is a day of the calendar, such as `2026-05-31`. */
function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const moment = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(text)
}
