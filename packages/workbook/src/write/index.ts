export type { CellValue } from './cells.ts'
export { type WorkbookOptions, type WorkbookState, WorkbookWriter } from './workbook-writer.ts'
