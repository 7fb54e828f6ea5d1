import { columnOf, maxSheetColumns } from '../grid.ts'
import { WorkbookError } from './errors.ts'
import { attributeOf } from './xml.ts'

const maxRanges = 250_000

interface Range {
  top: number
  bottom: number
  left: number
  right: number
}

const closing = Buffer.from('sheetData>')
const heldBytes = 200
const reference = /^\$?([A-Z]{1,3})\$?(\d{1,7}):\$?([A-Z]{1,3})\$?(\d{1,7})$/

/** Reads a sheet to its end for the merged ranges, which stand below its rows. Nothing else of it is looked at. */
export async function readMerges(blocks: AsyncIterable<Buffer>): Promise<MergedCells> {
  const ranges: Range[] = []
  let held: Buffer = Buffer.alloc(0)
  let isBelowRows = false
  for await (const block of blocks) {
    let content = Buffer.concat([held, block])
    if (!isBelowRows) {
      const end = findEndOfRows(content)
      isBelowRows = end !== -1
      if (isBelowRows) content = content.subarray(end)
    }
    if (isBelowRows) addRanges(ranges, content.toString('latin1'))
    held = content.subarray(isBelowRows ? afterLastElement(content) : Math.max(0, content.length - heldBytes))
  }
  return new MergedCells(ranges)
}

/** Where `</sheetData>` ends, with a prefix or without; -1 if it is not here. */
function findEndOfRows(content: Buffer): number {
  for (let at = content.indexOf(closing); at !== -1; at = content.indexOf(closing, at + 1)) {
    const start = content.lastIndexOf('<', at)
    if (start !== -1 && content[start + 1] === 0x2f) return at + closing.length
  }
  return -1
}

function addRanges(ranges: Range[], text: string): void {
  for (let at = text.indexOf('mergeCell '); at !== -1; at = text.indexOf('mergeCell ', at + 1)) {
    const end = text.indexOf('>', at)
    if (end === -1) return
    const [, left, top, right, bottom] = reference.exec(attributeOf(text.slice(at + 9, end), 'ref') ?? '') ?? []
    if (left === undefined) continue
    ranges.push({
      ...{ top: Number(top), bottom: Number(bottom) },
      ...{ left: columnOf(left), right: Math.min(columnOf(right!), maxSheetColumns - 1) },
    })
    if (ranges.length > maxRanges) throw new WorkbookError(`the sheet has more than ${maxRanges} merged ranges`)
  }
}

function afterLastElement(content: Buffer): number {
  return Math.max(content.lastIndexOf('>') + 1, content.length - 10_000)
}

/** Tells row by row which cells lie under a merged one: what they hold is not shown. */
export class MergedCells {
  readonly #starting: readonly Range[]
  readonly #ending: readonly Range[]
  readonly #isCovered = new Uint8Array(maxSheetColumns)
  #started = 0
  #ended = 0
  /** First cells of the ranges that begin in this row. */
  #shown: number[] = []

  constructor(ranges: readonly Range[]) {
    this.#starting = ranges.toSorted((a, b) => a.top - b.top)
    this.#ending = ranges.toSorted((a, b) => a.bottom - b.bottom)
  }

  get isEmpty(): boolean {
    return this.#starting.length === 0
  }

  /** Goes on to a later row. */
  moveTo(row: number): void {
    for (const column of this.#shown) this.#isCovered[column] = 1
    this.#shown = []
    for (; this.#ended < this.#ending.length && this.#ending[this.#ended]!.bottom < row; this.#ended++) {
      const { left, right } = this.#ending[this.#ended]!
      this.#isCovered.fill(0, left, right + 1)
    }
    for (; this.#started < this.#starting.length && this.#starting[this.#started]!.top <= row; this.#started++) {
      const { top, bottom, left, right } = this.#starting[this.#started]!
      if (bottom < row) continue
      this.#isCovered.fill(1, left, right + 1)
      if (top !== row) continue
      this.#isCovered[left] = 0
      this.#shown.push(left)
    }
  }

  covers(column: number): boolean {
    return this.#isCovered[column] === 1
  }
}
