import { getDomain } from 'tldts'
import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import { ClosedObject, Nullable } from '../../server/src/foundation/kernel/shapes.ts'
import { demoHistories } from '../build/demo/history.ts'
import { demoStores } from '../build/demo/stores.ts'
import { toNdjson } from '../build/records.ts'
import { sandboxStores } from '../build/sandbox/stores.ts'
import { readFacet } from '../build/taxonomy/files.ts'
import { readCatalogueRecords, readCatalogueText } from './support/shipped-catalogue.ts'

const instant = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{3})?Z$' })

function oneOf(values: readonly string[]) {
  return Type.Enum([...values])
}

function valuesOf(facet: Parameters<typeof readFacet>[0]) {
  return oneOf(readFacet(facet).map(({ value }) => value))
}

/** A closed schema with taxonomy values: a valid record cannot contain personal data. */
const Record = ClosedObject({
  domain: Type.String(),
  name: Type.String({ minLength: 1 }),
  aliases: Type.Optional(Type.Array(Type.String())),
  category: Type.Optional(Nullable(valuesOf('categories'))),
  country: Type.Optional(Nullable(valuesOf('countries'))),
  traffic_tier: Type.Optional(Nullable(valuesOf('traffic_tiers'))),
  revenue_tier: Type.Optional(Nullable(valuesOf('revenue_tiers'))),
  platform_plus: Type.Optional(Type.Boolean()),
  lead_fit_score: Type.Optional(Nullable(Type.Number({ minimum: 0, maximum: 100 }))),
  store_created_at: Type.Optional(
    Nullable(
      ClosedObject({
        estimate: Nullable(instant),
        resolution: Nullable(oneOf(['exact', 'month', 'year'])),
        source: Nullable(
          oneOf([
            'platform',
            'domain_registration',
            'certificate_log',
            'first_product',
            'first_page',
            'web_archive',
            'first_discovered',
          ]),
        ),
        confidence: Nullable(oneOf(['high', 'medium', 'low'])),
      }),
    ),
  ),
  first_discovered_at: Type.Optional(Nullable(instant)),
  active_ads: Type.Optional(Nullable(Type.Integer({ minimum: 0, maximum: 100_000 }))),
  technologies: Type.Optional(
    ClosedObject({
      apps: Type.Array(valuesOf('apps'), { uniqueItems: true }),
      pixels: Type.Array(valuesOf('pixels'), { uniqueItems: true }),
      theme: ClosedObject({ name: Nullable(Type.String()), type: Nullable(valuesOf('theme_types')) }),
    }),
  ),
})
type Record = Static<typeof Record>

function hostsOf(stores: Record[]): string[] {
  return stores.flatMap(({ domain, aliases = [] }) => [domain, ...aliases])
}

const demo = readCatalogueRecords<Record>('demo/stores.ndjson')
const realShops = readCatalogueRecords<Record>('demo/real-shops.ndjson')
const sandbox = readCatalogueRecords<Record>('sandbox/stores.ndjson')
const invented = [...demo, ...sandbox]

describe('every store that ships', () => {
  const stores = [...invented, ...realShops]

  test('is a valid import record whose values are in the taxonomy', () => {
    const complaints = stores.flatMap((store) =>
      [...Value.Errors(Record, store)].map(({ instancePath }) => store.domain + instancePath),
    )
    expect(complaints).toEqual([])
  })

  test('has valid timestamps', () => {
    const moments = stores.flatMap(({ first_discovered_at: discovered, store_created_at: created }) =>
      [discovered, created?.estimate].filter((moment) => typeof moment === 'string'),
    )
    expect(moments.filter((moment) => Number.isNaN(Date.parse(moment)))).toEqual([])
  })

  test('has unique hosts in normal form', () => {
    const label = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?'
    const host = new RegExp(`^(?!www\\.)${label}(\\.${label})+$`)
    expect(hostsOf(stores).filter((name) => !host.test(name))).toEqual([])
    for (const catalogue of [[...demo, ...realShops], sandbox]) {
      const hosts = hostsOf(catalogue)
      expect(new Set(hosts).size).toBe(hosts.length)
    }
  })

  test('has a name without an email, URL or phone number', () => {
    const contact = /\S@\S+\.\S|:\/\/|\d[\d ().-]{6,}\d/
    expect(stores.map(({ name }) => name).filter((name) => contact.test(name) || name !== name.trim())).toEqual([])
  })
})

