import { type TestBook, type TestRow, writeBook } from '@storedex/testkit/workbooks'
import { Random } from '../../catalogue/build/random.ts'
import { BlockWriter } from './block-writer.ts'
import { type Dialect, encodeText, joinCells } from './dialect.ts'
import { contactColumns, ignoredContactColumn } from './faults/contact-columns.ts'
import { ignoredStoreColumn, storeColumns } from './faults/store-columns.ts'
import { type ContactsStore, cleanContacts } from './records/clean-contacts.ts'
import { cleanStores } from './records/clean-stores.ts'
import { nameFields } from './records/people.ts'
import { drawEmptyRow, drawRow, headerOf, type MessyRow, type RowContext, type Sheet } from './records/rows.ts'
import type { LineTruth, MessyFile } from './truth.ts'

export const storeSheet: Sheet = { columns: storeColumns, ignored: ignoredStoreColumn, nameField: 'name' }
export const contactSheet: Sheet = { columns: contactColumns, ignored: ignoredContactColumn, nameField: 'last_name' }

export interface Sizes {
  stores: number
  contacts: number
  seed: number
}

const duplicates = 0.01
/** How far a repeated row can be from the first one: further than a chunk of the import. */
const duplicateDistance = 5_000

/** The rows of one record: usually one, sometimes repeated with other faults. */
function drawRows(sheet: Sheet, values: MessyRow['truth']['values'], context: RowContext): MessyRow[] {
  const isRepeated = context.random.chance(duplicates)
  const settled = { ...context, canBeOpen: context.canBeOpen && !isRepeated }
  const rows = [drawRow(sheet, values, settled)]
  if (!isRepeated) return rows
  const again = drawRow(sheet, values, settled)
  again.truth.faults.push('row: the record again')
  return [...rows, again]
}

/** The rows of each store. Drawn again for the contacts, whose meaning depends on them. */
function* drawStores({ stores, seed }: Sizes, dialect: Dialect): Generator<MessyRow[]> {
  const random = new Random(seed + 1)
  for (const values of cleanStores(stores, seed, dialect))
    yield drawRows(storeSheet, values, { random, dialect, canBeOpen: true, keyFields: ['domain'] })
}

function* drawContacts(sizes: Sizes, dialect: Dialect): Generator<MessyRow[]> {
  const random = new Random(sizes.seed + 2)
  const stores = contactsStores(sizes, dialect)
  // A little more than asked for, since the contacts of a store are random.
  const perStore = (sizes.contacts / sizes.stores) * 1.1
  let left = sizes.contacts
  for (const { values, store, sharesAddress } of cleanContacts(stores, perStore, sizes.seed + 3, dialect)) {
    if (left-- === 0) return
    const keyFields = 'external_id' in values ? [] : ['emails.0.email', 'first_name', 'last_name', 'full_name', 'title']
    const { country, aliases } = store
    const settledFields = sharesAddress ? nameFields : []
    const context = { random, dialect, country, aliases, canBeOpen: true, keyFields, settledFields }
    const rows = drawRows(contactSheet, values, context).map(withoutIdentity)
    yield store.rejected ? rows.map(withoutStore) : rows
  }
}

/** The contact of a store that was rejected: refused when it is written, after its values were read. */
function withoutStore(row: MessyRow): MessyRow {
  const { told, mayBeTold, rejected, faults, ...truth } = row.truth
  if (rejected === 'yes') return row
  const doubtful = [...mayBeTold, ...told]
  const isCertain = rejected === 'no'
  return {
    ...row,
    truth: {
      ...truth,
      rejected: 'yes',
      faults: [...faults, 'row: a store that was rejected'],
      told: isCertain ? ['store_domain'] : [],
      mayBeTold: isCertain ? doubtful : [...doubtful, 'store_domain'],
    },
  }
}

const identities = ['external_id', 'emails.0.email', 'emails.1.email', 'first_name', 'last_name', 'full_name']

/** A contact of which nothing is left that it could be found by. */
function withoutIdentity(row: MessyRow): MessyRow {
  const { values, rejected } = row.truth
  if (rejected === 'yes' || identities.some((field) => typeof values[field] === 'string')) return row
  return { ...row, truth: { ...row.truth, rejected: 'yes', faults: [...row.truth.faults, 'row: nobody'] } }
}

