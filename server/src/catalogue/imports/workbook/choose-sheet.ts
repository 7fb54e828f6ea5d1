import type { Workbook } from '@storedex/workbook/read'
import { OperatorError } from '../../../foundation/kernel/errors.ts'
import { formatNumber } from '../../../foundation/kernel/time.ts'

/** A sheet as a person chooses it. */
export interface SheetChoice {
  name: string
  /** Rows with a value, the header among them; at most `mostCounted` are counted. */
  rows: number
  is_hidden: boolean
}

/** More are not counted, so that asking takes a moment only. */
const mostCounted = 10_000

/** All sheets of a workbook, with their rows. */
export async function listSheets(workbook: Workbook): Promise<SheetChoice[]> {
  const sheets: SheetChoice[] = []
  for (const [index, { name, isHidden }] of workbook.sheets.entries())
    sheets.push({ name, rows: await workbook.countRows(index, mostCounted), is_hidden: isHidden })
  return sheets
}

/**
 * The sheet to read, by its name or its number from 1. Without one it is the only sheet that is not hidden and has rows, or
 * the first if none has. Null if a person has to choose. Throws an `OperatorError` for an unknown sheet.
 */
export async function chooseSheet(
  workbook: Workbook,
  wanted: string | undefined,
  name: string,
): Promise<number | null> {
  const { sheets } = workbook
  if (wanted !== undefined) {
    const named = findSheet(workbook, wanted)
    if (named !== null) return named
    const known = sheets.map((sheet) => quoteSheet(sheet.name)).join(', ')
    throw new OperatorError(`${name}: it has no sheet ${quoteSheet(wanted)}. Its sheets are ${known.slice(0, 1_000)}.`)
  }
  if (sheets.length === 1) return sheets[0]!.isHidden ? null : 0
  const filled: number[] = []
  for (const [index, { isHidden }] of sheets.entries())
    if (!isHidden && (await workbook.hasRows(index))) filled.push(index)
  if (filled.length > 1) return null
  if (filled.length === 1) return filled[0]!
  const hidden = sheets.some(({ isHidden }) => isHidden)
  return hidden ? null : 0
}

function findSheet({ sheets }: Workbook, wanted: string): number | null {
  const key = (text: string) => text.trim().toLowerCase()
  const exact = sheets.findIndex(({ name }) => name === wanted)
  const byName = exact >= 0 ? exact : sheets.findIndex(({ name }) => key(name) === key(wanted))
  if (byName >= 0) return byName
  const number = /^\d{1,4}$/.test(wanted) ? Number(wanted) : 0
  return number >= 1 && number <= sheets.length ? number - 1 : null
}

/** Asks which sheet to read: the sentence of a refusal, or above the choice. */
export function describeSheetQuestion(sheets: readonly SheetChoice[]): string {
  const listed = sheets.filter(({ rows }) => rows > 0).map(describeSheet)
  if (listed.length === 0) return 'none of its sheets has rows, and some are hidden: --sheet NAME reads one.'
  const isOne = listed.length === 1
  return `${isOne ? 'its rows are on a hidden sheet' : 'several of its sheets have rows'}: ${listed.slice(0, 30).join(', ')}. Say which to read: --sheet NAME or NUMBER.`
}

function describeSheet({ name, rows, is_hidden }: SheetChoice): string {
  const count =
    rows >= mostCounted
      ? `${formatNumber(mostCounted)} rows or more`
      : `${formatNumber(rows)} ${rows === 1 ? 'row' : 'rows'}`
  return `${quoteSheet(name)} (${count}${is_hidden ? ', hidden' : ''})`
}

function quoteSheet(name: string): string {
  return `"${name.slice(0, 60)}"`
}
