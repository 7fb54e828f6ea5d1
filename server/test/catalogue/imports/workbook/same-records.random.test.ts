import { bookCell, buildBook, type TestBook, type TestCell } from '@storedex/testkit/workbooks'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { proofRuns } from '../../../../../bin/tests/proof-runs.ts'
import { importContacts } from '../../../../src/catalogue/imports/contacts/import-contacts.ts'
import type { ImportResult } from '../../../../src/catalogue/imports/records/import-file.ts'
import { importStores } from '../../../../src/catalogue/imports/stores/import-stores.ts'
import { readStoredPeople } from '../support/stored-people.ts'
import { comparableContent, openTestCatalogue, type TestCatalogue } from '../support/test-catalogue.ts'

let catalogue: TestCatalogue
beforeAll(async () => {
  catalogue = await openTestCatalogue()
})

/** A cell of a workbook, and the text by which CSV says the same. */
interface Twin {
  cell: TestCell
  text: string
}

const nothing: Twin = { cell: null, text: '' }
const orNothing = (values: fc.Arbitrary<Twin>) => fc.oneof({ weight: 4, arbitrary: values }, fc.constant(nothing))

/** A text in each of the ways that a workbook has for it. */
const textOf = (texts: fc.Arbitrary<string>): fc.Arbitrary<Twin> =>
  fc.tuple(texts, fc.constantFrom('shared', 'inline', 'rich', 'spoken', 'formula')).map(([text, way]) => {
    const half = Math.floor(text.length / 2)
    const runs = [text.slice(0, half), text.slice(half)]
    if (way === 'inline') return { cell: bookCell.inline(text), text }
    if (way === 'rich') return { cell: bookCell.shared({ runs }), text }
    if (way === 'spoken') return { cell: bookCell.shared({ runs, phonetic: 'カフェ' }), text }
    return { cell: way === 'formula' ? bookCell.formula('A1&B1', text) : bookCell.shared(text), text }
  })

const name = fc.constantFrom(
  'Oak & Iron',
  'Zoë <3',
  '王 商店',
  '"quoted", a;b|c',
  "It's 5 o'clock",
  'a  b',
  '_x0041_ Ltd',
  '🕯 Kerzen',
)

const decimal = fc.oneof(
  fc.integer({ min: -1_000_000, max: 1_000_000_000 }).map((number) => number / 1_000),
  fc.integer({ min: 0, max: 999_999 }),
  fc.constantFrom(0, 71.3, 0.1, 1e-7, 123_456_789.125, 1.234),
)
const plain = (number: number) => (Math.abs(number) < 1e-6 && number !== 0 ? number.toFixed(7) : String(number))

const numberTwin: fc.Arbitrary<Twin> = fc
  .tuple(decimal, fc.constantFrom(0, '#,##0.00', '0.0 "points"', '[Red]0.00;[Blue]-0.00', 'formula', 'binary'))
  .map(([number, format]) => {
    if (format === 'formula') return { cell: bookCell.formula('B2*2', number), text: plain(number) }
    // As Excel stores 71.3: the nearest binary number, in 17 digits.
    const stored = format === 'binary' ? number.toPrecision(17) : String(number)
    return { cell: bookCell.number(stored, format === 'binary' ? 0 : format), text: plain(number) }
  })
const percentTwin: fc.Arbitrary<Twin> = fc
  .integer({ min: 0, max: 100_000 })
  .map((tenths) => ({ cell: bookCell.number(String(tenths / 1_000), '0.0%'), text: String(tenths / 10) }))
const countTwin: fc.Arbitrary<Twin> = fc
  .tuple(fc.integer({ min: 0, max: 2_000_000 }), fc.constantFrom(0, 3, '#,##0', '0'))
  .map(([count, format]) => ({ cell: bookCell.number(count, format), text: String(count) }))

const day = fc
  .integer({ min: Date.UTC(1905, 0, 1), max: Date.UTC(2099, 11, 31) })
  .map((time) => new Date(time).toISOString().slice(0, 19))
const dateTwin: fc.Arbitrary<Twin> = fc
  .tuple(day, fc.constantFrom('day', 'moment', 'iso', 'text', 'month', 'year'))
  .chain(([moment, way]) => {
    const date = moment.slice(0, 10)
    const dayFormat = fc.constantFrom(14, 15, 'yyyy\\-mm\\-dd', 'd. mmmm yyyy', '[$-407]dd/mm/yyyy;@', 'ddd d mmm yy')
    if (way === 'day') return dayFormat.map((format) => ({ cell: bookCell.date(date, format), text: date }))
    if (way === 'moment')
      return fc
        .constantFrom(22, 'yyyy-mm-dd hh:mm:ss', 'm/d/yy h:mm AM/PM')
        .map((format) => ({ cell: bookCell.date(moment, format), text: moment }))
    if (way === 'month') return fc.constant({ cell: bookCell.date(date, 'mmm yyyy'), text: date.slice(0, 7) })
    if (way === 'year') return fc.constant({ cell: bookCell.date(date, 'yyyy'), text: date.slice(0, 4) })
    return fc.constant({ cell: way === 'iso' ? bookCell.isoDate(date) : date, text: date })
  })

const booleanTwin: fc.Arbitrary<Twin> = fc
  .boolean()
  .chain((value) =>
    fc.constantFrom<Twin>({ cell: value, text: String(value) }, { cell: String(value), text: String(value) }),
  )
const errorTwin: fc.Arbitrary<Twin> = fc
  .constantFrom('#N/A', '#REF!', '#VALUE!')
  .map((error) => ({ cell: bookCell.error(error), text: error }))

