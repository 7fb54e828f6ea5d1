import type { TObject, TSchema } from 'typebox'
import { OperatorError } from '../../kernel/errors.ts'

/** Builds a record from the cells of a row. */
export interface CsvRowReader {
  /** Number of cells in a row. */
  count: number
  read(cells: string[]): object
}

/** A tree in the shape of the record; its leaves are columns. */
type Node =
  | { kind: 'cell'; column: number; convert: (cell: string) => unknown }
  | { kind: 'object'; nullColumn: number | null; fields: Map<string, Node> }
  | { kind: 'list'; nullColumn: number | null; items: Map<string, Node> }

/** The JSON Schema keywords that decide how a cell is read. */
interface Shape {
  type?: string
  anyOf?: TSchema[]
  properties?: Record<string, TSchema>
  required?: string[]
  items?: TSchema
  maxItems?: number
}

/**
 * Compiles a header against a record's schema: `a.b` is a field of an object, `a.0.b` a field of an object in a list,
 * `|` separates the items of a plain list, and `a` alone can only clear such an object or list. An empty cell is missing,
 * `null` is null. A cell of the wrong type stays text, so that the check of the record reports it.
 */
export function compileCsvColumns(schema: TObject, header: string[], sourceName: string): CsvRowReader {
  const root = { kind: 'object' as const, nullColumn: null, fields: new Map<string, Node>() }
  const names = header.map((name) => name.trim())
  for (const [column, name] of names.entries()) {
    if (names.indexOf(name) !== column) throw new OperatorError(`${sourceName}: the header has "${name}" twice.`)
    if (!addColumn(root, schema, name.split('.'), column))
      throw new OperatorError(`${sourceName}: the header has "${name.slice(0, 100)}", which is no field of a record.`)
  }
  for (const name of shapeOf(schema).required ?? [])
    if (!root.fields.has(name)) throw new OperatorError(`${sourceName}: the header lacks "${name}".`)
  return { count: names.length, read: (cells) => (readNode(root, cells) as object | undefined) ?? {} }
}

/** Adds a column to the tree below `parent`; returns false if the schema has no such field. */
function addColumn(parent: Node, schema: TSchema, path: string[], column: number): boolean {
  const shape = shapeOf(schema)
  const [step, ...rest] = path
  if (parent.kind === 'cell' || step === undefined) return false
  const children = parent.kind === 'object' ? parent.fields : parent.items
  const childSchema = parent.kind === 'object' ? fieldOf(shape, step) : itemOf(shape, step)
  if (!childSchema) return false

  const child = children.get(step) ?? newNode(shapeOf(childSchema), column)
  children.set(step, child)
  if (parent.kind === 'list') parent.items = inOrder(parent.items)
  if (rest.length > 0) return addColumn(child, childSchema, rest, column)
  if (child.kind !== 'cell') child.nullColumn = column
  return true
}

function fieldOf({ properties }: Shape, name: string): TSchema | undefined {
  return properties && Object.hasOwn(properties, name) ? properties[name] : undefined
}

function itemOf({ items, maxItems = Number.POSITIVE_INFINITY }: Shape, step: string): TSchema | undefined {
  return /^(0|[1-9]\d{0,3})$/.test(step) && Number(step) < maxItems ? items : undefined
}

/** Sorts items by index, independent of the order of the columns. */
function inOrder(items: Map<string, Node>): Map<string, Node> {
  return new Map([...items].sort(([a], [b]) => Number(a) - Number(b)))
}

function newNode(shape: Shape, column: number): Node {
  if (shape.type === 'object') return { kind: 'object', nullColumn: null, fields: new Map() }
  if (shape.type === 'array' && shapeOf(shape.items!).type === 'object')
    return { kind: 'list', nullColumn: null, items: new Map() }
  return { kind: 'cell', column, convert: conversions[shape.type ?? ''] ?? String }
}

/** Unwraps a nullable schema. */
function shapeOf(schema: TSchema): Shape {
  const shape: Shape = schema
  return shape.anyOf ? shapeOf(shape.anyOf[0]!) : shape
}

const number = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

const conversions: Record<string, (cell: string) => unknown> = {
  number: (cell) => (number.test(cell) ? Number(cell) : cell),
  integer: (cell) => (number.test(cell) ? Number(cell) : cell),
  boolean: (cell) => (cell === 'true' ? true : cell === 'false' ? false : cell),
  array: (cell) => cell.split('|'),
}

/** Returns the value of a node in a row; undefined if all of its cells are empty. */
function readNode(node: Node, cells: string[]): unknown {
  if (node.kind === 'cell') {
    const cell = cells[node.column]!
    if (cell === '') return undefined
    return cell === 'null' ? null : node.convert(cell)
  }
  if (node.kind === 'list') {
    const items = [...node.items.values()].map((item) => readNode(item, cells)).filter((item) => item !== undefined)
    return items.length > 0 ? items : readWhole(node.nullColumn, cells)
  }
  const fields: Record<string, unknown> = {}
  let isEmpty = true
  for (const [name, field] of node.fields) {
    const value = readNode(field, cells)
    if (value === undefined) continue
    fields[name] = value
    isEmpty = false
  }
  return isEmpty ? readWhole(node.nullColumn, cells) : fields
}

/** Reads the column named like the whole object or list: `null` clears it; the check rejects anything else. */
function readWhole(column: number | null, cells: string[]): string | null | undefined {
  const whole = column === null ? '' : cells[column]!
  if (whole === '') return undefined
  return whole === 'null' ? null : whole
}
