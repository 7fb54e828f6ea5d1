import { cellKinds } from '@storedex/workbook/read'
import type { TObject, TSchema } from 'typebox'
import { CellFault } from '../cells/cell-fault.ts'
import { type CellOptions, readBoolean, readCellText, readChoice, splitCell, trimCell } from '../cells/clean-cell.ts'
import { readDate } from '../cells/dates.ts'
import { isExactCell, readExactCell } from '../cells/exact-cell.ts'
import { type NumberStyle, readNumber, readWholeNumber } from '../cells/numbers.ts'
import { badValue, type Fault, fault } from '../fields/faults.ts'
import { type CellKind, fieldSchema, itemSchema, type Shape, shapeOf } from '../fields/fields.ts'
import { isLostText, wronglyDecoded } from '../source/lost-text.ts'
import type { RowText } from './rows.ts'

/** Builds records from the cells of rows. */
export type RowReader = (
  cells: readonly string[],
  options: CellOptions,
  text: RowText,
  kinds?: Uint8Array | null,
) => CleanedRow

/** A record as far as its cells could be read, and the faults of the others. */
export interface CleanedRow {
  record: Record<string, unknown>
  faults: Fault[]
  /** Whether a phone was said exactly: then all of them are as they are to be stored. */
  keepsPhones: boolean
}

/** A tree in the shape of the record; its leaves are columns. */
type Node =
  | { kind: 'cell'; column: number; path: string; read: CellReader; isPhone: boolean }
  | {
      kind: 'object'
      path: string
      nullColumn: number | null
      fields: Map<string, Node>
      required: readonly string[]
      /** Paths of the fields without which a given value may not stay. */
      restricting: readonly string[]
    }
  | { kind: 'list'; path: string; nullColumn: number | null; items: Map<string, Node> }

/** Reads a trimmed cell; throws `CellFault`. */
type CellReader = (text: string, row: RowState, raw: string) => unknown

/**
 * Compiles columns into a reader: `a.b` is a field of an object, `a.0.b` a field of an object in a list, `|` separates
 * the items of a plain list, and `a` alone can only clear such an object or list. An empty cell is missing, `null` is
 * null. `fields` has the field of each column, or null for one that is ignored; the schema must have all of them.
 */
export function compileColumns(schema: TObject, fields: readonly (string | null)[]): RowReader {
  const root: Node = { kind: 'object', path: '', nullColumn: null, fields: new Map(), required: [], restricting: [] }
  // Not its name, which may be anybody's text: the header's problems name it.
  for (const [column, field] of fields.entries())
    if (field !== null && !addColumn(root, schema, field.split('.'), column))
      throw new Error(`column ${column + 1} is mapped to a field that the schema does not have`)
  return (cells, options, text, kinds = null) => {
    const row = new RowState(cells, options, text, kinds)
    const record = (readNode(root, row) as Record<string, unknown> | undefined) ?? {}
    return { record, faults: row.faults, keepsPhones: row.keepsPhones }
  }
}

class RowState {
  readonly faults: Fault[] = []
  readonly cells: readonly string[]
  readonly options: CellOptions
  keepsPhones = false
  readonly text: RowText
  readonly kinds: Uint8Array | null
  /** How numbers are written in the cell that is read. */
  numbers: NumberStyle
  /** The resolution of a date that has no day. */
  resolution: 'month' | 'year' | null = null

  constructor(cells: readonly string[], options: CellOptions, text: RowText, kinds: Uint8Array | null) {
    this.cells = cells
    this.options = options
    this.text = text
    this.kinds = kinds
    this.numbers = options.numbers
  }
}

/** Adds a column to the tree below `parent`; returns false if the schema has no such field. */
function addColumn(parent: Node, schema: TSchema, path: string[], column: number): boolean {
  const shape = shapeOf(schema)
  const [step, ...rest] = path
  if (parent.kind === 'cell' || step === undefined) return false
  const children = parent.kind === 'object' ? parent.fields : parent.items
  const childSchema = parent.kind === 'object' ? fieldSchema(shape, step) : itemSchema(shape, step)
  if (!childSchema) return false

  const child = children.get(step) ?? newNode(shapeOf(childSchema), pathBelow(parent, step), column)
  children.set(step, child)
  if (parent.kind === 'list') parent.items = inOrder(parent.items)
  if (rest.length > 0) return addColumn(child, childSchema, rest, column)
  if (child.kind !== 'cell') child.nullColumn = column
  return true
}

function pathBelow(parent: Node, step: string): string {
  if (parent.kind === 'list') return `${parent.path}[${step}]`
  return parent.path === '' ? step : `${parent.path}.${step}`
}

/** Sorts items by index, independent of the order of the columns. */
function inOrder(items: Map<string, Node>): Map<string, Node> {
  return new Map([...items].sort(([a], [b]) => Number(a) - Number(b)))
}

function newNode(shape: Shape, path: string, column: number): Node {
  if (shape.type === 'object')
    return {
      ...{ kind: 'object', path, nullColumn: null, fields: new Map(), required: shape.required ?? [] },
      restricting: Object.entries(shape.properties ?? {}).flatMap(([name, field]) =>
        shapeOf(field).restricts ? `${path}.${name}` : [],
      ),
    }
  if (shape.type === 'array' && shapeOf(shape.items!).type === 'object')
    return { kind: 'list', path, nullColumn: null, items: new Map() }
  return { kind: 'cell', column, path, read: readerOf(shape), isPhone: shape.cell === 'phone' }
}

