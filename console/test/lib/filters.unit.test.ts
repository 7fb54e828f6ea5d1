import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chipsOf } from '../../src/lib/filters/chips.ts'
import { parsePastedDomains, toHost } from '../../src/lib/filters/domains.ts'
import { countOf, facetsOf } from '../../src/lib/filters/facets.ts'
import { contactFields, entriesOf, storeFields } from '../../src/lib/filters/fields.ts'
import {
  contactQuestion,
  contactSearchBody,
  countBody,
  storeQuestion,
  storeSearchBody,
} from '../../src/lib/filters/request.ts'
import { suggestValues } from '../../src/lib/filters/suggestions.ts'
import { type Filters, parseFilters, toSearch, withFilter } from '../../src/lib/filters/url.ts'
import { parseSearch, stringifySearch } from '../../src/lib/search-params.ts'
import { taxonomy } from './taxonomy-sample.ts'

const day = fc
  .date({ min: new Date('1990-01-01'), max: new Date('2099-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10))
const slug = fc.stringMatching(/^[a-z0-9][a-z0-9_.-]{0,20}$/)

function arbitraryFilters(fields: typeof storeFields | typeof contactFields): fc.Arbitrary<Filters> {
  const arbitraries = {
    values: (isCountry: boolean) =>
      fc.uniqueArray(isCountry ? fc.stringMatching(/^[A-Z]{2}$/) : slug, { minLength: 1, maxLength: 5 }),
    domains: () =>
      fc.uniqueArray(
        slug.map((name) => `${name}x.example`),
        { minLength: 1, maxLength: 5 },
      ),
    lists: () => fc.uniqueArray(fc.stringMatching(/^lst_live_[A-Za-z0-9]{16}$/), { minLength: 1, maxLength: 10 }),
    flag: () => fc.boolean(),
    switch: () => fc.constant(true),
    number: () => fc.integer({ min: 1, max: 100_000 }),
    day: () => day,
  }
  const shape = entriesOf(fields).map(([name, field]) => [
    name,
    arbitraries[field.kind](field.kind === 'values' && field.list === 'countries'),
  ])
  return fc.record(Object.fromEntries(shape), { requiredKeys: [] }) as fc.Arbitrary<Filters>
}

describe.each([
  ['stores', storeFields],
  ['people', contactFields],
] as const)('the filters of %s', (_page, fields) => {
  it('survive the URL', () => {
    fc.assert(
      fc.property(arbitraryFilters(fields), (filters) => {
        const url = stringifySearch(toSearch(fields, filters))
        expect(parseFilters(fields, parseSearch(url))).toEqual(filters)
        expect(stringifySearch(toSearch(fields, parseFilters(fields, parseSearch(url))))).toBe(url)
      }),
    )
  })

  it('are each a chip, whose removal leaves the others', () => {
    fc.assert(
      fc.property(arbitraryFilters(fields), (filters) => {
        const chips = chipsOf(fields, filters, taxonomy)
        const counted = Object.values(filters).flat().length
        expect(new Set(chips.map(({ key }) => key)).size).toBe(counted)
        for (const { key, without } of chips) {
          const keysLeft = chipsOf(fields, without, taxonomy).map((chip) => chip.key)
          expect(keysLeft).toEqual(chips.map((chip) => chip.key).filter((other) => other !== key))
        }
      }),
    )
  })

  it('drop what the URL has that is no filter', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.oneof(fc.string(), fc.constantFrom(...Object.keys(fields))), fc.anything()),
        (search) => {
          const names = Object.keys(parseFilters(fields, search))
          for (const name of names) expect(Object.keys(fields)).toContain(name)
        },
      ),
    )
  })
})

describe('a URL', () => {
  it('has the values of a list side by side', () => {
    const filters: Filters = { countries: ['DE', 'AT'], apps_none: ['yotpo'], premium: false, ads: 5 }
    expect(stringifySearch(toSearch(storeFields, filters))).toBe('?countries=DE+AT&apps_none=yotpo&premium=false&ads=5')
  })

  it('may be written by hand, in any case and with repeated names or commas', () => {
    const filters = parseFilters(storeFields, parseSearch('?countries=de,at&countries=ch&apps=Klaviyo&apps=klaviyo'))
    expect(filters).toEqual({ countries: ['DE', 'AT', 'CH'], apps: ['klaviyo'] })
  })

  it.each(['ads=0', 'ads=-1', 'ads=1.5', 'ads=100001', 'ads=x', 'premium=yes', 'opened_from=2026-02-30', 'countries='])(
    'with the invalid %s sets nothing',
    (search) => {
      expect(parseFilters(storeFields, parseSearch(`?${search}`))).toEqual({})
    },
  )
})