const storeColumns: Record<string, fc.Arbitrary<Twin>> = {
  domain: textOf(fc.constantFrom('a.example', 'b.example', 'https://www.c.example/', 'no host')),
  name: orNothing(fc.oneof(textOf(name), countTwin, errorTwin)),
  country: orNothing(textOf(fc.constantFrom('DE', 'Germany', 'usa', 'Atlantis'))),
  lead_fit_score: orNothing(fc.oneof(numberTwin, percentTwin, textOf(fc.constantFrom('71.5', '1,234.5', 'high')))),
  first_discovered_at: orNothing(dateTwin),
  'store_created_at.estimate': orNothing(dateTwin),
  active_ads: orNothing(fc.oneof(countTwin, numberTwin)),
  platform_plus: orNothing(booleanTwin),
}

const padded: fc.Arbitrary<Twin> = fc
  .integer({ min: 1, max: 99_999 })
  .map((id) => ({ cell: bookCell.number(id, '00000'), text: String(id).padStart(5, '0') }))
const longId: fc.Arbitrary<Twin> = fc
  .integer({ min: 100_000_000_000_000, max: 999_999_999_999_999 })
  .map((id) => ({ cell: bookCell.number(id), text: String(id) }))
const phone: fc.Arbitrary<Twin> = fc.constantFrom<Twin>(
  { cell: '+49 30 23125100', text: '+49 30 23125100' },
  { cell: bookCell.number(493_023_125_100), text: '493023125100' },
  { cell: bookCell.number(3_023_125_100, '0\\ 000\\ 0000000'), text: '0 302 3125100' },
)

const contactColumns: Record<string, fc.Arbitrary<Twin>> = {
  store_domain: textOf(fc.constantFrom('de.example', 'us.example', 'nobody.example')),
  external_id: fc.oneof(padded, longId),
  full_name: orNothing(textOf(name)),
  'phones.0.phone': orNothing(phone),
  'emails.0.email': orNothing(textOf(fc.constantFrom('a@x.example', 'b@x.example'))),
}

const shape: fc.Arbitrary<Omit<TestBook, 'sheets'> & { refs: 'all' | 'rows' | 'none' }> = fc.record({
  epoch: fc.constantFrom(1900, 1904),
  refs: fc.constantFrom('all', 'rows', 'none'),
  isStrict: fc.boolean(),
  isStored: fc.boolean(),
  plainTexts: fc.constantFrom('shared', 'inline'),
  hasMacros: fc.boolean(),
})
const sheet = (columns: Record<string, fc.Arbitrary<Twin>>) =>
  fc.tuple(
    fc.array(fc.record(columns), { minLength: 1, maxLength: 8 }),
    shape,
    fc.option(fc.constantFrom('x', 'ss'), { nil: undefined }),
  )

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`

async function writeBoth(
  columns: Record<string, unknown>,
  [rows, { refs, ...book }, prefix]: [
    Record<string, Twin>[],
    Omit<TestBook, 'sheets'> & { refs: 'all' | 'rows' | 'none' },
    string | undefined,
  ],
): Promise<{ csv: string; workbook: string }> {
  const names = Object.keys(columns)
  const lines = rows.map((row) => names.map((column) => quoted(row[column]!.text)).join())
  const cells = rows.map((row) => names.map((column) => row[column]!.cell))
  const content = buildBook({ ...book, ...(prefix && { prefix }), sheets: [{ rows: [names, ...cells], refs }] })
  return {
    csv: await catalogue.write('twin.csv', `${[names.join(), ...lines].join('\r\n')}\r\n`),
    workbook: await catalogue.write('twin.xlsx', content),
  }
}

/** What an import says, but for how long it took and what the file was. */
const reportOf = ({ read, inserted, updated, unchanged, rejected, problems }: ImportResult) => ({
  ...{ read, inserted, updated, unchanged, rejected },
  problems: problems.map(({ field, reason, count, line }) => ({ field, reason, count, line })),
})

test('the same rows as CSV and as a workbook of either epoch give the same stores, value for value', async () => {
  await fc.assert(
    fc.asyncProperty(sheet(storeColumns), async (book) => {
      const files = await writeBoth(storeColumns, book)
      const importOf = async (file: string) => {
        await catalogue.db.query('truncate stores, store_domains')
        const result = await importStores(catalogue.context, {
          file,
          extendTaxonomy: false,
          decimal: 'dot',
          onBadValue: 'drop',
        })
        return { report: reportOf(result), stored: await comparableContent(catalogue.db) }
      }
      expect(await importOf(files.workbook)).toEqual(await importOf(files.csv))
    }),
    { numRuns: proofRuns(60) },
  )
})

test('the same rows as CSV and as a workbook give the same contacts, with every digit of phones and ids', async () => {
  await fc.assert(
    fc.asyncProperty(sheet(contactColumns), async (book) => {
      const files = await writeBoth(contactColumns, book)
      const importOf = async (file: string) => {
        await catalogue.db.query('truncate stores, store_domains, contacts')
        await catalogue.importStores([
          { domain: 'de.example', country: 'DE' },
          { domain: 'us.example', country: 'US' },
        ])
        const result = await importContacts(catalogue.context, { file, extendTaxonomy: false, onBadValue: 'drop' })
        const people = await readStoredPeople(catalogue)
        return { report: reportOf(result), stored: people.map(({ domain, facts }) => ({ domain, facts })) }
      }
      expect(await importOf(files.workbook)).toEqual(await importOf(files.csv))
    }),
    { numRuns: proofRuns(40) },
  )
})