/** What is in the catalogue once the stores are imported. A store that may or may not be there gets no contacts. */
function* contactsStores(sizes: Sizes, dialect: Dialect): Generator<ContactsStore> {
  for (const rows of drawStores(sizes, dialect)) {
    const truths = rows.map(({ truth }) => truth)
    if (truths.some(({ rejected }) => rejected === 'maybe')) continue
    const accepted = truths.filter(({ rejected }) => rejected === 'no')
    const last = (field: string) => accepted.findLast(({ values }) => field in values)?.values[field] ?? null
    const isOpen = accepted.some(({ optional }) => optional.includes('country'))
    yield {
      domain: truths[0]!.meant!.domain as string,
      country: isOpen ? undefined : (last('country') as string | null),
      aliases: (last('aliases') as string[] | null) ?? [],
      rejected: accepted.length === 0,
    }
  }
}

export function writeMessyStores(file: string, sizes: Sizes, dialect: Dialect): Promise<MessyFile> {
  return writeMessyFile(file, storeSheet, () => drawStores(sizes, dialect), sizes.seed, dialect)
}

export function writeMessyContacts(file: string, sizes: Sizes, dialect: Dialect): Promise<MessyFile> {
  return writeMessyFile(file, contactSheet, () => drawContacts(sizes, dialect), sizes.seed, dialect)
}

/** Writes a file and, beside it, what each of its lines means. */
async function writeMessyFile(
  file: string,
  sheet: Sheet,
  records: () => Iterable<MessyRow[]>,
  seed: number,
  dialect: Dialect,
): Promise<MessyFile> {
  const truthFile = `${file}.truth.ndjson`
  const truths = new BlockWriter(truthFile)
  const csv = dialect.epoch === null ? new BlockWriter(file) : null
  const rows = () => inFileOrder(sheet, records(), seed, dialect)
  const encode = (text: string) => encodeText(`${text}${dialect.lineEnd}`, dialect)
  const mark = dialect.hasByteOrderMark ? '\ufeff' : ''
  await csv?.write(encode(`${mark}${joinCells(headerOf(sheet), dialect)}`))
  const result: MessyFile = { file, truthFile, rows: 0, faultless: 0, drawn: {} }
  let line = 2
  for (const { text, lines, truth } of rows()) {
    noteRow(result, truth)
    await csv?.write(encode(text))
    await truths.write(Buffer.from(`${JSON.stringify({ ...truth, line })}\n`))
    line += lines
  }
  await csv?.end()
  await truths.end()
  // A workbook takes rows without waiting in between, so they are drawn again.
  if (dialect.epoch !== null) await writeBook(file, bookOf(sheet, rows(), dialect.epoch, seed))
  return result
}

/** One sheet with a filter, a hidden column, and rows that the filter hides. */
function bookOf(sheet: Sheet, rows: Iterable<MessyRow>, epoch: 1900 | 1904, seed: number): TestBook {
  const header = headerOf(sheet)
  const random = new Random(seed + 5)
  function* sheetRows(): Generator<TestRow> {
    yield { cells: header }
    for (const { typed } of rows) yield { cells: typed, isHidden: random.chance(0.02) }
  }
  return { epoch, sheets: [{ rows: sheetRows(), hiddenColumns: [sheet.columns.length + 1], filter: 'A1:C1' }] }
}

function noteRow(result: MessyFile, { faults }: LineTruth): void {
  result.rows++
  if (faults.length === 0) result.faultless++
  for (const name of faults) result.drawn[name] = (result.drawn[name] ?? 0) + 1
}

/** Repeated rows come later, and rows without a record in between. */
function* inFileOrder(
  sheet: Sheet,
  records: Iterable<MessyRow[]>,
  seed: number,
  dialect: Dialect,
): Generator<MessyRow> {
  const random = new Random(seed + 4)
  const waiting: { at: number; row: MessyRow }[] = []
  const context = { random, dialect, canBeOpen: true, keyFields: [] }
  let at = 0
  for (const [row, again] of records) {
    at++
    yield row!
    if (again) waiting.push({ at: at + random.below(duplicateDistance), row: again })
    const due = waiting.findIndex((each) => each.at <= at)
    if (due !== -1) yield waiting.splice(due, 1)[0]!.row
    const empty = drawEmptyRow(sheet, row!.truth.meant!, context)
    if (empty) yield empty
  }
  for (const { row } of waiting) yield row
}
