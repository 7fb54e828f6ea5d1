import { readFileSync } from 'node:fs'
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import { ClosedObject, Nullable } from '../../server/src/foundation/kernel/shapes.ts'
import { facetFiles, readFacet, readPopularity } from '../build/taxonomy/files.ts'
import * as fixed from '../build/taxonomy/fixed-facets.ts'
import { readCsv, slugOf } from '../build/taxonomy/sources.ts'

const Item = ClosedObject({
  value: Type.String({ pattern: '^([a-z0-9]+(_[a-z0-9]+)*|[A-Z]{2})$' }),
  label: Type.String({ pattern: '^\\S(.*\\S)?$' }),
  parent: Type.Optional(Type.String()),
  category: Type.Optional(Type.String({ pattern: '^[a-z]+(_[a-z]+)*$' })),
  min: Type.Optional(Type.Integer({ minimum: 0 })),
  max: Type.Optional(Nullable(Type.Integer())),
  deprecated: Type.Optional(Type.Literal(true)),
})

function valuesOf(facet: Parameters<typeof readFacet>[0]): string[] {
  return readFacet(facet).map(({ value }) => value)
}

function build(name: string): Buffer {
  return readFileSync(new URL(`../build/${name}`, import.meta.url))
}

describe.each(facetFiles)('%s', (facet) => {
  test('holds well-formed items with distinct values', () => {
    const items = readFacet(facet)
    expect(items.filter((item) => !Value.Check(Item, item))).toEqual([])
    expect(new Set(valuesOf(facet)).size).toBe(items.length)
    // Filters ignore case, so values must differ in more than case.
    expect(new Set(valuesOf(facet).map((value) => value.toLowerCase())).size).toBe(items.length)
  })
})

test.each(facetFiles.filter((facet) => !facet.endsWith('_tiers')))('%s are in order of value', (facet) => {
  expect(valuesOf(facet)).toEqual(valuesOf(facet).toSorted())
})

test.each(['traffic_tiers', 'revenue_tiers'] as const)('%s leave no gap from zero to the open end', (facet) => {
  const tiers = readFacet(facet)
  expect(tiers[0]?.min).toBe(0)
  expect(tiers.map(({ max }) => max)).toEqual([...tiers.slice(1).map(({ min }) => min), null])
})

test('categories have two levels, and the value of a child starts with its parent', () => {
  const categories = readFacet('categories')
  const verticals = new Set(categories.filter(({ parent }) => parent === undefined).map(({ value }) => value))
  expect(verticals.size).toBe(26)
  const children = categories.filter(({ parent }) => parent !== undefined)
  expect(children.filter(({ parent, value }) => !verticals.has(parent!) || !value.startsWith(`${parent}_`))).toEqual([])
})

test('countries are complete, Namibia included', () => {
  const countries = readFacet('countries')
  expect(countries).toHaveLength(249)
  expect(countries).toContainEqual({ value: 'NA', label: 'Namibia' })
  expect(countries.filter(({ value }) => !/^[A-Z]{2}$/.test(value))).toEqual([])
})

test('apps and pixels include the best known names', () => {
  expect(valuesOf('apps')).toEqual(
    expect.arrayContaining(['gorgias', 'intercom', 'judge_me', 'klaviyo', 'loox', 'mailchimp', 'oberlo', 'printful']),
  )
  expect(valuesOf('apps')).toEqual(expect.arrayContaining(['privy', 'recharge', 'spocket', 'yotpo', 'zendesk']))
  expect(valuesOf('pixels')).toEqual(
    expect.arrayContaining(['google_ads', 'google_analytics', 'google_tag_manager', 'hotjar', 'meta_pixel']),
  )
  expect(valuesOf('pixels')).toEqual(
    expect.arrayContaining(['microsoft_ads', 'microsoft_clarity', 'pinterest_tag', 'snap_pixel', 'tiktok_pixel']),
  )
})

test.each(['apps', 'pixels'] as const)('%s match technologies.csv, each with its popularity', (facet) => {
  const rows = readCsv(build('technologies.csv')).filter((row) => `${row.facet}s` === facet)
  const selected = rows.map(({ label, category }) => ({ value: slugOf(label!), label, category }))
  expect(readFacet(facet)).toEqual(selected.toSorted((a, b) => (a.value < b.value ? -1 : 1)))
  expect(Object.keys(readPopularity()[facet]).toSorted()).toEqual(valuesOf(facet).toSorted())
})

test('facets without an outside source match the build scripts', () => {
  expect(readFacet('traffic_tiers')).toEqual(fixed.trafficTiers)
  expect(readFacet('revenue_tiers')).toEqual(fixed.revenueTiers)
  expect(readFacet('theme_types')).toEqual(fixed.themeTypes)
  expect(readFacet('roles')).toEqual(fixed.roles)
  expect(readFacet('seniorities')).toEqual(fixed.seniorities)
})

test('every kind of shop maps to a category that exists, or to none', () => {
  const mapping = JSON.parse(build('osm-shop-categories.json').toString()) as Record<string, string | null>
  const categories = new Set<string | null>([null, ...valuesOf('categories')])
  expect(Object.entries(mapping).filter(([, category]) => !categories.has(category))).toEqual([])
})

test.each([
  ['Home & Garden', 'home_garden'],
  ['Food, Beverages & Tobacco', 'food_beverages_tobacco'],
  ['Judge.me', 'judge_me'],
  ["Luigi's Box", 'luigis_box'],
  ['Spocket ‑ Dropshipping', 'spocket_dropshipping'],
  ['Äpple  Öl', 'apple_ol'],
])('%s gets the value %s', (label, value) => {
  expect(slugOf(label)).toBe(value)
})
