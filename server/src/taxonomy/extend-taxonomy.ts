import type { Client } from '../db/pool.ts'
import type { Facet } from '../search/query/vocabulary.ts'
import * as queries from './queries.ts'

/** Facets that an import may add values to. */
export const extensibleFacets = ['category', 'role', 'app', 'pixel'] as const satisfies Facet[]

export interface TaxonomyAddition {
  facet: (typeof extensibleFacets)[number]
  value: string
}

/** Behind all shipped values of its facet; there by spelling. */
const extensionPosition = 1_000_000

/**
 * Adds values that an import met, within its transaction; those already there are left alone. Every value must be one
 * that `extensionValueOf` makes. Returns how many were added; read the taxonomy again for their tokens.
 */
export async function extendTaxonomy(client: Client, additions: TaxonomyAddition[]): Promise<number> {
  const wanted = new Map(additions.map((addition) => [`${addition.facet} ${addition.value}`, addition]))
  const unknown = async () => {
    const known = await queries.findTaxonomyValues(client, [...wanted.values()])
    const found = new Set(known.map(({ facet, value }) => `${facet} ${value}`))
    return [...wanted.entries()].flatMap(([key, addition]) => (found.has(key) ? [] : addition))
  }
  for (const { value } of wanted.values())
    if (toExtensionValue(value) !== value) throw new Error('a taxonomy value must be a slug')
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

/** Values of categories, apps, pixels, roles, tiers and the like. */
export const slugPattern = '^[a-z0-9][a-z0-9_.-]{0,63}$'

const slug = new RegExp(slugPattern)

/** The value that an unlisted word becomes when the taxonomy is extended by it; null when it cannot be one. */
export function toExtensionValue(word: string): string | null {
  const value = word.trim().toLowerCase()
  return slug.test(value) ? value : null
}

/** What people read for a value that came without a label: `google_ads` is Google Ads. */
export function defaultLabel(value: string): string {
  const words = value.split(/[_-]+/).filter((word) => word !== '')
  return words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join(' ')
}
