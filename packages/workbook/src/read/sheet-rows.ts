import { columnOf, maxSheetColumns, maxSheetRows } from '../grid.ts'
import { cellKinds, type ReadValue, readNumberCell, type ValueKind } from './cell-values.ts'
import { damaged } from './errors.ts'
import type { MergedCells } from './merges.ts'
import type { CellFormat } from './number-formats.ts'
import type { Epoch } from './serial-dates.ts'
import { maxTextLength, type SharedStrings, TextCollector } from './shared-strings.ts'
import { attributeOf, decodeCellText, type XmlHandler } from './xml.ts'

/** A row with at least one cell that is not empty. */
export interface SheetRow {
  /** As the sheet counts it, from 1. */
  number: number
  /** Whether it is hidden, or filtered out. */
  isHidden: boolean
  /** The texts of the cells as a person sees them, from column A; empty for an empty cell. */
  cells: string[]
  /** The kind of each cell; null if all are text. */
  kinds: Uint8Array | null
}

/** How a sheet is read. */
export interface SheetReading {
  formats: readonly CellFormat[]
  epoch: Epoch
  strings: SharedStrings
  merged: MergedCells
  /** Values in columns from here on are taken together as one in the last. */
  columns: number
}

const maxFormulaLength = 200
const noValue: ReadValue = { text: '', kind: cellKinds.text }

/** Collects the rows of a sheet as its XML is scanned. */
export class SheetRows implements XmlHandler {
  readonly #reading: SheetReading
  /** Columns that are hidden, from 0. */
  readonly hiddenColumns = new Set<number>()
  #isSheet = false
  #isInRows = false
  #rows: SheetRow[] = []
  #row: SheetRow | null = null
  #rowNumber = 0
  #rowDigits = ''
  #kinds = new Uint8Array(64)
  #hasKinds = false
  #column = -1
  #style = 0
  #type = ''
  /** The element whose text is collected. */
  #within: '' | 'v' | 'f' | 'is' = ''
  #value: string | null = null
  #formula: string | null = null
  readonly #text = new TextCollector()
  /** Cells whose texts are in the shared table: of each the cells of its row, its column, and the number of the text. */
  #sharedCells: string[][] = []
  #sharedColumns: number[] = []
  #sharedTexts: number[] = []
  #lastShared = -1

  constructor(reading: SheetReading) {
    this.#reading = reading
  }

