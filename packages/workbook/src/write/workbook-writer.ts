import { promisify } from 'node:util'
import { constants, crc32, deflateRaw, deflateRawSync } from 'node:zlib'
import { columnLetters, maxSheetColumns, maxSheetRows } from '../grid.ts'
import { ByteSink } from './byte-sink.ts'
import { type CellValue, isTooLong, writeCell } from './cells.ts'
import { partsBefore, partsBehind } from './package-parts.ts'
import { beginSheet, endSheet } from './sheet.ts'
import { headerWidth, valueWidth } from './widths.ts'
import { centralDirectory, dataDescriptor, dosTime, entryHeader, storedEntry, type ZipEntry } from './zip.ts'

/** Excel's 1,048,576 rows, without the header. */
const maxRowsOfSheet = maxSheetRows - 1
/** With the longest row that a string can be, 1.6 GB, a sheet stays below 4 GB: its sizes fit into 32 bits. */
const maxBytesOfSheet = 2_600_000_000

export interface WorkbookOptions {
  columns: readonly string[]
  /** The first sheet; what does not fit into it follows in `Part 2` and so on. */
  sheetName: string
  /** The only time in the file. */
  createdAt: Date
  /** Goes on behind the bytes that a writer of the same options had written when its state was this. */
  state?: WorkbookState
  limits?: Partial<SheetLimits>
}

/** When another sheet begins. */
export interface SheetLimits {
  rows: number
  bytes: number
}

/** What is needed to continue a workbook, as plain JSON. */
export interface WorkbookState {
  /** Length of the file so far. */
  bytes: number
  /** Text cells that could not hold their whole text. */
  cutCells: number
  /** Of the columns, in characters; null until the first part is written. */
  widths: number[] | null
  /** The entries that are complete. */
  entries: ZipEntry[]
  /** Rows of the sheets that are complete. */
  sheets: { rows: number }[]
  /** The sheet that is being written, and the bytes of XML of its rows; null before the first part. */
  open: { entry: ZipEntry; rows: number; rowBytes: number } | null
}

/** Rows of one sheet that are not packed yet; another one means that the sheet before it is complete. */
interface Segment {
  xml: ByteSink
  rows: number
}

/** So much is packed at once: less of it would pack worse. */
const partBytes = 1_000_000
const pack = promisify(deflateRaw)
/** A part ends with a flush and without a final block, so that parts can be joined to one stream. */
const packOptions = { level: 1, finishFlush: constants.Z_FULL_FLUSH } as const
/** The empty final block of a stream. */
const endOfStream = Buffer.from([0x03, 0x00])

/**
 * Writes a workbook from front to back: `add` rows, take the bytes of a `flush` now and then, and those of `end` at last. The file
 * is the concatenation of these bytes, which depend on nothing but the options, the rows, and the places of the flushes; so another
 * process can go on from a `state`. Between flushes the rows are held in memory. Calls must not overlap.
 */
export class WorkbookWriter {
  readonly #options: WorkbookOptions
  readonly #limits: SheetLimits
  readonly #time: number
  readonly #letters: string[]
  /** The widths that the rows so far need. */
  readonly #measured: number[]
  readonly #state: WorkbookState
  #segments: Segment[] = []

  constructor(options: WorkbookOptions) {
    const { columns, createdAt, state, limits } = options
    if (columns.length === 0 || columns.length > maxSheetColumns)
      throw new RangeError(`A sheet has 1 to ${maxSheetColumns} columns, not ${columns.length}.`)
    this.#options = options
    this.#limits = { rows: maxRowsOfSheet, bytes: maxBytesOfSheet, ...limits }
    this.#time = dosTime(createdAt)
    this.#letters = columns.map((_, index) => columnLetters(index))
    this.#measured = columns.map(headerWidth)
    this.#state = structuredClone(state ?? nothingWritten)
  }

