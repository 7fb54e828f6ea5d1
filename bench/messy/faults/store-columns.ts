/** The columns of a file of stores, and everything that goes wrong in them. */
import { readFacet } from '../../../catalogue/build/taxonomy/files.ts'
import { dateFaults, partsOfDates, writeDate } from './dates.ts'
import { type CellFault, type Column, fault, replacedBy } from './fault.ts'
import { countFaults, scoreFaults } from './numbers.ts'
import {
  breakAtTheEnd,
  facetFaults,
  formulas,
  lettersOf,
  misspell,
  nameFaults,
  spacesAround,
  unprintable,
  wordFaults,
  wordsForNothing,
} from './text.ts'
import { booleanFaults, countryFaults } from './values.ts'

const text = String

/** Where many shops and people have a page, so that it is nobody's own. */
const sharedPages = [
  'etsy.com/shop/oak',
  'https://www.etsy.com/shop/oak',
  'https://www.instagram.com/oak/',
  'facebook.com/oak',
  'amazon.com',
  'https://www.ebay.com/usr/oak',
  'linktr.ee/oak',
  'gmail.com',
  'info@gmail.com',
]

const sharedHosts = replacedBy('a shared host', 0.002, 'reject', sharedPages)

const domainFaults: readonly CellFault[] = [
  fault('URL', 0.12, 'clean', (cell, { random }) =>
    random.pick([
      `https://${cell}`,
      `https://www.${cell}/`,
      `http://${cell}/collections/all?utm_source=list`,
      `//${cell}/`,
    ]),
  ),
  fault('www or capitals', 0.06, 'clean', (cell, { random }) =>
    random.pick([`www.${cell}`, `WWW.${cell}`, cell.toUpperCase(), `Www.${cell}`]),
  ),
  fault('www twice', 0.01, 'clean', (cell, { random }) =>
    random.pick([`www.www.${cell}`, `https://WWW.www.${cell}/`, `www.www.www.${cell}`]),
  ),
  fault('dot, port or path', 0.02, 'clean', (cell, { random }) =>
    random.pick([`${cell}.`, `${cell}:443`, `${cell}/shop`]),
  ),
  spacesAround(0.06),
  breakAtTheEnd(0.003),
  replacedBy('no domain', 0.002, 'reject', ['unknown', 'n/a', 'NULL', '', '-', 'see website', 'localhost', '#N/A']),
  fault('misspelt domain', 0.002, 'reject', (cell, { random }) =>
    random.pick([
      cell.replace('.', ','),
      cell.replace('-', ' '),
      `mailto:info@${cell}`,
      `${cell} (old)`,
      `http:/${cell}..`,
    ]),
  ),
  sharedHosts,
  fault('formula for a link', 0.001, 'reject', (cell) => `=HYPERLINK("https://${cell}")`),
]

const aliasFaults: readonly CellFault[] = [
  fault('URL', 0.1, 'clean', (cell) => cell.replaceAll(/[^|]+/g, 'https://$&/')),
  fault('spaces between items', 0.05, 'clean', (cell) => ` ${cell} `),
  ...wordsForNothing(0.05),
  fault('a shared host among them', 0.01, 'drop the item', (cell, { random, value }) => ({
    cell: `${cell}|${random.pick(sharedPages)}`,
    value,
  })),
  fault('an alias that is no domain', 0.01, 'drop the item', (cell, { random, value }) => ({
    cell: `${cell}|${random.pick(['same', 'www', 'shop 2', 'tbd'])}`,
    value,
  })),
]

