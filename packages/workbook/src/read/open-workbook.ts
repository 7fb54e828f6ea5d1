import { Archive, type ArchiveLimits } from './archive.ts'
import { WorkbookError } from './errors.ts'
import { MergedCells, readMerges } from './merges.ts'
import { decodePart, readParts, type SheetPart, type WorkbookParts } from './parts.ts'
import { RowCounter } from './row-counter.ts'
import { SharedStrings } from './shared-strings.ts'
import { type SheetRow, SheetRows } from './sheet-rows.ts'
import { XmlScanner } from './xml.ts'

/** The rows of a sheet, to be taken once. */
export interface OpenSheet {
  /** Columns that are hidden, from 0; known with the first rows. */
  hiddenColumns: ReadonlySet<number>
  /** Rows in their order, several at once; never an empty row. */
  rows: AsyncGenerator<SheetRow[]>
}

/** A workbook (.xlsx, or .xlsm without its macros) of which one sheet is read at a time, in bounded memory. */
export class Workbook {
  readonly #archive: Archive
  readonly #parts: WorkbookParts

  private constructor(archive: Archive, parts: WorkbookParts) {
    this.#archive = archive
    this.#parts = parts
  }

  /** Throws a `WorkbookError` for a file that is no workbook, is damaged or is made to harm. */
  static async open(path: string, limits: ArchiveLimits): Promise<Workbook> {
    const archive = await Archive.open(path, limits)
    try {
      return new Workbook(archive, await readParts(archive))
    } catch (error) {
      await archive.close()
      throw error
    }
  }

  /** The sheets with cells, in their order. */
  get sheets(): readonly Readonly<Pick<SheetPart, 'name' | 'isHidden'>>[] {
    return this.#parts.sheets
  }

  /** Packed bytes that the rows of the open sheet have taken so far. */
  get bytesRead(): number {
    return this.#archive.bytesRead
  }

  /** Whether a row of a sheet has a value. */
  async hasRows(sheet: number): Promise<boolean> {
    for await (const rows of this.#read(sheet, new MergedCells([]), 2).rows) if (rows.length > 0) return true
    return false
  }

  /** How many rows of a sheet have a value, at most `limit`: in a moment, since no text is looked up. */
  async countRows(sheet: number, limit: number): Promise<number> {
    const counter = new RowCounter()
    const scanner = new XmlScanner(counter)
    for await (const text of decodePart(this.#archive, this.#partOf(sheet))) {
      scanner.write(text)
      if (counter.count >= limit) return limit
    }
    scanner.end()
    return counter.count
  }

  /**
   * The rows of a sheet. Values in columns beyond `columns` count as one in the last. What lies under a merged cell is not
   * shown, and not read.
   */
  async openSheet(sheet: number, columns: number): Promise<OpenSheet> {
    const merged = await readMerges(this.#archive.read(this.#partOf(sheet)))
    // Whole before any row is taken: a damaged part is found at its end.
    const { sharedStrings } = this.#parts
    if (sharedStrings !== null) for await (const _ of this.#archive.read(sharedStrings));
    this.#archive.bytesRead = 0
    return this.#read(sheet, merged, columns)
  }

  close(): Promise<void> {
    return this.#archive.close()
  }

  #partOf(sheet: number): string {
    const part = this.#parts.sheets[sheet]?.part
    if (part === undefined) throw new WorkbookError(`it has no sheet ${sheet + 1}`)
    return part
  }

  #read(sheet: number, merged: MergedCells, columns: number): OpenSheet {
    const { formats, epoch, sharedStrings } = this.#parts
    const strings = new SharedStrings(this.#archive, sharedStrings)
    const collected = new SheetRows({ formats, epoch, strings, merged, columns })
    const archive = this.#archive
    const part = this.#partOf(sheet)
    async function* rows(): AsyncGenerator<SheetRow[]> {
      const scanner = new XmlScanner(collected)
      try {
        for await (const text of decodePart(archive, part)) {
          scanner.write(text)
          yield await collected.take()
        }
        scanner.end()
      } finally {
        await strings.close()
      }
    }
    return { hiddenColumns: collected.hiddenColumns, rows: rows() }
  }
}
