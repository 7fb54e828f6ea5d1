import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { contactFields, entriesOf, type FilterFields, storeFields } from '../../src/lib/filters/fields.ts'
import { findNearest } from '../../src/lib/filters/search-text/nearest.ts'
import { Phrases } from '../../src/lib/filters/search-text/phrases.ts'
import { readWords, unknownText } from '../../src/lib/filters/search-text/read-words.ts'
import { Taxonomy, type TaxonomyItem, type TaxonomyReply, taxonomyLists } from '../../src/lib/filters/taxonomy.ts'
import { type Filters, listOf } from '../../src/lib/filters/url.ts'

/** The taxonomy that comes with the service. */
const taxonomy = new Taxonomy(
  Object.fromEntries(
    taxonomyLists.map((list) => [list, readTaxonomy(list).map((item) => ({ parent: null, ...item }))]),
  ) as unknown as TaxonomyReply,
)

function readTaxonomy(list: string): TaxonomyItem[] {
  return JSON.parse(readFileSync(new URL(`../../../catalogue/taxonomy/${list}.json`, import.meta.url), 'utf8'))
}

const from100k = ['100k_500k', '500k_1m', 'over_1m']
const stores = (text: string, filters: Filters = {}) => readWords(storeFields, filters, taxonomy, text)
const people = (text: string, filters: Filters = {}) => readWords(contactFields, filters, taxonomy, text)

describe('words on the page Stores', () => {
  it.each<[string, Filters]>([
    [
      'klaviyo not yotpo germany 100k+',
      { countries: ['DE'], apps: ['klaviyo'], apps_none: ['yotpo'], traffic: from100k },
    ],
    ['Shops in GERMANY using Klaviyo, without Yotpo', { countries: ['DE'], apps: ['klaviyo'], apps_none: ['yotpo'] }],
    ['klaviyo -yotpo', { apps: ['klaviyo'], apps_none: ['yotpo'] }],
    ['klaviyo and yotpo', { apps_all: ['klaviyo', 'yotpo'] }],
    ['klaviyo or yotpo', { apps: ['klaviyo', 'yotpo'] }],
    ['+klaviyo yotpo', { apps_all: ['klaviyo'], apps: ['yotpo'] }],
    ['not yotpo or loox', { apps_none: ['yotpo', 'loox'] }],
    ['not yotpo klaviyo', { apps_none: ['yotpo'], apps: ['klaviyo'] }],
    ['back in stock', { apps: ['back_in_stock'] }],
    ['without back in stock', { apps_none: ['back_in_stock'] }],
    ['cote d ivoire', { countries: ['CI'] }],
    ['UK and usa', { countries: ['GB', 'US'] }],
    ['DE at', { countries: ['DE'] }],
    ['DE AT NO', { countries: ['DE', 'AT', 'NO'] }],
    ['home and garden', { categories: ['home_garden'] }],
    ['shoe', { categories: ['apparel_accessories_shoes'] }],
    ['paid theme', { themes: ['paid'] }],
    ['theme paid', { themes: ['paid'] }],
    ['plus', { premium: true }],
    ['not plus', { premium: false }],
    ['5+ active ads', { ads: 5 }],
    ['marketing', { contact_roles: ['marketing'] }],
    ['$1m+', { revenue: ['1m_10m', 'over_10m'] }],
    ['1m revenue', { revenue: ['1m_10m'] }],
    ['revenue over 500k', { revenue: ['500k_1m', '1m_10m', 'over_10m'] }],
    ['under $10k a month', { revenue: ['under_10k'] }],
    ['1 million usd or more', { revenue: ['1m_10m', 'over_10m'] }],
    ['10k-50k', { traffic: ['10k_50k'] }],
    ['10-50k', { traffic: ['10k_50k'] }],
    ['10k to 100k visits', { traffic: ['10k_50k', '50k_100k'] }],
    ['between 10k and 100k', { traffic: ['10k_50k', '50k_100k'] }],
    ['over 10k under 100k', { traffic: ['10k_50k', '50k_100k'] }],
    ['1,000,000+', { traffic: ['over_1m'] }],
    ['200k+', { traffic: from100k }],
    ['traffic 100k+ revenue 1m', { traffic: from100k, revenue: ['1m_10m'] }],
  ])('%s', (text, filters) => {
    const reading = stores(text)
    expect(reading.understood).toEqual(filters)
    expect(reading.unknown).toEqual([])
  })

  it.each([
    ['klavio germany', 'klavio', 'Klaviyo'],
    ['german klaviyo', 'german', 'Germany'],
    ['klaviyo not yot', 'not yot', 'not Yotpo'],
    ['klaviyo -yotpoo', '-yotpoo', 'not Yotpo'],
  ])('%s has an unknown word, with what it could be', (text, unknown, offered) => {
    const [word] = stores(text).unknown
    expect(word?.text).toBe(unknown)
    expect(word?.offers[0]?.label).toBe(offered)
    const corrected = stores(word!.offers[0]!.text)
    expect(corrected.unknown).toEqual([])
  })

  it.each([
    ['not germany', 'not germany', 'Germany cannot be left out, only chosen.'],
    ['klaviyo not', 'not', 'Say what to leave out.'],
    ['not 100k+', 'not 100k+', 'A number cannot be left out; say it as a range.'],
    ['under 5 ads', 'under 5 ads', 'Active ads can be searched by their least number.'],
  ])('%s says why it is not taken', (text, unknown, reason) => {
    expect(stores(text).unknown).toMatchObject([{ text: unknown, reason }])
  })

  it('are added to what is chosen; what is left out is not wanted any more', () => {
    const reading = stores('not klaviyo austria', { apps: ['klaviyo', 'loox'], countries: ['DE'] })
    expect(reading.filters).toEqual({ apps: ['loox'], apps_none: ['klaviyo'], countries: ['DE', 'AT'] })
  })

  it('beyond the most values of a list stay in the text', () => {
    const countries = taxonomy.nodes('countries').slice(0, 50)
    const chosen = countries.map(({ value }) => value)
    const other = taxonomy.nodes('countries').at(-1)!
    const { filters, unknown } = stores(other.label, { countries: chosen })
    expect(filters).toEqual({ countries: chosen })
    expect(unknown).toMatchObject([{ text: other.label, reason: 'A search takes 50 values of one kind.' }])
  })
})

