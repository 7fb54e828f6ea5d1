import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { proofRuns } from '../../../../../bin/tests/proof-runs.ts'
import { importContacts } from '../../../../src/catalogue/imports/contacts/import-contacts.ts'
import type { ImportResult } from '../../../../src/catalogue/imports/records/import-file.ts'
import { importStores } from '../../../../src/catalogue/imports/stores/import-stores.ts'
import { holdsFormula } from '../../../../src/foundation/kernel/csv.ts'
import { choices, csvDialect, type Spellings, writeCsv } from '../support/csv-writer.ts'
import { readStoredPeople } from '../support/stored-people.ts'
import { comparableContent, openTestCatalogue, type TestCatalogue } from '../support/test-catalogue.ts'

let catalogue: TestCatalogue
beforeAll(async () => {
  catalogue = await openTestCatalogue()
})

const orNull = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null })
const some = (values: string[]) => fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 3 })

/** Text with everything that a CSV file has to quote or encode. No part of it is a formula, which is no name. */
const text = fc
  .tuple(
    fc.constantFrom('One', 'Zoë', 'Łódź', '王', 'Ünï', '3rd'),
    fc.array(fc.constantFrom('"quoted"', 'a,b', 'c;d', 'e|f', 'Größe', '9,5', '€', "it's", '\\', '=x', '🕯', '|', ';'), {
      maxLength: 3,
    }),
  )
  .map(([first, more]) => [first, ...more].join(' '))
  .filter((written) => !holdsFormula(written))

const day = fc.constantFrom('2020-01-01T00:00:00.000Z', '2019-02-28T00:00:00Z')
const moment = fc.oneof(day, fc.constantFrom('2021-06-11T08:30:00.000Z', '2021-06-11T10:30:00+02:00'))

const hosts = ['a', 'b', 'c', 'd'].map((name) => `${name}.example`)

const store = fc.record(
  {
    domain: fc.constantFrom(...hosts),
    name: orNull(text),
    aliases: orNull(some([...hosts, 'x.example', 'y.example'])),
    category: orNull(fc.constantFrom('home_garden', 'animals_pet_supplies')),
    country: orNull(fc.constantFrom('DE', 'GB', 'US')),
    traffic_tier: orNull(fc.constantFrom('under_1k', '10k_50k')),
    revenue_tier: orNull(fc.constantFrom('under_10k', '1m_10m')),
    platform_plus: orNull(fc.boolean()),
    lead_fit_score: orNull(fc.constantFrom(0, 71.5, -3.25, 1200)),
    store_created_at: orNull(
      fc.record(
        {
          estimate: orNull(moment),
          resolution: orNull(fc.constantFrom('exact', 'month', 'year')),
          source: orNull(fc.constantFrom('platform', 'web_archive')),
          confidence: orNull(fc.constantFrom('high', 'low')),
        },
        { requiredKeys: [] },
      ),
    ),
    first_discovered_at: orNull(moment),
    active_ads: orNull(fc.constantFrom(0, 12, 1234)),
    technologies: orNull(
      fc.record(
        {
          apps: orNull(some(['klaviyo', 'accessibe', '17track'])),
          pixels: orNull(some(['meta_pixel', 'ab_tasty'])),
          theme: orNull(
            fc.record({ name: orNull(text), type: orNull(fc.constantFrom('free', 'paid')) }, { requiredKeys: [] }),
          ),
        },
        { requiredKeys: [] },
      ),
    ),
  },
  { requiredKeys: ['domain'] },
)

const labels: Record<string, string> = {
  home_garden: 'Home & Garden',
  animals_pet_supplies: 'Animals & Pet Supplies',
  under_1k: 'Under 1K visits a month',
  '10k_50k': '10K to 50K visits a month',
  under_10k: 'Under $10K a month',
  '1m_10m': '$1M to $10M a month',
  accessibe: 'accessiBe',
  ab_tasty: 'AB Tasty',
  decision_maker: 'Decision maker',
  customer_support: 'Customer Support',
}
const labelOf = (value: string) => {
  const label = labels[value]
  return label ? [label, label.toUpperCase()] : [value.toUpperCase()]
}
const countryNames: Record<string, string[]> = {
  DE: ['Germany', 'DEU', 'de'],
  GB: ['UK', 'United Kingdom', 'gbr'],
  US: ['USA', 'united states'],
}
/** The plain date of a moment that is the first of its day. */
const plainDate = (value: string) => (/T00:00:00(?:\.000)?Z$/.test(value) ? [value.slice(0, 10)] : [])

const storeSpellings: Spellings = {
  headers: { domain: ['Website', 'URL'], name: ['Company'] },
  values: {
    domain: (host) => [`https://www.${host}/`, host.toUpperCase()],
    aliases: (host) => [`http://${host}`],
    category: labelOf,
    country: (code) => countryNames[code]!,
    traffic_tier: labelOf,
    revenue_tier: labelOf,
    'store_created_at.estimate': plainDate,
    first_discovered_at: plainDate,
    'technologies.apps': labelOf,
    'technologies.pixels': labelOf,
    'technologies.theme.type': labelOf,
  },
  wholes: ['store_created_at', 'technologies', 'technologies.theme'],
  prose: ['name'],
}