test('invented shops have hosts that nobody can register, except one documented alias', () => {
  expect(hostsOf(invented).filter((host) => !host.endsWith('.example'))).toEqual(['aurora-candles.myshopify.com'])
})

test('real shops carry only published facts, on hosts below a public suffix', () => {
  const facts = new Set(['domain', 'name', 'category', 'country'])
  expect(realShops.filter((store) => Object.keys(store).some((key) => !facts.has(key)))).toEqual([])
  expect(realShops.filter(({ domain }) => getDomain(domain, { allowPrivateDomains: true }) === null)).toEqual([])
  expect(realShops.length).toBeGreaterThan(6_000)
})

test('history is invented for invented shops only', () => {
  const histories = readCatalogueRecords<{ domain: string }>('demo/history.ndjson')
  expect(histories.map(({ domain }) => domain)).toEqual(demo.map(({ domain }) => domain))
})

test('the generators produce the committed store files byte for byte', () => {
  // Compared as booleans, because a mismatch would print megabytes of text.
  expect(toNdjson(demoStores()) === readCatalogueText('demo/stores.ndjson')).toBe(true)
  expect(toNdjson(demoHistories()) === readCatalogueText('demo/history.ndjson')).toBe(true)
  expect(toNdjson(sandboxStores()) === readCatalogueText('sandbox/stores.ndjson')).toBe(true)
})

describe('the demonstration', () => {
  test('has 2,000 stores and each value of the short facets', () => {
    expect(demo).toHaveLength(2_000)
    for (const [facet, field] of [
      ['traffic_tiers', 'traffic_tier'],
      ['revenue_tiers', 'revenue_tier'],
    ] as const) {
      const expected = [null, ...readFacet(facet).map(({ value }) => value)]
      expect(new Set(demo.map((store) => store[field]))).toEqual(new Set(expected))
    }
    expect(new Set(demo.map(({ technologies }) => technologies?.theme.type))).toEqual(
      new Set([null, 'free', 'paid', 'custom']),
    )
  })

  test('has stores in every top-level category', () => {
    const verticals = readFacet('categories').filter(({ parent }) => parent === undefined)
    const used = demo.map(({ category }) => category ?? '')
    expect(verticals.filter(({ value }) => !used.some((category) => category.startsWith(value)))).toEqual([])
  })

  test('has no shop that was discovered before it opened', () => {
    const early = demo.filter(({ first_discovered_at: found, store_created_at: created }) =>
      found && created?.estimate ? Date.parse(created.estimate) > Date.parse(found) : false,
    )
    expect(early).toEqual([])
  })
})

describe('the sandbox', () => {
  test('has every host that its guide names', () => {
    const hosts = new Set(hostsOf(sandbox))
    const promised = readCatalogueText('sandbox/README.md').match(/`[a-z0-9.-]+\.example`/g) ?? []
    expect(promised.length).toBeGreaterThan(50)
    expect(promised.filter((host) => !hosts.has(host.slice(1, -1)))).toEqual([])
  })

  test('has the shops with gorgias in the order that its guide states', () => {
    const found = sandbox.filter(({ technologies }) => technologies?.apps.includes('gorgias'))
    const inOrder = found.toSorted((a, b) => (b.lead_fit_score ?? -1) - (a.lead_fit_score ?? -1))
    const pages = Array.from({ length: 79 }, (_, index) => `sandbox-page-${String(index + 1).padStart(3, '0')}.example`)
    expect(inOrder.map(({ domain }) => domain)).toEqual([...pages, 'sandbox-apps-many.example'])
    expect(inOrder.slice(0, 79).map((store) => store.lead_fit_score)).toEqual(
      pages.map((_, index) => 40 - Math.floor(index / 3)),
    )
  })

  test('has 215 stores, a host with a label of 63 characters, and every theme type, tier and top-level category', () => {
    expect(sandbox).toHaveLength(215)
    expect(Math.max(...sandbox.map(({ domain }) => domain.split('.')[0]!.length))).toBe(63)
    const used = new Set(
      sandbox.flatMap((store) => [
        store.category,
        store.traffic_tier,
        store.revenue_tier,
        store.technologies?.theme.type,
      ]),
    )
    const verticals = readFacet('categories').filter(({ parent }) => parent === undefined)
    const wanted = [
      ...verticals,
      ...readFacet('traffic_tiers'),
      ...readFacet('revenue_tiers'),
      ...readFacet('theme_types'),
    ]
    expect(wanted.filter(({ value }) => !used.has(value))).toEqual([])
  })
})