describe('words on the page People', () => {
  it.each<[string, Filters]>([
    [
      'marketing decision makers in germany',
      { roles: ['marketing'], seniority: ['decision_maker'], countries: ['DE'] },
    ],
    ['founders with verified email without phone', { roles: ['founder'], email: true, phone: false }],
    ['ecommerce klaviyo', { roles: ['ecommerce'], apps: ['klaviyo'] }],
    ['marketing at shop-1.example', { roles: ['marketing'], domains: ['shop-1.example'] }],
  ])('%s', (text, filters) => {
    const reading = people(text)
    expect(reading.understood).toEqual(filters)
    expect(reading.unknown).toEqual([])
  })

  it('with two meanings offer the other one', () => {
    const { understood, others } = people('other')
    expect(understood).toEqual({ roles: ['other'] })
    expect(others).toMatchObject([{ of: 'other', label: 'Other', group: 'Seniority' }])
    expect(people(others[0]!.text).understood).toEqual({ seniority: ['other'] })
  })
})

describe.each<[string, FilterFields]>([
  ['stores', storeFields],
  ['people', contactFields],
])('the grammar of %s', (_page, fields) => {
  const phrases = new Phrases(fields, taxonomy)
  const meanings = [...phrases.meanings()]
  const read = (text: string) => readWords(fields, {}, taxonomy, text)

  it('reads the label of every value as this value, and every label of a tier as this tier', () => {
    const misread: string[] = []
    for (const meaning of meanings) {
      const { understood, unknown } = read(phrases.spell(meaning))
      const expected = { [meaning.name]: meaning.values ?? true }
      if (unknown.length > 0 || JSON.stringify(understood) !== JSON.stringify(expected)) misread.push(meaning.label)
    }
    for (const [name, field] of entriesOf(fields))
      if (field.kind === 'values' && (name === 'traffic' || name === 'revenue'))
        for (const { value, label } of taxonomy.nodes(field.list))
          if (JSON.stringify(read(label).understood) !== JSON.stringify({ [name]: [value] })) misread.push(label)
    expect(misread).toEqual([])
  })

  it('finds every label with one letter missing among what it could be', () => {
    const long = meanings.filter(({ label }) => /^[a-z]{7,}$/i.test(label))
    fc.assert(
      fc.property(fc.constantFrom(...long), fc.nat(), (meaning, place) => {
        const cut = 1 + (place % (meaning.label.length - 1))
        const misspelt = meaning.label.slice(0, cut) + meaning.label.slice(cut + 1)
        const { unknown } = read(misspelt)
        // What is left may be a label itself.
        if (unknown.length > 0) expect(findNearest(phrases, misspelt)).not.toEqual([])
      }),
    )
  })

  it('reads values in any order, wanted and denied, as what was meant', () => {
    const apps = taxonomy.nodes('apps').filter(({ deprecated }) => !deprecated)
    const pick = fc.uniqueArray(fc.constantFrom(...apps), {
      minLength: 1,
      maxLength: 5,
      selector: ({ label }) => label,
    })
    const negation = fc.constantFrom('not ', 'without ', 'no ', 'except using ')
    fc.assert(
      fc.property(pick, fc.array(fc.boolean()), negation, (chosen, denied, word) => {
        const isDenied = (index: number) => denied[index] === true
        const text = chosen.map(({ label }, index) => `${isDenied(index) ? word : ''}${label} app`).join(', ')
        const { understood, unknown } = read(text)
        const values = (wanted: boolean) =>
          chosen
            .filter((_, index) => isDenied(index) !== wanted)
            .flatMap(({ label }) => apps.filter((app) => app.label === label).map(({ value }) => value))
        expect(unknown).toEqual([])
        expect([...listOf(understood, 'apps')].sort()).toEqual(values(true).sort())
        expect([...listOf(understood, 'apps_none')].sort()).toEqual(values(false).sort())
      }),
    )
  })

  it('drops no word that it does not know, wherever it stands', () => {
    const word = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.constantFrom('not', 'and', '-', '+', '&', '$', '100k', '10-50k', '<', 'between', 'to', '1m+', 'NO', 'pixel'),
      fc.constantFrom(...meanings.map(({ label }) => label)),
      fc.stringMatching(/^[a-zäéß$+<>.,0-9-]{1,10}$/),
    )
    fc.assert(
      fc.property(fc.array(word, { maxLength: 4 }), fc.array(word, { maxLength: 4 }), (before, behind) => {
        const text = [...before, 'qqxzwv', ...behind].join(' ')
        const reading = read(text)
        expect(unknownText(reading)).toContain('qqxzwv')
        for (const unknown of reading.unknown) expect(text).toContain(unknown.text)
      }),
      { numRuns: 50 },
    )
  })
})
