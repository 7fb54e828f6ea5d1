import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countOf, type FacetOrder, orderFacet, withChosen } from '../../src/lib/filters/facets.ts'
import { searchNodes, Taxonomy, type TaxonomyList } from '../../src/lib/filters/taxonomy.ts'
import { taxonomy } from './taxonomy-sample.ts'

const labels = ['Ærø', 'Benin', 'Chile', 'Denmark', 'Egypt', 'Fiji', 'Ghana', 'Haiti']
const countries = labels.map((label) => ({ value: label.slice(0, 2).toUpperCase(), label }))
const flat = new Taxonomy({
  categories: [],
  countries,
  traffic_tiers: [],
  revenue_tiers: [],
  theme_types: [],
  roles: [],
  seniorities: [],
  apps: [],
  pixels: [],
}).nodes('countries')

/** In a count of at most `limit` values, as the service gives it. */
function countsOf(counts: Record<string, number>, limit = 100) {
  const values = Object.entries(counts).map(([value, count]) => ({ value, count }))
  const found = values.filter(({ count }) => count > 0).sort((a, b) => b.count - a.count)
  return countOf(found.slice(0, limit), limit)
}

/** `(folded)`, and headings with a colon. */
function drawn({ chosen, others }: FacetOrder): string[] {
  return [
    ...chosen.map(({ label }) => `☑ ${label}`),
    ...others.map(({ node: { label, depth }, isHeading, isFolded }) => {
      const name = `${'  '.repeat(depth)}${label}${isHeading ? ':' : ''}`
      return isFolded ? `(${name})` : name
    }),
  ]
}

describe('the values of a facet', () => {
  const order = (list: TaxonomyList, chosen: string[], counts: Record<string, number> | undefined, text = '') => {
    const all = taxonomy.nodes(list)
    const known = counts && countsOf(counts)
    return drawn(orderFacet({ all, found: searchNodes(all, text), chosen, counts: known }))
  }

  it('stand with the chosen ones first, then by count, the largest first; zeros are folded', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom(...countries.map(({ value }) => value)), fc.nat(5), { noNullPrototype: true }),
        fc.subarray(countries.map(({ value }) => value)),
        fc.integer({ min: 1, max: 9 }),
        (counts, chosen, limit) => {
          const known = countsOf(counts, limit)!
          const found = orderFacet({ all: flat, found: flat, chosen, counts: known })
          expect(new Set(found.chosen.map(({ value }) => value))).toEqual(new Set(chosen))
          const others = found.others.map(({ node }) => node.value)
          expect(new Set([...others, ...chosen]).size).toBe(flat.length)
          expect(others.length + chosen.length).toBe(flat.length)
          for (const values of [found.chosen.map(({ value }) => value), others]) {
            const figures = values.map((value) => known(value) ?? 0.5)
            expect(figures).toEqual([...figures].sort((a, b) => b - a))
          }
          for (const { node, isFolded } of found.others) expect(isFolded).toBe((known(node.value) ?? 0) === 0)
        },
      ),
    )
  })

  it('keep the order of the taxonomy where counts are equal, and where there are none', () => {
    expect(order('countries', [], { NO: 2, DE: 2, CI: 2 })).toEqual(['Côte d’Ivoire', 'Germany', 'Norway'])
    expect(order('countries', ['NO'], undefined)).toEqual(['☑ Norway', 'Côte d’Ivoire', 'Germany'])
  })

  it('of a tree stay below what they belong to, branch by branch', () => {
    const counts = { apparel: 9, apparel_shoes: 9, home_garden: 20, home_garden_decor: 4 }
    expect(order('categories', [], counts)).toEqual(['Home & Garden', '  Decor', '(    Candles)', 'Apparel', '  Shoes'])
    expect(order('categories', ['apparel', 'home_garden_decor_candles'], counts)).toEqual([
      '☑ Apparel',
      '☑ Candles',
      'Home & Garden',
      '  Decor',
      'Apparel:',
      '  Shoes',
    ])
    expect(order('categories', ['apparel_shoes'], { apparel_shoes: 1, apparel: 1 })).toEqual([
      '☑ Shoes',
      'Apparel',
      '(Home & Garden)',
      '(  Decor)',
      '(    Candles)',
    ])
  })

  it('that are deprecated are offered no more, and stay while they are chosen', () => {
    expect(order('apps', [], undefined)).not.toContain('Mark Old')
    expect(order('apps', ['mark_old'], { klaviyo: 1 })[0]).toBe('☑ Mark Old')
  })

  it('that were chosen meanwhile come to the top, and nothing else moves', () => {
    const all = taxonomy.nodes('categories')
    const before = orderFacet({ all, found: all, chosen: ['apparel_shoes'], counts: countsOf({ home_garden: 3 }) })
    const moved = all.filter(({ value }) => value === 'home_garden' || value === 'home_garden_decor_candles')
    expect(drawn(withChosen(before, moved))).toEqual([
      '☑ Shoes',
      '☑ Home & Garden',
      '☑ Candles',
      'Home & Garden:',
      '(  Decor)',
      '(Apparel)',
    ])
  })
})
