import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readPlainSheet, readZip } from '@storedex/testkit/workbooks'
import { parse } from 'csv-parse/sync'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { importContacts } from '../../server/src/catalogue/imports/contacts/import-contacts.ts'
import { importStores } from '../../server/src/catalogue/imports/stores/import-stores.ts'
import { openTestCatalogue, type TestCatalogue } from '../../server/test/catalogue/imports/support/test-catalogue.ts'
import { decodeText, dialects, endingOf } from '../messy/dialect.ts'
import { contactFlags } from '../messy/faults/contact-columns.ts'
import { rowFaults } from '../messy/faults/row-faults.ts'
import { storeFlags } from '../messy/faults/store-columns.ts'
import { contactSheet, storeSheet, writeMessyContacts, writeMessyStores } from '../messy/generate.ts'
import { readTruth } from '../messy/judge/expected.ts'
import { Judge, type Kind } from '../messy/judge/judge.ts'
import { mendRejects, readRejects } from '../messy/judge/rejects.ts'
import { headerOf } from '../messy/records/rows.ts'
import { fieldGroup, type LineTruth, type MessyFile, type Values } from '../messy/truth.ts'

const sizes = { stores: 600, contacts: 900, seed: 1 }
const [agency] = dialects
const sheets = { stores: storeSheet, contacts: contactSheet }

let catalogue: TestCatalogue
beforeAll(async () => {
  catalogue = await openTestCatalogue()
})

beforeEach(async () => {
  await catalogue.db.query('truncate stores, store_domains, contacts')
})

async function writeFiles(dialect = agency!, seed = 1): Promise<Record<Kind, MessyFile>> {
  const path = (kind: Kind) => join(catalogue.folder, `${dialect.name}-${seed}-${kind}.${endingOf(dialect)}`)
  return {
    stores: await writeMessyStores(path('stores'), { ...sizes, seed }, dialect),
    contacts: await writeMessyContacts(path('contacts'), { ...sizes, seed }, dialect),
  }
}

async function truthsOf({ truthFile }: MessyFile): Promise<LineTruth[]> {
  const truths: LineTruth[] = []
  await readTruth(truthFile, (truth) => truths.push(truth))
  return truths
}

/** The record whose fields have these values. */
function unflatten(values: Values): object {
  const record: Values = {}
  for (const [field, value] of Object.entries(values)) {
    const steps = field.split('.')
    const last = steps.pop()!
    // biome-ignore lint/suspicious/noExplicitAny: walks plain JSON
    const parent = steps.reduce<any>((node, step) => (node[step] ??= {}), record)
    parent[last] = value
  }
  for (const list of ['emails', 'phones']) if (record[list]) record[list] = Object.values(record[list] as object)
  return record
}

test('the same seed writes the same files, and another seed others', async () => {
  const hashOf = ({ file, truthFile }: MessyFile) =>
    [file, truthFile].map((path) => createHash('sha256').update(readFileSync(path)).digest('hex'))
  const first = await writeFiles()
  const hashes = [hashOf(first.stores), hashOf(first.contacts)]
  const again = await writeFiles()
  expect([hashOf(again.stores), hashOf(again.contacts)]).toEqual(hashes)
  const other = await writeFiles(agency, 2)
  expect(hashOf(other.stores)[0]).not.toBe(hashes[0]![0])
})

test('every fault of the tables is planted in some file, unless it is very rare', async () => {
  const drawn = new Set<string>()
  for (const dialect of dialects) {
    const large = { stores: 4_000, contacts: 6_000, seed: 3 }
    const path = (kind: Kind) => join(catalogue.folder, `large-${dialect.name}-${kind}.${endingOf(dialect)}`)
    const stores = await writeMessyStores(path('stores'), large, dialect)
    const contacts = await writeMessyContacts(path('contacts'), large, dialect)
    // By its name alone: not every fault of names can happen to every name.
    for (const file of [stores, contacts])
      for (const name of Object.keys(file.drawn)) drawn.add(name.slice(name.indexOf(': ') + 2))
  }
  const faults = Object.values(sheets).flatMap(({ columns }) => columns.flatMap(({ faults }) => faults))
  const missing = [...faults, ...rowFaults].filter(({ name, probability }) => probability > 0.001 && !drawn.has(name))
  expect(missing.map(({ name }) => name)).toEqual([])
})