function readerOf(shape: Shape): CellReader {
  if (shape.enum) return (text) => readChoice(text, shape.enum!, shape.words)
  if (shape.type === 'number') return (text, { numbers }) => readNumber(text, numbers)
  if (shape.type === 'integer') return (text, { numbers }) => readWholeNumber(text, numbers, shape)
  if (shape.type === 'boolean') return readBoolean
  if (shape.type === 'array') return listReader(shapeOf(shape.items!).cell)
  const { cell } = shape
  if (cell === 'moment') return readMoment
  // A line break between two numbers must not be cleaned away.
  if (cell === 'phone') return (text, { options }, raw) => readCellText(withBreaks(text, raw), cell, options)
  return (text, { options }) => readCellText(text, cell, options)
}

function readMoment(text: string, row: RowState): string {
  const moment = readDate(text, row.options.dates)
  row.resolution = moment.resolution
  return moment.text
}

function withBreaks(text: string, raw: string): string {
  if (!raw.includes('\n')) return text
  const digitsOfLines = raw.split('\n').map((line) => line.replace(/\D/g, '').length)
  return digitsOfLines.filter((digits) => digits > 4).length > 1 ? raw.trim() : text
}

/** A cell that is one known value is not split, whatever it contains. */
function listReader(kind: CellKind | undefined): CellReader {
  return (text, { options }, raw) => {
    const whole = readCellText(text, kind, options)
    return whole === text ? splitCell(raw).map((item) => readCellText(item, kind, options)) : [whole]
  }
}

/** Returns the value of a node in a row; undefined if all of its cells are empty or at fault. */
function readNode(node: Node, row: RowState): unknown {
  if (node.kind === 'cell') return readCell(node, row)
  if (node.kind === 'list') {
    const items = [...node.items.values()].map((item) => readNode(item, row)).filter((item) => item !== undefined)
    return items.length > 0 ? items : readWhole(node.nullColumn, row)
  }
  const fields: Record<string, unknown> = {}
  let isEmpty = true
  row.resolution = null
  const before = row.faults.length
  for (const [name, field] of node.fields) {
    const value = readNode(field, row)
    if (value === undefined) continue
    fields[name] = value
    isEmpty = false
  }
  if (node.required.some((name) => !(name in fields))) return withoutItem(node, row, before)
  // Without a status at fault, an address of unknown standing would pass for one to use.
  if (row.faults.length > before && row.faults.slice(before).some(({ path }) => node.restricting.includes(path)))
    return undefined
  // A year or a month says how exact it is, unless a column does.
  if (row.resolution !== null && 'estimate' in fields) fields.resolution ??= row.resolution
  return isEmpty ? readWhole(node.nullColumn, row) : fields
}

/** The status of an email that is not there says nothing, whatever it is. */
function withoutItem({ path, required }: Node & { kind: 'object' }, row: RowState, before: number): undefined {
  const missing = new Set(required.map((name) => `${path}.${name}`))
  if (!row.faults.slice(before).some((fault) => missing.has(fault.path))) row.faults.length = before
}

function readCell({ column, path, read, isPhone }: Node & { kind: 'cell' }, row: RowState): unknown {
  const raw = row.cells[column]!
  if (raw === '') return undefined
  const isExact = isExactCell(raw)
  if (isExact && isPhone) row.keepsPhones = true
  const text = trimCell(raw)
  if (text === '') return undefined
  if (text === 'null') return null
  const kind = row.kinds === null ? cellKinds.text : row.kinds[column]
  if (kind === cellKinds.withoutValue || kind === cellKinds.lostDigits) {
    const [reason, hint] = kind === cellKinds.lostDigits ? lostDigits : withoutValue
    row.faults.push(badValue(path, text, reason, hint))
    return undefined
  }
  if (row.text !== 'ascii' && isLostText(text)) {
    const reason = row.text === 'invalid' ? 'not valid UTF-8' : wronglyDecoded
    const hint = row.text === 'workbook' ? 'write it again' : 'give --encoding, or save the file as UTF-8'
    row.faults.push(fault(path, reason, { value: text, hint }))
    return undefined
  }
  row.numbers = kind === cellKinds.number ? exactNumbers : row.options.numbers
  try {
    return isExact ? readExactCell(raw) : read(text, row, raw)
  } catch (error) {
    if (!(error instanceof CellFault)) throw error
    row.faults.push(badValue(path, text, error.reason, error.hint))
    return undefined
  }
}

/** A workbook's own numbers are written with a point. */
const exactNumbers: NumberStyle = { decimal: 'dot', isDecimalCertain: true }

/** Why the value of a cell is not in its workbook, and what helps. */
const withoutValue = [
  'is a formula whose value is not in the workbook',
  'open the workbook, save it, and import it again',
] as const
const lostDigits = [
  'has more than 15 digits, and a workbook keeps only 15 of a number',
  'format the column as text, and enter it again',
] as const

/** Reads the column named like the whole object or list: `null` clears it; the check rejects anything else. */
function readWhole(column: number | null, row: RowState): string | null | undefined {
  const whole = column === null ? '' : trimCell(row.cells[column]!)
  if (whole === '') return undefined
  return whole === 'null' ? null : whole
}