const countsOf = ({ read, inserted, updated, unchanged, rejected }: ImportResult) => ({
  read,
  inserted,
  updated,
  unchanged,
  rejected,
})

test('stores from CSV in any dialect are those of the NDJSON with the same records', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(store, { minLength: 1, maxLength: 6 }),
      csvDialect,
      choices,
      async (records, dialect, choose) => {
        await catalogue.db.query('truncate stores, store_domains')
        const counts = countsOf(await catalogue.importStores(records))
        const expected = await comparableContent(catalogue.db)

        await catalogue.db.query('truncate stores, store_domains')
        const { content, options } = writeCsv(records, dialect, storeSpellings, choose)
        const file = await catalogue.write('stores.csv', content)
        const result = await importStores(catalogue.context, { file, extendTaxonomy: false, ...options })
        expect(await comparableContent(catalogue.db)).toEqual(expected)
        expect(countsOf(result)).toEqual(counts)
      },
    ),
    { numRuns: proofRuns(60) },
  )
})

const germanPhones = ['+493023125100', '+494066969200 x12']
const contactHosts = ['de.example', 'us.example']
const channel = { is_primary: fc.boolean() }

const contact = fc.record(
  {
    store_domain: fc.constantFrom(...contactHosts),
    external_id: fc.constantFrom('1', '2', 'c-3'),
    first_name: orNull(fc.constantFrom('Ana', 'Zoë María')),
    last_name: orNull(fc.constantFrom('Öz', "'t Hooft", 'Łukasz; Młody')),
    full_name: orNull(text),
    title: orNull(fc.constantFrom('Owner', 'Head of "R&D"', 'Buyer, Europe')),
    role: orNull(fc.constantFrom('founder', 'customer_support')),
    seniority: orNull(fc.constantFrom('executive', 'decision_maker')),
    profile_url: orNull(fc.constantFrom('https://people.example/1', 'http://people.example/a;b,c')),
    emails: orNull(
      fc.array(
        fc.record(
          {
            email: fc.constantFrom('a@x.example', 'b@x.example', 'c+d@y.example'),
            status: orNull(fc.constantFrom('verified', 'bounced')),
            type: orNull(fc.constantFrom('work', 'role')),
            ...channel,
          },
          { requiredKeys: ['email'] },
        ),
        { minLength: 1, maxLength: 3 },
      ),
    ),
    phones: orNull(
      fc.array(
        fc.record(
          {
            phone: fc.constantFrom(...germanPhones, '+12015550123'),
            type: orNull(fc.constantFrom('mobile', 'office')),
            ...channel,
          },
          { requiredKeys: ['phone'] },
        ),
        { minLength: 1, maxLength: 2 },
      ),
    ),
  },
  { requiredKeys: ['store_domain', 'external_id'] },
)

/** By the country of the store, a number of that country goes without its calling code. */
function phoneSpellings(phone: string, record: object): string[] {
  const { store_domain: host } = record as { store_domain: string }
  if (phone === '+12015550123') return ['+1 201 555 0123', ...(host === 'us.example' ? ['(201) 555-0123'] : [])]
  const [national, extension] = phone.slice(3).split(' x') as [string, string | undefined]
  const digits = `${national.slice(0, 2)} ${national.slice(2)}`
  const suffix = extension ? ` ext. ${extension}` : ''
  return [`+49 (0)${digits}${suffix}`, ...(host === 'de.example' ? [`0${digits}${suffix}`] : [])]
}

const contactSpellings: Spellings = {
  headers: { 'emails.0.email': ['E-mail'], first_name: ['First Name'] },
  values: {
    store_domain: (host) => [`https://${host}/about`, `WWW.${host}`],
    role: labelOf,
    seniority: labelOf,
    'phones.phone': phoneSpellings,
  },
  wholes: ['emails', 'phones'],
  prose: ['full_name', 'title'],
}

const peopleWithoutIds = async () =>
  (await readStoredPeople(catalogue)).map(({ domain, facts, role, traits, revealable, verified_emails }) => ({
    domain,
    facts,
    role,
    traits,
    revealable,
    verified_emails,
  }))

test('contacts from CSV in any dialect are those of the NDJSON with the same records', async () => {
  const reset = async () => {
    await catalogue.db.query('truncate stores, store_domains, contacts')
    await catalogue.importStores(contactHosts.map((domain) => ({ domain, country: domain.slice(0, 2).toUpperCase() })))
  }
  await fc.assert(
    fc.asyncProperty(
      fc.array(contact, { minLength: 1, maxLength: 5 }),
      csvDialect,
      choices,
      async (records, dialect, choose) => {
        await reset()
        const counts = countsOf(await catalogue.importContacts(records))
        const expected = await peopleWithoutIds()

        await reset()
        const { content, options } = writeCsv(records, dialect, contactSpellings, choose)
        const file = await catalogue.write('contacts.csv', content)
        const result = await importContacts(catalogue.context, { file, extendTaxonomy: false, ...options })
        expect(await peopleWithoutIds()).toEqual(expected)
        expect(countsOf(result)).toEqual(counts)
      },
    ),
    { numRuns: proofRuns(60) },
  )
})