test('people who share an address are told apart by their names, and an address goes with an unknown status', async () => {
  const { contacts } = await writeFiles()
  const truths = (await truthsOf(contacts)).filter(({ rejected }) => rejected === 'no')
  const addresses = new Map<string, Set<unknown>>()
  for (const { values } of truths) {
    if ('external_id' in values || !('emails.0.email' in values)) continue
    const address = String(values['emails.0.email'])
    addresses.set(address, (addresses.get(address) ?? new Set()).add(values.last_name))
  }
  expect([...addresses.values()].filter((names) => names.size > 1).length).toBeGreaterThan(0)
  const unknown = truths.filter(({ faults }) => faults.includes('emails.0.status: unknown word'))
  expect(unknown.length).toBeGreaterThan(0)
  for (const { values, told } of unknown)
    if (told.includes('emails.0.status')) expect(values).not.toHaveProperty(['emails.0.email'])
})

const textDialects = dialects.filter(({ epoch }) => epoch === null)

test.each(textDialects)('in $name, the truth says at which line each row begins', async (dialect) => {
  const files = await writeFiles(dialect)
  for (const kind of ['stores', 'contacts'] as const) {
    const bytes = readFileSync(files[kind].file)
    // Bytes that are no UTF-8 would stop a strict decoder.
    const text = dialect.encoding === 'utf-8' ? bytes.toString() : decodeText(bytes, dialect.encoding)
    const lines = text.split(/\r\n|\n|\r/)
    const columns = headerOf(sheets[kind]).length
    const truths = await truthsOf(files[kind])
    expect(truths).toHaveLength(files[kind].rows)
    for (const [index, { line, faults }] of truths.entries()) {
      if (faults.some((fault) => fault.startsWith('row:'))) continue
      const row = lines.slice(line - 1, (truths[index + 1]?.line ?? lines.length) - 1).join('\n')
      const [cells, ...more] = parse(row, { delimiter: dialect.delimiter }) as string[][]
      expect([cells?.length, more.length], `${kind}, line ${line}: ${row}`).toEqual([columns, 0])
    }
  }
})

test('a catalogue as the truth has it passes the judge, and one wrong or missing value is found', async () => {
  const files = await writeFiles()
  const truths = { stores: await truthsOf(files.stores), contacts: await truthsOf(files.contacts) }
  const taken = (kind: Kind) => truths[kind].filter(({ rejected, meant }) => meant && rejected !== 'yes')
  const imported = {
    stores: await catalogue.importStores(taken('stores').map(({ values }) => unflatten(values))),
    contacts: await catalogue.importContacts(taken('contacts').map(({ values }) => unflatten(values))),
  }
  expect([imported.stores.rejected, imported.contacts.rejected]).toEqual([0, 0])

  const judge = async (kind: Kind) => {
    const rejected = truths[kind].filter((truth) => !taken(kind).includes(truth) && truth.meant)
    const header = [...headerOf(sheets[kind]), '_line', '_reasons']
    const rows = [header, ...rejected.map(({ line }) => header.map((name) => (name === '_line' ? String(line) : '')))]
    const file = await catalogue.write(`${kind}.rejects.csv`, rows.map((cells) => cells.join(',')).join('\n'))
    const rejects = readRejects(file, agency!)
    const problems = truths[kind].flatMap(({ line, told }) =>
      told.map((field) => ({ field, reason: '', count: 1, line, value: null, hint: null })),
    )
    const verdict = await new Judge(kind, sheets[kind], files[kind]).judge(
      { db: catalogue.db, seals: catalogue.context.seals },
      rejects,
      problems,
    )
    return { verdict, problems }
  }
  for (const kind of ['stores', 'contacts'] as const) {
    const { verdict } = await judge(kind)
    expect(verdict.comparison).toMatchObject({ wrong: [], lost: [] })
    expect(verdict).toMatchObject({ wronglyRejected: [], reportDeviations: [], wrongExamples: [] })
  }

  await catalogue.db.query(
    `update stores set document = replace(document, '"country":"DE"', '"country":"DK"')
     where id = (select min(id) from stores where document like '%"country":"DE"%')`,
  )
  await catalogue.db.query('delete from contacts where store_id = (select max(store_id) from contacts)')
  const { comparison } = (await judge('stores')).verdict
  expect(comparison.wrong).toMatchObject([{ field: 'country', got: 'DK', expected: 'DE' }])
  expect((await judge('contacts')).verdict.comparison.lost.length).toBeGreaterThan(0)
})

/** The options of an import from the flags of the command. */
function optionsOf(flags: readonly string[]) {
  const map: Record<string, string> = {}
  for (const [index, flag] of flags.entries()) {
    if (flag !== '--map') continue
    const [column, field] = flags[index + 1]!.split('=') as [string, string]
    map[column] = field
  }
  return { map, ...(flags.includes('dmy') ? { dates: 'dmy' as const } : {}) }
}

