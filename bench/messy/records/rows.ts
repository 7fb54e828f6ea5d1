import type { TestCell } from '@storedex/testkit/workbooks'
import type { Random } from '../../../catalogue/build/random.ts'
import { countLines, type Dialect, joinCells } from '../dialect.ts'
import { type Column, type Must, writeCell } from '../faults/fault.ts'
import { type RowFault, rowFaultsOf } from '../faults/row-faults.ts'
import { nothing } from '../faults/text.ts'
import type { LineTruth, Values } from '../truth.ts'
import { type DrawnCell, typedCell } from './typed-cells.ts'

/** A file's columns, and one more that is no field of a record. */
export interface Sheet {
  columns: readonly Column[]
  ignored: { header: string; cells: readonly string[] }
  /** The field whose text a fault of the whole row changes. */
  nameField: string
}

/** A row as it stands in the file, and its meaning; the line is set when it is written. */
export interface MessyRow {
  /** Empty in a workbook, and there alone are typed cells. */
  text: string
  typed: readonly TestCell[]
  lines: number
  truth: LineTruth
}

export interface RowContext {
  random: Random
  dialect: Dialect
  country?: string | null | undefined
  aliases?: readonly string[]
  /** Whether the specification may leave the meaning of the row open. */
  canBeOpen: boolean
  /** Fields whose meaning must be certain, because the record is found by them. */
  keyFields: readonly string[]
  /** Fields that must be readable as well: they alone tell the record from others. */
  settledFields?: readonly string[]
}

/** The last column has no name and nothing in it, as a comma too many leaves it. */
export function headerOf({ columns, ignored }: Sheet): string[] {
  return [...columns.map(({ header }) => header), ignored.header, '']
}

/** How a person would write the row who knows what it means. */
export function cleanCells({ columns }: Sheet, values: Values, dialect: Dialect): string[] {
  return [...columns.map(({ field, write }) => (field in values ? write(values[field], dialect) : '')), '', '']
}

/** Some rows come from people who take care. */
const careful = 0.1

export function drawRow(sheet: Sheet, values: Values, context: RowContext): MessyRow {
  if (context.random.chance(careful)) {
    const cells = cleanCells(sheet, values, context.dialect)
    const drawn = cells.map((text, column) => ({ text, means: values[sheet.columns[column]?.field ?? ''] }))
    return rowOf(drawn, { values, meant: values }, context)
  }
  const faultyRow = drawRowFault(sheet, values, context)
  return faultyRow ?? drawCells(sheet, values, context)
}

function drawRowFault(sheet: Sheet, values: Values, context: RowContext): MessyRow | null {
  const { random, dialect, keyFields } = context
  const canBeOpen = context.canBeOpen && !keyFields.includes(sheet.nameField)
  const fault = rowFaultsOf(dialect).find(
    ({ probability, must }) => random.chance(probability) && (canBeOpen || must !== 'open'),
  )
  // Rows without a record are put in between, see `drawEmptyRow`.
  if (!fault || fault.must.endsWith('no record')) return null
  const header = headerOf(sheet)
  const nameColumn = sheet.columns.findIndex(({ field }) => field === sheet.nameField)
  const written = fault.write({ cells: cleanCells(sheet, values, dialect), header, dialect, random, nameColumn })
  if (!written) return null
  const meant = written.name === undefined ? values : { ...values, [sheet.nameField]: written.name }
  const isOpen = fault.must === 'open'
  const truth: Partial<LineTruth> = {
    rejected: isOpen ? 'maybe' : 'yes',
    faults: [`row: ${fault.name}`],
    values: meant,
    optional: isOpen ? [sheet.nameField] : [],
    mayBeTold: isOpen ? [sheet.nameField] : fault.movesCells ? sheet.columns.map(({ field }) => field) : [],
    meant,
  }
  return rowOf(written.row, truth, context)
}

/** A row that stands for no record, or null if none is drawn. */
export function drawEmptyRow(sheet: Sheet, values: Values, context: RowContext): MessyRow | null {
  const { random, dialect } = context
  const isDrawn = ({ probability, must }: RowFault) => must.endsWith('no record') && random.chance(probability)
  const fault = rowFaultsOf(dialect).find(isDrawn)
  if (!fault) return null
  const cells = cleanCells(sheet, values, dialect)
  const written = fault.write({ cells, header: headerOf(sheet), dialect, random, nameColumn: 1 })!
  const rejected = fault.must === 'no record' ? 'maybe' : 'yes'
  // All faults are told, of a header among the rows too.
  const mayBeTold = rejected === 'yes' ? sheet.columns.map(({ field }) => field) : []
  return rowOf(written.row, { rejected, faults: [`row: ${fault.name}`], mayBeTold, meant: null }, context)
}

/** Whether it is settled what becomes of the stored value when a record comes again. */
function isCertain(must: Must): boolean {
  return !mayBeOpen.has(must) && must !== 'drop the item' && must !== 'drop the channel'
}

const mayBeOpen = new Set<Must>(['clean or drop', 'missing or drop'])

