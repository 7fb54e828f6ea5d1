import type { OpenSheet, SheetRow } from '@storedex/workbook/read'
import { OperatorError } from '../../../foundation/kernel/errors.ts'
import { countDecimalMarks } from '../cells/numbers.ts'
import { fault, type LineFault } from '../fields/faults.ts'
import type { FieldNames } from '../fields/field-names.ts'
import { refuseWorkbook, type WorkbookFile } from '../source/open-source.ts'
import { maxTableColumns } from '../table/header.ts'
import { headerPlaceOf, readLayout, type TableLayout, type TableOptions } from '../table/layout.ts'
import type { TableRow } from '../table/rows.ts'
import { chooseSheet, describeSheetQuestion, listSheets, type SheetChoice } from './choose-sheet.ts'

/** What a person may say about a workbook; everything else is in it. */
export interface SheetOptions extends TableOptions {
  /** The name of a sheet, or its number from 1. */
  sheet?: string
}

/** How a sheet is read. */
export interface SheetLayout extends TableLayout {
  sheet: string
}

/** Rows of the beginning, which decide how a sheet is read. */
const headRows = 1_000

/** A person has to say which sheet is meant. */
export class SheetQuestion extends OperatorError {
  readonly sheets: readonly SheetChoice[]
  /** The sentence without the file's name. */
  readonly question: string

  constructor(name: string, sheets: readonly SheetChoice[]) {
    const question = describeSheetQuestion(sheets)
    super(`${name}: ${question}`)
    this.sheets = sheets
    this.question = question
  }
}

/** Opens the sheet to read: finds out what its columns are. Throws a `SheetQuestion` where it cannot tell which. */
export async function openSheet(
  source: WorkbookFile,
  names: FieldNames,
  options: SheetOptions,
): Promise<{ layout: SheetLayout; rows: AsyncIterable<TableRow[]> }> {
  const { name, workbook, maxUnpackedMb } = source
  try {
    const chosen = await chooseSheet(workbook, options.sheet, name)
    if (chosen === null) throw new SheetQuestion(name, await listSheets(workbook))
    const sheet = await workbook.openSheet(chosen, maxTableColumns + 1)
    const { first, isWhole, rows } = await takeHead(sheet)
    const place = headerPlaceOf(options, first[0]?.cells ?? [])
    const head = withWidth(first.filter(({ line }) => line >= place.fromLine))
    const layout = readLayout(
      names,
      options,
      {
        sourceName: name,
        rows: head,
        isWhole: isWhole || first.length === 0,
        extent: `${headRows} rows`,
        firstLines: () => first.slice(0, 50),
        detectDecimal: (_, columns) => detectDecimal(head, columns),
        reading: `The sheet ${JSON.stringify(workbook.sheets[chosen]!.name.slice(0, 60))} was read; --sheet names another one.`,
      },
      place,
    )
    const notices = [...layout.notices, ...noticesOfHidden(layout, sheet)]
    return {
      layout: { ...layout, notices, fillsShortRows: true, sheet: workbook.sheets[chosen]!.name },
      rows: refusing(source, rows),
    }
  } catch (error) {
    return refuseWorkbook(name, error, maxUnpackedMb)
  }
}

async function takeHead({ rows }: OpenSheet) {
  const batches: TableRow[][] = []
  let count = 0
  let isWhole = false
  while (count < headRows && !isWhole) {
    const { done, value } = await rows.next()
    if (done) isWhole = true
    else {
      count += value.length
      batches.push(value.map(toTableRow))
    }
  }
  async function* all(): AsyncGenerator<TableRow[]> {
    try {
      yield* batches
      if (!isWhole) for await (const batch of rows) yield batch.map(toTableRow)
    } finally {
      await rows.return(undefined)
    }
  }
  return { first: batches.flat().slice(0, headRows) as HeadRow[], isWhole, rows: all() }
}

type HeadRow = TableRow & { cells: string[] }

function toTableRow({ number, isHidden, cells, kinds }: SheetRow): TableRow {
  let bytes = cells.length
  for (const cell of cells) bytes += cell.length
  return { line: number, bytes, cells, text: 'workbook', kinds, isHidden }
}

/** The header as wide as the rows below it: a value there is in a column without a name. */
function withWidth(rows: readonly HeadRow[]): TableRow[] {
  const [header, ...below] = rows
  if (!header) return []
  const width = Math.max(...rows.map(({ cells }) => cells.length))
  const cells = [...header.cells, ...Array<string>(width - header.cells.length).fill('')]
  return [{ ...header, cells: cells.slice(0, Math.max(header.cells.length, maxTableColumns)) }, ...below]
}

/** The decimal mark of numbers that are written as text; a workbook's own numbers need none. */
function detectDecimal(rows: readonly TableRow[], columns: readonly number[]) {
  const texts = rows.map(({ cells, kinds }) => (cells ?? []).map((cell, column) => (kinds?.[column] ? '' : cell)))
  const { commas, dots } = countDecimalMarks(texts, columns)
  return { decimal: commas > dots ? ('comma' as const) : ('dot' as const), isDecimalCertain: commas > 0 !== dots > 0 }
}

function noticesOfHidden({ columns, headerLine }: TableLayout, { hiddenColumns }: OpenSheet): LineFault[] {
  return columns.flatMap(({ field }, index) =>
    field === null || !hiddenColumns.has(index)
      ? []
      : [{ line: headerLine, fault: fault(field, 'its column is hidden in the workbook, and is read') }],
  )
}

async function* refusing(
  { name, maxUnpackedMb }: WorkbookFile,
  rows: AsyncIterable<TableRow[]>,
): AsyncGenerator<TableRow[]> {
  try {
    yield* rows
  } catch (error) {
    refuseWorkbook(name, error, maxUnpackedMb)
  }
}