describe('the body of a search', () => {
  it('has the filters of stores where the API wants them', () => {
    const filters: Filters = {
      countries: ['DE'],
      categories: ['home_garden'],
      apps: ['klaviyo'],
      apps_all: ['judge_me'],
      apps_none: ['yotpo'],
      pixels: ['meta_pixel'],
      traffic: ['10k_50k'],
      revenue: ['50k_100k'],
      themes: ['custom'],
      premium: false,
      ads: 5,
      opened_from: '2020-01-01',
      opened_to: '2020-12-31',
      seen_to: '2026-05-31',
      contactable: true,
      contact_roles: ['marketing'],
    }
    expect(storeSearchBody(filters)).toEqual({
      filters: {
        countries: ['DE'],
        categories: ['home_garden'],
        apps: { any: ['klaviyo'], all: ['judge_me'], none: ['yotpo'] },
        pixels: { any: ['meta_pixel'] },
        traffic_tiers: ['10k_50k'],
        revenue_tiers: ['50k_100k'],
        themes: { types: ['custom'] },
        platform_plus: false,
        meta_ads: { active_ads_min: 5 },
        store_created_at: { from: '2020-01-01T00:00:00Z', to: '2020-12-31T23:59:59.999Z' },
        first_discovered_at: { to: '2026-05-31T23:59:59.999Z' },
        contacts: { has_revealable_contacts: true, roles_any: ['marketing'] },
      },
      limit: 25,
    })
  })

  it('has the filters of people, and those of their stores below store', () => {
    const filters: Filters = {
      roles: ['marketing'],
      seniority: ['executive'],
      email: true,
      phone: false,
      countries: ['DE'],
    }
    expect(contactSearchBody({ ...filters, domains: ['a.example'] }, 3, 'cur_x')).toEqual({
      person: { roles_any: ['marketing'], seniority_any: ['executive'], has_verified_email: true, has_phone: false },
      store: { domains: ['a.example'], countries: ['DE'] },
      max_contacts_per_store: 3,
      limit: 25,
      cursor: 'cur_x',
    })
  })

  it('without filters asks for all stores', () => {
    expect(storeSearchBody({})).toEqual({ filters: {}, limit: 25 })
    expect(contactSearchBody({}, 3)).toEqual({ max_contacts_per_store: 3, limit: 25 })
  })
})

describe('what is left out', () => {
  const filters: Filters = {
    countries: ['DE'],
    exclude_exported: true,
    exclude_revealed: true,
    exclude_lists: ['lst_live_AbCdEfGhIjKlMnOp'],
  }
  const exclude = { exported: true, revealed: true, lists: ['lst_live_AbCdEfGhIjKlMnOp'] }

  it('is a property of its own in both searches and their counts', () => {
    expect(storeSearchBody(filters)).toEqual({ filters: { countries: ['DE'] }, exclude, limit: 25 })
    expect(contactSearchBody(filters, 3)).toEqual({
      store: { countries: ['DE'] },
      exclude,
      max_contacts_per_store: 3,
      limit: 25,
    })
    expect(countBody(storeFields, storeQuestion(filters))).toMatchObject({ filters: { countries: ['DE'] }, exclude })
    expect(countBody(contactFields, contactQuestion(filters, 3))).toMatchObject({ exclude, max_contacts_per_store: 3 })
  })

  it('asks for no facets of stores that it names', () => {
    const named = contactQuestion({ countries: ['DE'], domains: ['a.example'] }, 3)
    expect(countBody(contactFields, named)).toEqual(named)
    expect(countBody(contactFields, contactQuestion({ countries: ['DE'] }, 3))).toHaveProperty('facets')
  })

  it('keeps the case of lists in the URL, takes ten of them, and switches that are on', () => {
    const lists = Array.from({ length: 12 }, (_, index) => `lst_live_${index}Ab`)
    const search = `?exclude_exported=false&exclude_revealed=true&exclude_lists=${lists.join('+')}`
    expect(parseFilters(storeFields, parseSearch(search))).toEqual({
      exclude_revealed: true,
      exclude_lists: lists.slice(0, 10),
    })
  })

  it('is said in chips, with the names of lists', () => {
    const names = new Map([['lst_live_AbCdEfGhIjKlMnOp', 'Customers']])
    expect(
      chipsOf(contactFields, filters, taxonomy, names).map(({ prefix, label }) => `${prefix} ${label}`.trim()),
    ).toEqual(['Germany', 'without exported this period', 'without revealed', 'without Customers'])
  })
})

describe('the counts beside filters', () => {
  it('are asked for all values that a search has', () => {
    const shared = ['countries', 'categories', 'apps', 'pixels', 'traffic_tiers', 'revenue_tiers', 'theme_types']
    expect(facetsOf(storeFields)).toEqual([...shared, 'platform_plus', 'contact_roles'])
    expect(facetsOf(contactFields)).toEqual(['roles', 'seniorities', ...shared, 'platform_plus'])
  })

  it('are zero for values that a whole facet leaves out, and unknown where the facet was cut', () => {
    const values = [
      { value: 'DE', count: 12 },
      { value: 'FR', count: 3 },
    ]
    expect(countOf(values, 3)?.('DE')).toBe(12)
    expect(countOf(values, 3)?.('AT')).toBe(0)
    expect(countOf(values, 2)?.('AT')).toBeUndefined()
    expect(countOf(undefined, 2)).toBeUndefined()
  })
})