function technologyFaults(facet: 'apps' | 'pixels'): CellFault[] {
  const items = readFacet(facet)
  const labels = new Map(items.map(({ value, label }) => [value, label]))
  const known = new Set(items.flatMap(({ value, label }) => [lettersOf(value), lettersOf(label)]))
  const labelsOf = (value: unknown) => (value as string[]).map((item) => labels.get(item)!)
  return [
    fault('labels', 0.15, 'clean', (_cell, { value, random }) => {
      const joined = labelsOf(value).join('|')
      return random.pick([joined, joined.toUpperCase(), joined.toLowerCase()])
    }),
    fault('spaces between items', 0.08, 'clean', (_cell, { value }) => (value as string[]).join(' | ')),
    fault('an item twice', 0.01, 'clean', (cell) => `${cell}|${cell.split('|')[0]}`),
    fault('an empty item', 0.01, 'clean', (cell) => `${cell}|`),
    fault('line breaks between items', 0.02, 'clean', (cell, { random }) =>
      cell.includes('|') ? cell.replaceAll('|', random.pick(['|\n', ';\n', ',\n', ';\r\n', '\n'])) : null,
    ),
    ...wordsForNothing(0.04),
    fault('a misspelt item', 0.02, 'drop the item', (cell, { value, random }) => {
      const list = value as string[]
      const at = random.below(list.length)
      const wrong = misspell(labels.get(list[at]!)!, known, random.below(1_000))
      if (wrong === null) return null
      return { cell: cell.split('|').with(at, wrong).join('|'), value: list.toSpliced(at, 1) }
    }),
    fault('an unknown item', 0.01, 'drop the item', (cell, { value, random }) => ({
      cell: `${cell}|${random.pick(['our own tool', 'in-house', 'TBD?', 'custom_app_v2'])}`,
      value,
    })),
    fault('commas between items', 0.01, 'clean or drop', (_cell, { value }) =>
      (value as string[]).length === 2 ? (value as string[]).join(', ') : null,
    ),
  ]
}

const list = (value: unknown) => (value as string[]).join('|')

export const storeColumns: readonly Column[] = [
  { field: 'domain', header: 'Website', write: text, faults: domainFaults },
  { field: 'name', header: 'Company', write: text, faults: nameFaults },
  { field: 'aliases', header: 'Aliases', write: list, faults: aliasFaults },
  { field: 'category', header: 'Category', write: text, faults: facetFaults('categories', ['Stuff', 'various', '12']) },
  { field: 'country', header: 'COUNTRY', write: text, faults: countryFaults },
  {
    field: 'traffic_tier',
    header: 'Traffic Tier',
    write: text,
    faults: facetFaults('traffic_tiers', ['a lot', 'low', 'tier 3', '10k_1m']),
  },
  {
    field: 'revenue_tier',
    header: 'revenue tier',
    write: text,
    faults: facetFaults('revenue_tiers', ['$$$', 'profitable', 'tier 3']),
  },
  { field: 'platform_plus', header: 'Platform Plus', write: text, faults: booleanFaults },
  {
    field: 'lead_fit_score',
    header: 'Lead fit score',
    write: (value, { decimal }) => String(value).replace('.', decimal),
    faults: scoreFaults,
  },
  { field: 'store_created_at.estimate', header: 'Opened', write: writeDate, faults: [...partsOfDates, ...dateFaults] },
  {
    field: 'store_created_at.resolution',
    header: 'Store Created At.Resolution',
    write: text,
    faults: wordFaults(['roughly', 'week', 'decade']),
  },
  {
    field: 'store_created_at.source',
    header: 'store_created_at.source',
    write: text,
    faults: wordFaults(['hearsay', 'a friend', 'google']),
  },
  {
    field: 'store_created_at.confidence',
    header: 'Store_Created_At.Confidence',
    write: text,
    faults: wordFaults(['99 %', 'so so', 'certain']),
  },
  { field: 'first_discovered_at', header: 'First Discovered At', write: writeDate, faults: dateFaults },
  { field: 'active_ads', header: 'Active_Ads', write: text, faults: countFaults },
  { field: 'technologies.apps', header: 'Technologies.Apps', write: list, faults: technologyFaults('apps') },
  { field: 'technologies.pixels', header: 'technologies.pixels', write: list, faults: technologyFaults('pixels') },
  {
    field: 'technologies.theme.name',
    header: 'Technologies.Theme.Name',
    write: text,
    faults: [spacesAround(0.04), ...wordsForNothing(0.03), formulas(0.002), ...unprintable],
  },
  {
    field: 'technologies.theme.type',
    header: 'technologies.theme.type',
    write: text,
    faults: facetFaults('theme_types', ['premium', 'bespoke', '$180']),
  },
]

/** A column that is no field, and what its cells hold. */
export const ignoredStoreColumn = {
  header: 'Internal Notes',
  cells: ['', '', 'call again', 'VIP; "old" client', '=A1'],
}

export const storeFlags = ['--map', 'Opened=store_created_at.estimate', '--map', 'Internal Notes=']
