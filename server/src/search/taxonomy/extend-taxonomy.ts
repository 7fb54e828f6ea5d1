import type { Client } from '../../foundation/db/pool.ts'
import type { Facet } from '../query/vocabulary.ts'
import * as queries from './queries.ts'

/** Facets that an import may add values to. */
export const extensibleFacets = ['category', 'role', 'app', 'pixel'] as const satisfies Facet[]

export interface TaxonomyAddition {
  facet: (typeof extensibleFacets)[number]
  value: string
}

/** Sorts added values after all shipped ones of their facet, by value. */
const extensionPosition = 1_000_000

/**
 * Adds values that an import needs, in its transaction; existing ones are not changed. Every value must be a result of
 * `toExtensionValue`. Returns how many were added; load the taxonomy again for their tokens.
 */
export async function extendTaxonomy(client: Client, additions: TaxonomyAddition[]): Promise<number> {
  const wanted = new Map(additions.map((addition) => [`${addition.facet} ${addition.value}`, addition]))
  const unknown = async () => {
    const known = await queries.findTaxonomyValues(client, [...wanted.values()])
    const found = new Set(known.map(({ facet, value }) => `${facet} ${value}`))
    return [...wanted.entries()].flatMap(([key, addition]) => (found.has(key) ? [] : addition))
  }
  for (const { value } of wanted.values())
    if (toExtensionValue(value) !== value)
      throw new Error(`"${value}" cannot be added to the taxonomy: a value must be a slug`)
  if ((await unknown()).length === 0) return 0

  await queries.lockTaxonomy(client)
  const added = await unknown()
  if (added.length === 0) return 0
  await queries.insertTaxonomyValues(client, added.map(entryOf))
  await queries.bumpTaxonomyVersion(client)
  return added.length
}

function entryOf({ facet, value }: TaxonomyAddition): queries.TaxonomyEntry {
  return {
    facet,
    value,
    label: defaultLabel(value),
    parent: null,
    category: null,
    min: null,
    max: null,
    position: extensionPosition,
    deprecated: false,
  }
}

/** The format of all values except countries. */
export const slugPattern = '^[a-z0-9][a-z0-9_.-]{0,63}$'

const slug = new RegExp(slugPattern)

/** Returns the value that is added to the taxonomy for an unknown word; null if the word cannot be one. */
export function toExtensionValue(word: string): string | null {
  const value = word.trim().toLowerCase()
  return slug.test(value) ? value : null
}

/** The label of a value that came without one: `google_ads` becomes Google Ads. */
export function defaultLabel(value: string): string {
  const words = value.split(/[_-]+/).filter((word) => word !== '')
  return words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join(' ')
}
