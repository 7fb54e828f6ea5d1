import { type Chip, chipsOf } from '../chips.ts'
import { toHost } from '../domains.ts'
import type { FilterFields } from '../fields.ts'
import { suggestValues } from '../suggestions.ts'
import type { Taxonomy } from '../taxonomy.ts'
import { type Filters, toSearch } from '../url.ts'
import { type Offer, readWords, unknownText, type WordsReading } from './read-words.ts'

/** One thing that Enter or a press does in the search field. */
export interface SearchOption {
  id: string
  /** Both are empty where there are chips. */
  label: string
  hint: string
  chips?: readonly Chip[]
  /** The text of the field afterwards: what was not understood stays. */
  text: string
  /** The filters afterwards; missing where only the text changes. */
  filters?: Filters
  /** The store to open. */
  host?: string
}

export interface SearchOptions {
  options: readonly SearchOption[]
  /** The error of words that no option takes. */
  notes: readonly string[]
}

/** Everything that a text in the search field can mean; the first one is what Enter does. */
export function searchOptions(fields: FilterFields, filters: Filters, taxonomy: Taxonomy, text: string): SearchOptions {
  if (text.trim() === '') return { options: [], notes: [] }
  const reading = readWords(fields, filters, taxonomy, text)
  const values = suggestValues(fields, filters, taxonomy, text).map(
    ({ key, label, group, filters: next }): SearchOption => ({
      id: key,
      label,
      hint: group,
      text: '',
      filters: next,
    }),
  )
  const words = wordsOption(fields, taxonomy, reading)
  const urlOf = (chosen: Filters | undefined) => JSON.stringify(chosen && toSearch(fields, chosen))
  const isOneValue = words && urlOf(values[0]?.filters) === urlOf(words.filters)
  const wordsFirst = reading.unknown.length === 0 || values.length === 0
  const found = !words || isOneValue ? values : wordsFirst ? [words, ...values] : [...values, words]
  const offers = [...reading.unknown.flatMap((unknown) => unknown.offers), ...reading.others]
    .filter(({ label, group }) => !values.some((value) => value.label === label && value.hint === group))
    .map((offer, index) => offerOption(fields, filters, taxonomy, offer, index))
  return { options: [...hostOptions(text), ...found, ...offers], notes: notesOf(reading, found.length > 0) }
}

function hostOptions(text: string): SearchOption[] {
  const host = toHost(text)
  return host ? [{ id: 'store', label: host, hint: 'Open store', text: '', host }] : []
}

function wordsOption(fields: FilterFields, taxonomy: Taxonomy, reading: WordsReading): SearchOption | undefined {
  const chips = chipsOf(fields, reading.understood, taxonomy)
  if (chips.length === 0) return undefined
  return { id: 'words', label: '', hint: '', chips, text: unknownText(reading), filters: reading.filters }
}

/** Chosen at once where nothing else was typed; else it goes into the text, which can be changed further. */
function offerOption(
  fields: FilterFields,
  filters: Filters,
  taxonomy: Taxonomy,
  { of, label, group, text }: Offer,
  index: number,
): SearchOption {
  const corrected = readWords(fields, filters, taxonomy, text)
  const isAll = corrected.unknown.length === 0 && chipsOf(fields, corrected.understood, taxonomy).length === 1
  const hint = `${group}, for “${of}”`
  return isAll
    ? { id: `offer ${index}`, label, hint, text: '', filters: corrected.filters }
    : { id: `offer ${index}`, label, hint, text }
}

function notesOf({ unknown }: WordsReading, isFound: boolean): string[] {
  return unknown
    .filter(({ reason, offers }) => reason !== undefined || offers.length === 0 || isFound)
    .map(({ text, reason }) => (reason ? `“${text}”: ${reason}` : `“${text}” is not known; it stays in the field.`))
}