  /** For another writer that goes on; there must be no rows since the last flush. */
  get state(): WorkbookState {
    if (this.#segments.length > 0) throw new Error('rows of a workbook are not flushed')
    return structuredClone(this.#state)
  }

  /** Text cells so far that could not hold their whole text, and end with `…`. */
  get cutCells(): number {
    return this.#state.cutCells
  }

  /** Bytes of XML that wait for a flush, which packs them to a fraction. */
  get pendingBytes(): number {
    return this.#segments.reduce((sum, { xml }) => sum + xml.length, 0)
  }

  /** Length of the file so far, without what waits for a flush. */
  get bytes(): number {
    return this.#state.bytes
  }

  /** A row may have fewer cells than there are columns, or more. */
  add(rows: readonly (readonly CellValue[])[]): void {
    for (const row of rows) this.#addRow(row)
  }

  /** The bytes of the rows since the last flush; none without rows. */
  async flush(): Promise<Buffer> {
    if (this.#segments.length === 0) return Buffer.alloc(0)
    return Buffer.concat(this.#join(await Promise.all(this.#segments.map(({ xml }) => pack(xml.view(), packOptions)))))
  }

  /** The bytes up to the end of the file, with the rows since the last flush. Nothing can be written after it. */
  end(): Buffer {
    const parts = this.#join(this.#segments.map(({ xml }) => packNow(xml.view())))
    parts.push(...this.#beginFile(), ...this.#openSheet(), ...this.#closeSheet())
    const { sheets, widths } = this.#state
    parts.push(...this.#store(partsBehind(this.#options.sheetName, sheets, widths!.length)))
    return Buffer.concat([...parts, centralDirectory(this.#state.entries, this.#state.bytes, this.#time)])
  }

  /** The bytes of the whole file, whose rows come in batches; packed part by part as they are taken. */
  async *write(batches: AsyncIterable<readonly (readonly CellValue[])[]>): AsyncGenerator<Buffer> {
    for await (const rows of batches) {
      this.add(rows)
      if (this.pendingBytes >= partBytes) yield await this.flush()
    }
    yield this.end()
  }

  #addRow(row: readonly CellValue[]): void {
    if (row.length > maxSheetColumns) throw new RangeError(`A row of a sheet has at most ${maxSheetColumns} cells.`)
    for (let index = this.#letters.length; index < row.length; index++) this.#letters.push(columnLetters(index))
    if (this.#state.widths === null) this.#measure(row)
    for (const value of row) if (isTooLong(value)) this.#state.cutCells++
    if (this.#segments.length === 0) this.#segments.push({ xml: new ByteSink(), rows: 0 })
    let xml = this.#rowXml(row)
    if (!this.#hasRoomFor(xml)) {
      this.#segments.push({ xml: new ByteSink(), rows: 0 })
      xml = this.#rowXml(row)
    }
    const segment = this.#segments.at(-1)!
    segment.xml.append(xml)
    segment.rows++
  }

  #measure(row: readonly CellValue[]): void {
    for (let index = 0; index < row.length && index < this.#measured.length; index++)
      this.#measured[index] = Math.max(this.#measured[index]!, valueWidth(row[index]!))
  }

  /** Rows and bytes of the sheet that the last segment belongs to. */
  #sizeOfSheet(): SheetLimits {
    const { xml, rows } = this.#segments.at(-1)!
    const before = this.#segments.length === 1 ? this.#state.open : null
    return { rows: rows + (before?.rows ?? 0), bytes: xml.length + (before?.rowBytes ?? 0) }
  }

  #rowXml(row: readonly CellValue[]): string {
    // Below the header.
    const number = this.#sizeOfSheet().rows + 2
    let xml = `<row r="${number}">`
    for (let index = 0; index < row.length; index++) xml += writeCell(`${this.#letters[index]}${number}`, row[index]!)
    return `${xml}</row>`
  }

  #hasRoomFor(xml: string): boolean {
    const { rows, bytes } = this.#sizeOfSheet()
    if (rows === 0) return true
    // The exact length is counted only where it decides.
    const isNear = bytes + xml.length * 3 > this.#limits.bytes
    return rows < this.#limits.rows && !(isNear && bytes + Buffer.byteLength(xml) > this.#limits.bytes)
  }

  /** The packed segments, with all that stands before and between them. */
  #join(packed: readonly Buffer[]): Buffer[] {
    const parts = packed.length > 0 ? this.#beginFile() : []
    for (const [index, { xml, rows }] of this.#segments.entries()) {
      if (index > 0) parts.push(...this.#closeSheet())
      parts.push(...this.#openSheet())
      if (rows > 0) parts.push(this.#addContent(xml.view(), packed[index]!))
      this.#state.open!.rows += rows
      this.#state.open!.rowBytes += xml.length
    }
    this.#segments = []
    return parts
  }

  #beginFile(): Buffer[] {
    return this.#state.entries.length > 0 ? [] : this.#store(partsBefore(this.#options.createdAt))
  }

  #openSheet(): Buffer[] {
    const { sheets, open, bytes } = this.#state
    if (open) return []
    const name = `xl/worksheets/sheet${sheets.length + 1}.xml`
    const entry = { name, offset: bytes, crc32: 0, packed: 0, unpacked: 0, isStreamed: true }
    this.#state.open = { entry, rows: 0, rowBytes: 0 }
    this.#state.widths ??= this.#measured
    const begin = Buffer.from(beginSheet(this.#options.columns, this.#state.widths, sheets.length === 0))
    return [this.#count(entryHeader(entry, this.#time)), this.#addContent(begin, packNow(begin))]
  }

  #closeSheet(): Buffer[] {
    const { entry, rows } = this.#state.open!
    const end = Buffer.from(endSheet(this.#state.widths!.length, rows))
    const content = this.#addContent(end, Buffer.concat([packNow(end), endOfStream]))
    const parts = [content, this.#count(dataDescriptor(entry))]
    this.#state.entries.push(entry)
    this.#state.sheets.push({ rows })
    this.#state.open = null
    return parts
  }

  #store(parts: Record<string, string>): Buffer[] {
    return Object.entries(parts).map(([name, content]) => {
      const { entry, bytes } = storedEntry(name, content, this.#state.bytes, this.#time)
      this.#state.entries.push(entry)
      return this.#count(bytes)
    })
  }

  /** Content of the open sheet. */
  #addContent(xml: Buffer, packed: Buffer): Buffer {
    const { entry } = this.#state.open!
    entry.crc32 = crc32(xml, entry.crc32)
    entry.packed += packed.length
    entry.unpacked += xml.length
    return this.#count(packed)
  }

  #count(bytes: Buffer): Buffer {
    this.#state.bytes += bytes.length
    return bytes
  }
}

function packNow(xml: Buffer): Buffer {
  return deflateRawSync(xml, packOptions)
}

const nothingWritten: WorkbookState = { bytes: 0, cutCells: 0, widths: null, entries: [], sheets: [], open: null }