  /** The rows that have ended since the last call. */
  async take(): Promise<SheetRow[]> {
    const { strings } = this.#reading
    await strings.readUpTo(this.#lastShared)
    for (let at = 0; at < this.#sharedCells.length; at++)
      this.#sharedCells[at]![this.#sharedColumns[at]!] = strings.get(this.#sharedTexts[at]!)
    this.#sharedCells = []
    this.#sharedColumns = []
    this.#sharedTexts = []
    this.#lastShared = -1
    const rows = this.#rows.filter(({ cells }) => cells.some((cell) => cell !== ''))
    this.#rows = []
    return rows
  }

  open(name: string, attributes: string): void {
    if (!this.#isInRows) {
      if (!this.#isSheet && name !== 'worksheet') throw damaged('a part that should be a sheet is something else')
      this.#isSheet = true
      if (name === 'sheetData') this.#isInRows = true
      else if (name === 'col') this.#readColumn(attributes)
      return
    }
    switch (name) {
      case 'c':
        this.#openCell(attributes)
        return
      case 'v':
        this.#within = 'v'
        this.#value = ''
        return
      case 'row':
        this.#openRow(attributes)
        return
      case 'f':
        this.#within = 'f'
        this.#formula = ''
        return
      case 'is':
        this.#within = 'is'
        this.#text.begin()
        return
      default:
        if (this.#within === 'is') this.#text.open(name)
    }
  }

  text(text: string): void {
    if (this.#within === '') return
    if (this.#within === 'v') {
      this.#value = this.#value === '' ? text : `${this.#value}${text}`
      if (this.#value.length > maxTextLength) throw damaged('a cell of it has more than a million characters')
    } else if (this.#within === 'is') this.#text.add(text)
    else if (this.#formula!.length < maxFormulaLength) this.#formula += text.slice(0, maxFormulaLength)
  }

  close(name: string): void {
    if (!this.#isInRows) return
    switch (name) {
      case 'v':
      case 'f':
        this.#within = ''
        return
      case 'c':
        this.#closeCell()
        return
      case 'row':
        this.#closeRow()
        return
      case 'is':
        this.#within = ''
        this.#value = this.#text.take()
        return
      case 'sheetData':
        this.#isInRows = false
        return
      default:
        if (this.#within === 'is') this.#text.close(name)
    }
  }

  #readColumn(attributes: string): void {
    if (!isHidden(attributes)) return
    const last = Math.min(Number(attributeOf(attributes, 'max')), this.#reading.columns)
    for (let column = Number(attributeOf(attributes, 'min')); column >= 1 && column <= last; column++)
      this.hiddenColumns.add(column - 1)
  }

  #openRow(attributes: string): void {
    if (this.#row !== null) throw damaged('a row of it is inside another')
    const number = Number(attributeOf(attributes, 'r') ?? this.#rowNumber + 1)
    if (!(number > this.#rowNumber && number <= maxSheetRows)) throw damaged('its rows are out of order')
    this.#rowNumber = number
    this.#rowDigits = String(number)
    this.#row = { number, isHidden: isHidden(attributes), cells: [], kinds: null }
    this.#column = -1
    this.#hasKinds = false
    if (!this.#reading.merged.isEmpty) this.#reading.merged.moveTo(number)
  }

  #closeRow(): void {
    const row = this.#row
    if (row === null) return
    if (this.#hasKinds) {
      row.kinds = this.#kinds.slice(0, row.cells.length)
      this.#kinds.fill(0, 0, row.cells.length)
    }
    if (row.cells.length > 0) this.#rows.push(row)
    this.#row = null
  }

  #openCell(attributes: string): void {
    this.#column++
    this.#style = 0
    this.#type = ''
    this.#value = null
    this.#formula = null
    for (let at = 0; at < attributes.length; ) {
      const equals = attributes.indexOf('=', at)
      if (equals === -1) break
      const mark = attributes[equals + 1] === "'" ? "'" : '"'
      const start = attributes.indexOf(mark, equals) + 1
      const end = attributes.indexOf(mark, start)
      if (start === 0 || end === -1) break
      // The name is one letter, behind a blank.
      const name = attributes.charCodeAt(equals - 1)
      if (attributes.charCodeAt(equals - 2) <= 0x20) {
        if (name === 0x72) this.#column = this.#columnOf(attributes, start, end)
        else if (name === 0x73) this.#style = Number(attributes.slice(start, end))
        else if (name === 0x74) this.#type = attributes.slice(start, end)
      }
      at = end + 1
    }
  }

  /** The column of a reference such as AB12, from 0. */
  #columnOf(attributes: string, start: number, end: number): number {
    let at = start
    while (at < end && attributes.charCodeAt(at) >= 0x41) at++
    const column = at === start + 1 ? attributes.charCodeAt(start) - 0x41 : columnOf(attributes.slice(start, at))
    const isInRow = attributes.startsWith(this.#rowDigits, at) && at + this.#rowDigits.length === end
    if (!isInRow || !(column >= 0 && column < maxSheetColumns)) throw damaged('a cell of it lies outside of its row')
    return column
  }

  #closeCell(): void {
    const row = this.#row
    if (row === null) throw damaged('a cell of it is in no row')
    if (this.#value === null && this.#formula === null) return
    const { merged, columns } = this.#reading
    if (!merged.isEmpty && merged.covers(this.#column)) return
    const column = Math.min(this.#column, columns - 1)
    const { cells } = row
    while (cells.length < column) cells.push('')
    if (this.#type === 's' && this.#value !== null) {
      cells[column] = ''
      this.#refer(cells, column)
      return
    }
    const { text, kind } = this.#readValue()
    cells[column] = text
    if (kind !== cellKinds.text) this.#setKind(column, kind)
  }

  #refer(cells: string[], column: number): void {
    const index = Number(this.#value)
    if (!Number.isSafeInteger(index) || index < 0) throw damaged('a cell names a text that is not in it')
    this.#sharedCells.push(cells)
    this.#sharedColumns.push(column)
    this.#sharedTexts.push(index)
    if (index > this.#lastShared) this.#lastShared = index
  }

  #readValue(): ReadValue {
    const value = this.#value
    if (value === null || (value === '' && this.#formula !== null && this.#type !== 'str'))
      return { text: `=${this.#formula}`, kind: cellKinds.withoutValue }
    switch (this.#type) {
      case '':
      case 'n':
        if (value === '') return noValue
        return readNumberCell(value, this.#reading.formats[this.#style], this.#reading.epoch)
      case 'inlineStr':
        return { text: value, kind: cellKinds.text }
      case 'b':
        return { text: value.trim() === '1' ? 'TRUE' : 'FALSE', kind: cellKinds.text }
      case 'd':
        return { text: value.replace(/T00:00:00(?:\.0+)?$/, ''), kind: cellKinds.date }
      default:
        return { text: decodeCellText(value), kind: cellKinds.text }
    }
  }

  #setKind(column: number, kind: ValueKind): void {
    if (column >= this.#kinds.length) {
      const kinds = new Uint8Array(Math.max(2 * this.#kinds.length, column + 1))
      kinds.set(this.#kinds)
      this.#kinds = kinds
    }
    this.#kinds[column] = kind
    this.#hasKinds = true
  }
}

/** Of a row or a column. */
function isHidden(attributes: string): boolean {
  return /^(?:1|true)$/.test(attributeOf(attributes, 'hidden') ?? '')
}