test.each(dialects)(
  'messy files in $name go in as their truth says, and so do their mended rejects',
  async (dialect) => {
    await catalogue.db.query('truncate stores, store_domains, contacts')
    const files = await writeFiles(dialect, 5)
    const flags = { stores: storeFlags, contacts: contactFlags }
    const importers = { stores: importStores, contacts: importContacts }
    const installation = { db: catalogue.db, seals: catalogue.context.seals }
    const importFile = (kind: Kind, file: string, onBadValue: 'drop' | 'reject') => {
      const options = optionsOf([...flags[kind], ...dialect.flags])
      return importers[kind](catalogue.context, { file, extendTaxonomy: false, onBadValue, ...options })
    }
    const kinds = ['stores', 'contacts'] as const
    const judges = kinds.map((kind) => new Judge(kind, sheets[kind], files[kind]))
    const rejects = []
    for (const judge of judges) {
      const { problems, rejects_file } = await importFile(judge.kind, files[judge.kind].file, 'drop')
      const rejected = readRejects(rejects_file!, dialect)
      rejects.push(rejected)
      const verdict = await judge.judge(installation, rejected, problems)
      expect(verdict.comparison).toMatchObject({ wrong: [], lost: [] })
      expect(verdict).toMatchObject({ wronglyRejected: [], wronglyTaken: [], reportDeviations: [], wrongExamples: [] })
    }
    for (const [index, judge] of judges.entries()) {
      const mended = join(catalogue.folder, `${judge.kind}.mended.${endingOf(dialect)}`)
      const rows = mendRejects(mended, rejects[index]!, judge.sheet, judge.rejectedTruths)
      expect(rows).toBeGreaterThan(0)
      expect(await importFile(judge.kind, mended, 'reject')).toMatchObject({ read: rows, rejected: 0 })
    }
    for (const judge of judges) expect(await judge.judgeMended(installation)).toMatchObject({ wrong: [], lost: [] })
  },
)

test('a workbook has numbers, days of its epoch, booleans and errors as such, and texts for the rest', async () => {
  const [first, second] = dialects.filter(({ epoch }) => epoch !== null)
  const sheetOf = async (dialect: typeof first) => {
    const { file } = (await writeFiles(dialect)).stores
    return readZip(readFileSync(file)).get('xl/worksheets/sheet1.xml')!.toString()
  }
  const cells = await sheetOf(first!)
  for (const cell of [/<c r="\w+" t="b">/, /<c r="\w+" t="e">/, /<c r="\w+" t="inlineStr">/, /<c r="\w+" t="str"><f>/])
    expect(cells).toMatch(cell)
  // The same days, 1,462 apart.
  const serials = (xml: string) =>
    Array.from(xml.matchAll(/<v>(4\d{4}|3[89]\d{3})<\/v>/g), ([, serial]) => Number(serial))
  expect(serials(cells)).toContain(serials(await sheetOf(second!))[0]! + 1_462)
  const rows = readPlainSheet(readFileSync((await writeFiles(first)).stores.file))
  expect(rows[0]).toEqual(headerOf(storeSheet))
})

test('a report that counts fewer faults than the file has is found', async () => {
  const { stores } = await writeFiles()
  const judge = new Judge('stores', storeSheet, stores)
  const { reportDeviations } = await judge.judge({ db: catalogue.db, seals: catalogue.context.seals }, null, [])
  const told = (await truthsOf(stores)).flatMap(({ told }) => told.map(fieldGroup))
  expect(reportDeviations.map(({ field }) => field).sort()).toEqual([...new Set(told)].sort())
})

test('the mender writes what each rejected line means, and leaves out lines of totals', async () => {
  const header = [...headerOf(storeSheet), '_line', '_reasons']
  const row = (line: number) =>
    header.map((name) => (name === '_line' ? line : name === 'Website' ? 'n/a' : '')).join(',')
  const file = await catalogue.write('some.rejects.csv', [header.join(','), row(2), row(3)].join('\n'))
  const truthOf = (line: number, meant: Values | null): LineTruth => ({
    line,
    rejected: 'yes',
    faults: [],
    values: {},
    optional: [],
    told: [],
    mayBeTold: [],
    meant,
  })
  const truths = new Map([
    [2, truthOf(2, { domain: 'oak.example', name: 'Oak, "Iron"' })],
    [3, truthOf(3, null)],
  ])
  const mended = join(catalogue.folder, 'some.mended.csv')
  expect(mendRejects(mended, readRejects(file, agency!), storeSheet, truths)).toBe(1)
  expect(parse(readFileSync(mended), { columns: true })).toMatchObject([
    { Website: 'oak.example', Company: 'Oak, "Iron"', _line: '2' },
  ])
})