describe('chips', () => {
  const words = (filters: Filters) =>
    chipsOf(storeFields, filters, taxonomy).map(({ prefix, label }) => `${prefix} ${label}`.trim())

  it('say in words what is chosen, in the order of the column', () => {
    const filters: Filters = {
      ads: 1200,
      premium: false,
      contact_roles: ['marketing'],
      apps_none: ['yotpo'],
      apps_all: ['360'],
      apps: ['klaviyo'],
      countries: ['DE'],
      themes: ['free'],
      opened_from: '2020-01-01',
    }
    expect(words(filters)).toEqual([
      'Germany',
      'Klaviyo',
      'must have 360 View',
      'not Yotpo',
      'Theme: Free',
      'No premium platform tier',
      `Active ads: at least ${new Intl.NumberFormat().format(1200)}`,
      `Opened from ${new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date('2020-01-01T00:00:00Z'))}`,
      'Contact: Marketing',
    ])
  })

  it('show a value that the taxonomy does not know as it is', () => {
    expect(words({ apps: ['<script>alert(1)</script>'] })).toEqual(['<script>alert(1)</script>'])
  })
})

describe('the taxonomy', () => {
  const labels = (text: string) =>
    taxonomy.search('categories', text).map(({ label, depth }) => `${'  '.repeat(depth)}${label}`)

  it('is a tree of categories', () => {
    expect(labels('')).toEqual(['Home & Garden', '  Decor', '    Candles', 'Apparel', '  Shoes'])
  })

  it('is searched by words, and shows what stands above a find', () => {
    expect(labels('cand')).toEqual(['Home & Garden', '  Decor', '    Candles'])
    expect(labels('garden home')).toEqual(['Home & Garden', '  Decor', '    Candles'])
    expect(labels('nothing')).toEqual([])
  })

  it('is searched without regard to accents and case', () => {
    expect(taxonomy.search('countries', 'COTE').map(({ value }) => value)).toEqual(['CI'])
  })
})

describe('suggestions for the search field', () => {
  const suggest = (text: string, filters: Filters = {}) =>
    suggestValues(contactFields, filters, taxonomy, text).map(({ group, label }) => `${group}: ${label}`)

  it('find values of all lists by their labels, the best match first', () => {
    expect(suggest('mark')).toEqual(['Roles: Marketing'])
    expect(suggest('garden')).toEqual(['Categories: Home & Garden'])
    expect(suggest('other')).toEqual(['Roles: Other', 'Seniority: Other'])
  })

  it('leave out what is chosen, and find nothing for an empty text', () => {
    expect(suggest('marketing', { roles: ['marketing'] })).toEqual([])
    expect(suggest(' ')).toEqual([])
  })

  it('add the value to those chosen before', () => {
    const [found] = suggestValues(contactFields, { roles: ['other'] }, taxonomy, 'marketing')
    expect(found?.filters).toEqual({ roles: ['other', 'marketing'] })
  })
})

describe('domains', () => {
  it.each([
    ['aurora.example', 'aurora.example'],
    [' https://www.aurora.example/pages/about?x=1 ', 'www.aurora.example'],
    ['AURORA.Example.', 'aurora.example'],
  ])('%s is a domain', (text, host) => {
    expect(toHost(text)).toBe(host)
  })

  it.each(['klaviyo', 'home & garden', '', '10.0.0.1', 'http://', 'a..b', 'javascript:alert(1)'])(
    '%s is none',
    (text) => {
      expect(toHost(text)).toBeNull()
    },
  )

  it.each([
    ['my\u2011shop.example', 'my\u2011shop.example'],
    ['https://My\u200bShop.example/ü', 'my\u200bshop.example'],
    ['https://shop.example/ü', 'shop.example'],
    ['bücher.example', 'bücher.example'],
  ])('%j is left to the service as it is written', (text, host) => {
    expect(toHost(text)).toBe(host)
  })

  it('are read from a pasted list, each once, with what is none', () => {
    const text = 'a.example\nhttps://a.example/x; b.example,c.example nonsense'
    expect(parsePastedDomains(text)).toEqual({ hosts: ['a.example', 'b.example', 'c.example'], rejected: ['nonsense'] })
  })
})

describe('a filter', () => {
  it('without values is not set', () => {
    expect(withFilter({ countries: ['DE'] }, 'countries', [])).toEqual({})
    expect(withFilter({ ads: 5 }, 'ads', undefined)).toEqual({})
  })
})