function drawCells(sheet: Sheet, values: Values, context: RowContext): MessyRow {
  const { random, canBeOpen, keyFields, settledFields = [] } = context
  const channelsGone: string[] = []
  const truth = {
    rejected: 'no',
    faults: [],
    values: {},
    optional: [],
    told: [],
    mayBeTold: [],
    meant: values,
  } as Omit<LineTruth, 'line'>
  const forced: Record<string, { cell: string; value: unknown }> = {}
  const cells = sheet.columns.map((column): DrawnCell => {
    const { field } = column
    const given = forced[field]
    if (given) return { text: keep(truth, field, given.value, given.cell) }
    if (!(field in values)) return { text: drawMissing(column, values, truth, context) }
    const isChannel = /^(?:emails|phones)/.test(field)
    const allows = (must: Must) =>
      must === 'clean' ||
      (!settledFields.includes(field) &&
        (canBeOpen ? !mayBeOpen.has(must) || !keyFields.includes(field) : isCertain(must) && !isChannel))
    const written = writeCell(column, { ...context, value: values[field] }, allows)
    Object.assign(forced, written.also)
    if (written.fault !== null) noteFault(truth, field, written.fault, written.must)
    if (written.must === 'drop the channel') channelsGone.push(channelOf(field)!)
    const text = keep(truth, field, written.value, written.cell)
    return { text, means: written.must === 'clean' ? written.value : undefined }
  })
  settleLists(truth, sheet, channelsGone)
  const isQuoted = random.chance(0.05) ? () => true : (column: number) => column < 3 && random.chance(0.02)
  return rowOf([...cells, { text: random.pick(sheet.ignored.cells) }, { text: '' }], truth, context, isQuoted)
}

/** The address or number that a field of an item in a list qualifies. */
function channelOf(field: string): string | null {
  const [, list, index] = /^(email|phone)s\.(\d)\./.exec(field) ?? []
  return list ? `${list}s.${index}.${list}` : null
}

function keep(truth: Pick<LineTruth, 'values'>, field: string, value: unknown, cell: string): string {
  if (value !== undefined) truth.values[field] = value
  return cell
}

function noteFault(truth: Omit<LineTruth, 'line'>, field: string, name: string, must: Must): void {
  truth.faults.push(`${field}: ${name}`)
  if (must === 'reject') truth.rejected = 'yes'
  if (must === 'drop' || must.startsWith('drop the') || must === 'reject') truth.told.push(field)
  if (mayBeOpen.has(must)) truth.mayBeTold.push(field)
  if (must === 'clean or drop') truth.optional.push(field)
}

/** A cell without a value is empty, or says so in words; what qualifies an address that is not there says nothing. */
function drawMissing(
  { field, orphans }: Column,
  values: Values,
  truth: Omit<LineTruth, 'line'>,
  { random }: RowContext,
): string {
  const channel = channelOf(field)
  if (orphans && !(channel! in values) && random.chance(0.03)) {
    truth.faults.push(`${field}: without its channel`)
    return random.pick(orphans)
  }
  if (!random.chance(0.05)) return ''
  truth.faults.push(`${field}: word for nothing in an empty cell`)
  return random.pick(nothing)
}

/**
 * Of a list the bad item alone goes, with everything else that its columns say. What qualifies an address that is missing
 * says nothing, and nothing is told of it.
 */
function settleLists(truth: Omit<LineTruth, 'line'>, { columns }: Sheet, channelsGone: readonly string[]): void {
  for (const { field } of columns) {
    if (channelOf(field) !== field) continue
    const item = field.slice(0, field.lastIndexOf('.') + 1)
    const isGone = channelsGone.includes(field)
    if (field in truth.values && !isGone) continue
    const isQualifier = (name: string) => name.startsWith(item) && name !== field
    const wasThere = field in truth.values
    for (const name of Object.keys(truth.values)) if (name.startsWith(item)) delete truth.values[name]
    truth.optional = truth.optional.filter((name) => !name.startsWith(item))
    const mayStay = (name: string) => wasThere && name.endsWith('.status')
    const faulty = truth.told.filter((name) => isQualifier(name) && !mayStay(name))
    truth.told = truth.told.filter((name) => !faulty.includes(name))
    if (wasThere) truth.mayBeTold.push(field, ...faulty)
    else if (truth.told.includes(field) || truth.mayBeTold.includes(field)) truth.mayBeTold.push(...faulty)
    else truth.mayBeTold = truth.mayBeTold.filter((name) => !isQualifier(name))
  }
}

/** `row` is a text where only a CSV can be like that. */
function rowOf(
  row: string | readonly (DrawnCell | string)[],
  truth: Partial<LineTruth>,
  { dialect, random }: RowContext,
  isQuoted?: (column: number) => boolean,
): MessyRow {
  const nothingSaid = {
    line: 0,
    rejected: 'no' as const,
    faults: [],
    values: {},
    optional: [],
    told: [],
    mayBeTold: [],
    meant: null,
  }
  const whole = { ...nothingSaid, ...truth }
  if (typeof row === 'string') return { text: row, typed: [], lines: countLines(row), truth: whole }
  const cells = row.map((cell) => (typeof cell === 'string' ? { text: cell } : cell))
  if (dialect.epoch !== null)
    return { text: '', typed: cells.map((cell) => typedCell(cell, random)), lines: 1, truth: whole }
  const texts = cells.map(({ text }) => text)
  const text = joinCells(texts, dialect, isQuoted)
  return { text, typed: [], lines: countLines(text), truth: whole }
}
