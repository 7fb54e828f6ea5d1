import { expect, test } from 'vitest'
import { convertBrands } from '../../docs/examples/convert-nsi-brands.mjs'

interface Brand {
  domain: string
  name: string
  category?: string
  countries?: string[]
  worldwide?: boolean
  dissolved?: boolean
  otherLocations?: number
}

/** Builds an extract with the columns that the converter reads, and converts it. */
function convert(...brands: Brand[]) {
  const columns = ['domain', 'name', 'category', 'country', 'countries', 'worldwide', 'other_locations', 'dissolved']
  const rows = brands.map(({ domain, name, category = 'shoes', countries = [], ...flags }) => [
    domain,
    name,
    category,
    countries.length === 1 ? countries[0]! : '',
    countries.join('|'),
    flags.worldwide ? '1' : '0',
    String(flags.otherLocations ?? 0),
    flags.dissolved ? '1' : '0',
  ])
  return convertBrands([columns, ...rows].map((row) => row.join(',')).join('\n'))
}

test('a brand becomes a store with its host as domain, without www', () => {
  expect(convert({ domain: 'www.Brand.example', name: 'Brand', countries: ['NA'] })).toEqual([
    { domain: 'brand.example', name: 'Brand', category: 'apparel_accessories_shoes', country: 'NA' },
  ])
})

test('the store gets the name of the brand that matches the host, in any order of rows', () => {
  const brands: Brand[] = [
    { domain: 'www.big-market.example', name: 'Big Market Garden', worldwide: true, category: 'garden_centre' },
    { domain: 'big-market.example', name: 'Big Market', countries: ['DE', 'FR'], category: 'supermarket' },
    { domain: 'big-market.example', name: 'Alpha', countries: ['DE'] },
  ]
  const expected = [{ domain: 'big-market.example', name: 'Big Market', category: 'food_beverages_tobacco' }]
  expect(convert(...brands)).toEqual(expected)
  expect(convert(...brands.toReversed())).toEqual(expected)
})

test('if no brand matches the host, the one with the most countries wins, then the first by name', () => {
  const domain = 'group.example'
  const [national, wide, world]: Brand[] = [
    { domain, name: 'National', countries: ['SE'] },
    { domain, name: 'Wide', countries: ['SE', 'NO'] },
    { domain, name: 'World', worldwide: true },
  ] as [Brand, Brand, Brand]
  expect(convert(national!, wide!, world!)[0]?.name).toBe('World')
  expect(convert(national!, wide!)[0]?.name).toBe('Wide')
  expect(convert({ domain, name: 'Zeta' }, { domain, name: 'Beta' })[0]?.name).toBe('Beta')
})

test('a closed brand is used only if the host has no open one', () => {
  const closed: Brand = { domain: 'shop.example', name: 'Shop', countries: ['IT'], dissolved: true }
  expect(convert(closed)).toMatchObject([{ name: 'Shop', country: 'IT' }])
  expect(convert(closed, { domain: 'shop.example', name: 'Heir', countries: ['ES'] })).toMatchObject([
    { name: 'Heir', country: 'ES' },
  ])
})

test('a country is set only if all brands of the host trade there and nowhere else', () => {
  const domain = 'shop.example'
  const home: Brand = { domain, name: 'Shop', countries: ['JP'] }
  expect(convert(home, { domain, name: 'Cafe', countries: ['JP'] })[0]).toHaveProperty('country', 'JP')
  for (const abroad of [{ countries: ['KR'] }, { worldwide: true }, { countries: ['JP'], otherLocations: 1 }, {}]) {
    expect(convert(home, { domain, name: 'Cafe', ...abroad })[0]).not.toHaveProperty('country')
  }
})

test('a kind of shop without a category gives a store without one, and an unknown kind fails the conversion', () => {
  expect(convert({ domain: 'shop.example', name: 'Shop', category: 'department_store' })).toEqual([
    { domain: 'shop.example', name: 'Shop' },
  ])
  expect(() => convert({ domain: 'shop.example', name: 'Shop', category: 'spaceships' })).toThrow('shop=spaceships')
})

test('a bare public suffix is skipped', () => {
  expect(convert({ domain: 'www.gob.mx', name: 'Portal' }, { domain: 'tienda.gob.mx', name: 'Tienda' })).toMatchObject([
    { domain: 'tienda.gob.mx' },
  ])
})
