import type { StoreRecord } from '../records.ts'
import { readFacet } from '../taxonomy/files.ts'
import { revenueTiers, trafficTiers } from '../taxonomy/fixed-facets.ts'
import { contactStores } from './contacts.ts'
import { edgeStores } from './edges.ts'

const pageCount = 79

/**
 * The stores of mode `test`, named by purpose: edge cases of fields, one store for every value of the short facets, a long
 * run of similar stores for paging, and those with contacts.
 */
export function sandboxStores(): StoreRecord[] {
  return [
    ...edgeStores,
    ...categoryStores(),
    ...trafficTiers.map(({ value }) => named('traffic', value, { traffic_tier: value, platform_plus: false })),
    ...revenueTiers.map(({ value }) => named('revenue', value, { revenue_tier: value, platform_plus: true })),
    ...['US', 'GB', 'DE', 'FR', 'JP', 'BR', 'IN', 'AU', 'NA'].map((value) =>
      named('country', value, { country: value }),
    ),
    ...pageStores(),
    ...contactStores,
  ]
}

function named(facet: string, value: string, fields: Partial<StoreRecord>): StoreRecord {
  const inHost = value.toLowerCase().replaceAll('_', '-')
  return { domain: `sandbox-${facet}-${inHost}.example`, name: `Sandbox ${facet} ${value}`, ...fields }
}

/** Every vertical, and below one of them every child: a search for the parent finds them all. */
function categoryStores(): StoreRecord[] {
  const categories = readFacet('categories')
  const verticals = categories.filter(({ parent }) => parent === undefined)
  const children = categories.filter(({ parent }) => parent === 'food_beverages_tobacco')
  return [...verticals, ...children].map(({ value }) => named('category', value, { category: value }))
}

/**
 * Stores that one filter (the app gorgias) finds, in an order that is known: the score falls by one every third store,
 * so that pages break within equal scores too.
 */
function pageStores(): StoreRecord[] {
  return Array.from({ length: pageCount }, (_, index) => {
    const number = String(index + 1).padStart(3, '0')
    return {
      domain: `sandbox-page-${number}.example`,
      name: `Sandbox Page ${number}`,
      country: index % 2 === 0 ? 'CA' : 'NL',
      platform_plus: index % 5 === 0,
      lead_fit_score: 40 - Math.floor(index / 3),
      first_discovered_at: new Date(Date.UTC(2025, 0, 1 + index)).toISOString().replace('.000Z', 'Z'),
      active_ads: index * 10,
      technologies: { apps: ['gorgias'], pixels: ['meta_pixel'], theme: { name: 'Dawn', type: 'free' } },
    }
  })
}
