import { readFile } from 'node:fs/promises'
import { Writable } from 'node:stream'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { proofRuns } from '../../../../bin/tests/proof-runs.ts'
import { importContacts } from '../../../src/catalogue/imports/contacts/import-contacts.ts'
import { importStores } from '../../../src/catalogue/imports/stores/import-stores.ts'
import { normalizeDomain } from '../../../src/foundation/kernel/domain.ts'
import { exportRecords } from '../../../src/operations/backup/records/export-records.ts'
import { openTestCatalogue, type TestCatalogue } from '../../catalogue/imports/support/test-catalogue.ts'

let source: TestCatalogue
const formats = ['ndjson', 'csv', 'xlsx'] as const
let copies: Record<(typeof formats)[number], TestCatalogue>
beforeAll(async () => {
  const open = () => openTestCatalogue()
  const [first, ndjson, csv, xlsx] = await Promise.all([open(), open(), open(), open()])
  source = first
  copies = { ndjson, csv, xlsx }
})

const orNull = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null, freq: 4 })

/** What the cleaning of cells, the guard of formulas and the parsing of rows have to do with. */
const pieces = fc.constantFrom(
  ...[
    '=',
    '+',
    '-',
    '@',
    '＝',
    "'",
    '"',
    '""',
    ';',
    ',',
    '|',
    ' ',
    '  ',
    '\u00a0',
    '\u2028',
    '\u200b',
    '\ufeff',
    '<b>',
    '&amp;',
  ],
  ...[
    'json:',
    'json:"x"',
    'null',
    'None',
    'n/a',
    '1.000',
    '1,5',
    '12',
    'a',
    'Foo',
    'Søn',
    '株式会社',
    'עברית',
    '🕯️',
    'e\u0301',
    '\\',
  ],
)
const words = fc.constantFrom(
  ...[
    'None',
    'n/a',
    'N/A',
    'null',
    'NULL',
    '-',
    '--',
    '–',
    'nil',
    '#N/A',
    '#REF!',
    '1.000',
    '1,5',
    '12',
    'true',
    'no',
    '2019-03',
  ],
  ...[
    '=1+1',
    '@home Living',
    '-20% Sale',
    "'quoted'",
    "'=x",
    '  blanks  ',
    '<3 Shop',
    '<b>Bold</b>',
    'A &amp; B',
    'sep=;',
    '_line',
  ],
)
const text = fc.oneof(
  words,
  fc.array(pieces, { minLength: 1, maxLength: 6 }).map((parts) => parts.join('')),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 6 }),
)

const suffix = fc.constantFrom('.com', '.de', '.co.uk', '.example', '.myshopify.com', '.рф', '.香港')
const label = fc.oneof(
  fc.stringMatching(/^[a-z0-9]{3,12}$/),
  fc.constantFrom(
    'www',
    'www.www',
    'bücher',
    'STRASSE',
    'straße',
    'кофе',
    'コーヒー',
    'xn--bcher-kva',
    'ｓｈｏｐ',
    'null',
    'none',
    '1-000',
  ),
)
const host = fc
  .tuple(fc.constantFrom('', 'https://', 'www.', 'https://www.www.'), label, fc.stringMatching(/^[a-z]{4,8}$/), suffix)
  .map(([front, first, second, end]) => `${front}${first}.${second}${end}`)
