/** The XML of a sheet around its rows. */
import { columnLetters } from '../grid.ts'
import { writeHeaderCell } from './cells.ts'
import { mainNamespace } from './package-parts.ts'

/** Everything before the first row: widths, the frozen header, and the header itself. */
export function beginSheet(columns: readonly string[], widths: readonly number[], isFirst: boolean): string {
  const cols = widths.map(
    (width, index) => `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`,
  )
  const header = columns.map((name, index) => writeHeaderCell(`${columnLetters(index)}1`, name))
  return `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<worksheet xmlns="${mainNamespace}"><sheetViews><sheetView ${isFirst ? 'tabSelected="1" ' : ''}workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/><selection pane="bottomLeft" activeCell="A2" sqref="A2"/></sheetView></sheetViews><sheetFormatPr defaultRowHeight="15"/><cols>${cols.join('')}</cols><sheetData><row r="1">${header.join('')}</row>`
}

/** Everything behind the last row: the filter of the header, and no complaint about phones and ids that are text. */
export function endSheet(columns: number, rows: number): string {
  const range = `A1:${columnLetters(columns - 1)}${rows + 1}`
  return `</sheetData><autoFilter ref="${range}"/><ignoredErrors><ignoredError sqref="${range}" numberStoredAsText="1"/></ignoredErrors></worksheet>`
}
