import { expect, test } from 'vitest'
import { Random } from '../../catalogue/build/random.ts'
import { shareOut } from '../api/http.ts'
import { drawWorkload } from '../api/workload.ts'
import { generateStores } from '../generate.ts'

const stores = [...generateStores(500)]

test('the same catalogue gives the same workload', () => {
  expect(drawWorkload(stores, new Random(2))).toEqual(drawWorkload([...generateStores(500)], new Random(2)))
})

test('lookups and enrichments ask for domains that are in the catalogue', () => {
  const { lookup, enrich } = drawWorkload(stores, new Random(2))
  const known = new Set(stores.map((store) => store.domain))
  expect([...lookup, ...enrich.flat()].filter((domain) => !known.has(domain))).toEqual([])
  expect(new Set(enrich.map((domains) => domains.length))).toEqual(new Set([25]))
})

test('every connection searches with all twelve kinds of filter, for first pages and later ones', () => {
  const { search } = drawWorkload(stores, new Random(2))
  for (const items of shareOut(search, 32)) {
    expect(new Set(items.map(({ filters }) => shapeOf(filters))).size).toBe(12)
    expect(new Set(items.map(({ pagesBefore }) => pagesBefore > 0)).size).toBe(2)
  }
})

test('shares are stretches that together are the list', () => {
  const list = Array.from({ length: 100 }, (_, index) => index)
  const shares = shareOut(list, 7)
  expect(shares.flat()).toEqual(list)
  expect(shares.every((share) => share.length === 14 || share.length === 15)).toBe(true)
})

/** The places of a filter, without its values. */
function shapeOf(filters: object): string {
  return JSON.stringify(filters, (_key, value) => (Array.isArray(value) || typeof value === 'string' ? '…' : value))
}
