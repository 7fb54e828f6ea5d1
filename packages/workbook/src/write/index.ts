export { type CellValue, maxCellLength } from './cells.ts'
export { workbookMediaType } from './package-parts.ts'
export { type WorkbookOptions, type WorkbookState, WorkbookWriter } from './workbook-writer.ts'