const moment = fc
  .date({ min: new Date('1990-01-01'), max: new Date('2040-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString())

const store = fc.record(
  {
    domain: host,
    name: orNull(text),
    aliases: orNull(fc.array(host, { maxLength: 4 })),
    category: orNull(fc.constantFrom('home_garden', 'food_beverages_tobacco')),
    country: orNull(fc.constantFrom('DE', 'GB', 'NO', 'JP')),
    traffic_tier: orNull(fc.constantFrom('under_1k', '10k_50k')),
    platform_plus: orNull(fc.boolean()),
    lead_fit_score: orNull(
      fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constantFrom(1.234, 12, 71.5, -0.125, 1e21)),
    ),
    store_created_at: orNull(
      fc.record(
        {
          estimate: orNull(moment),
          resolution: orNull(fc.constantFrom('exact', 'month', 'year')),
          confidence: orNull(fc.constantFrom('high', 'low')),
        },
        { requiredKeys: [] },
      ),
    ),
    first_discovered_at: orNull(moment),
    active_ads: orNull(fc.oneof(fc.nat(), fc.constantFrom(0, 1000))),
    technologies: orNull(
      fc.record(
        {
          apps: orNull(
            fc.array(fc.constantFrom('klaviyo', 'loox', 'yotpo', 'none', 'a.b-c', '-', '1.000', 'null'), {
              maxLength: 4,
            }),
          ),
          pixels: orNull(fc.constantFrom([], ['meta_pixel'])),
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

const local = fc.oneof(
  fc.stringMatching(/^[a-z0-9]{1,10}$/),
  fc.constantFrom('Kate.Moss', 'k+news', "o'neil", 'jörg', 'none', '=x', '-x', '{a}', 'a_b', '"a"', 'INFO'),
)
const phone = fc.constantFrom(
  ...[
    '+4930123456',
    '+49 30 123456',
    '030 123456',
    '(0)30 123-456',
    '+4930123456 x12',
    '+49 30 123456 ext. 7',
    '1-800-FLOWERS',
    '0049 30 123457',
  ],
  ...[
    '+12025550143',
    '+44 20 7946 0123',
    '491602229999',
    '123456',
    '+81-3-1234-5678',
    'tel:+4930123458',
    '+1 (202) 555-0144',
  ],
)
const contact = (domains: readonly string[]) =>
  fc.record(
    {
      store_domain: fc.constantFrom(...domains),
      external_id: orNull(fc.oneof(text, fc.uuid())),
      first_name: orNull(text),
      last_name: orNull(text),
      full_name: orNull(text),
      title: orNull(text),
      role: orNull(fc.constantFrom('founder', 'marketing', 'none', 'wick-trimmer')),
      seniority: orNull(fc.constantFrom('executive', 'decision_maker', 'other')),
      profile_url: orNull(
        fc.constantFrom('https://people.example/mara?x=1,2', 'http://people.example/a|b', 'HTTPS://People.example/=x'),
      ),
      emails: orNull(
        fc.array(
          fc.record(
            {
              email: fc
                .tuple(local, fc.constantFrom('shop.example', 'Bücher.example', 'x.co.uk'))
                .map((parts) => parts.join('@')),
              status: orNull(fc.constantFrom('verified', 'guessed', 'unknown')),
              type: orNull(fc.constantFrom('work', 'role')),
              is_primary: orNull(fc.boolean()),
            },
            { requiredKeys: ['email'] },
          ),
          { maxLength: 4 },
        ),
      ),
      phones: orNull(
        fc.array(fc.record({ phone, type: orNull(fc.constantFrom('mobile', 'office')) }, { requiredKeys: ['phone'] }), {
          maxLength: 3,
        }),
      ),
    },
    { requiredKeys: ['store_domain'] },
  )

const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
const imports = { stores: importStores, contacts: importContacts }
let files = 0

async function exportFrom(
  { db, context, folder }: TestCatalogue,
  kind: 'stores' | 'contacts',
  format: (typeof formats)[number],
) {
  const file = `${folder}/${kind}-${files++}.${format}`
  await exportRecords({ db, seals: context.seals, clock: context.clock }, { kind, file, format, stdout: nowhere })
  return file
}

const linesOf = async (file: string) => (await readFile(file, 'utf8')).split('\n')

/** Copies the catalogue by files of both formats; each copy has the same records. Returns how many there are. */
async function expectCopies(): Promise<number> {
  let records = 0
  for (const kind of ['stores', 'contacts'] as const) {
    const expected = await linesOf(await exportFrom(source, kind, 'ndjson'))
    records += expected.length - 1
    for (const format of formats) {
      const copy = copies[format]
      const file = await exportFrom(source, kind, format)
      const { rejected, problems } = await imports[kind](copy.context, { file, extendTaxonomy: true })
      expect({ kind, format, rejected, problems }).toEqual({ kind, format, rejected: 0, problems: [] })
      const found = await linesOf(await exportFrom(copy, kind, 'ndjson'))
      for (const [index, line] of expected.entries()) expect(found[index], format).toBe(line)
      expect(found.length).toBe(expected.length)
    }
  }
  return records
}

const storesAtOnce = 450
const contactsAtOnce = 350
const runs = proofRuns(20, 2)

test('whatever was imported, an export of it imports as the same records, as NDJSON, CSV and workbook', async () => {
  let records = 0
  await fc.assert(
    fc.asyncProperty(fc.nat(), async (seed) => {
      for (const { db } of [source, ...Object.values(copies)])
        await db.query('truncate stores, store_domains, contacts, store_changes')
      await source.importStores(fc.sample(store, { seed, numRuns: storesAtOnce }), { extendTaxonomy: true })
      const hosts = (await source.rows()).flatMap(({ document, aliases }) => [document.domain, ...aliases])
      for (const host of hosts) expect(normalizeDomain(host)).toBe(host)
      await source.importContacts(fc.sample(contact(hosts), { seed, numRuns: contactsAtOnce }), {
        extendTaxonomy: true,
      })
      records += await expectCopies()
    }),
    { numRuns: runs, endOnFailure: true },
  )
  // Those that are none were left out, such as a name of blanks.
  expect(records).toBeGreaterThan(runs * 500)
})
