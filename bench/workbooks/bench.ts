import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Cleanup } from '@storedex/testkit'
import { captureScript } from '../../server/test/support/programs/program.ts'
import { createDatabase, type Workspace } from '../../server/test/support/programs/workspace.ts'
import type { ReadFigures } from '../read-table.ts'
import { writeCsvFile, writeWorkbookFile } from './rows.ts'

/** The most rows of a sheet, below its header. */
export const sheetRows = 1_048_575
/** Writing to the database takes longer than reading, and hides it. */
const mostImported = 100_000

const formats = { csv: writeCsvFile, xlsx: writeWorkbookFile }
type Format = keyof typeof formats

interface FileFigures extends ReadFigures {
  fileBytes: number
}

export interface WorkbookFigures {
  /** Everything is read, cleaned and checked, and nothing written. */
  checked: Record<Format, FileFigures>
  imported: Record<Format, FileFigures>
}

/** Reads the same rows as CSV and as a workbook, each in a process of its own. */
export async function benchWorkbooks(
  stores: number,
  workspace: Workspace,
  cleanup: Cleanup,
  reportProgress: (progress: string) => void,
): Promise<WorkbookFigures> {
  const script = join(import.meta.dirname, '../read-table.ts')
  const measure = async (format: Format, rows: number, flags: string[]): Promise<FileFigures> => {
    reportProgress(`writing ${rows} rows as ${format}`)
    const file = await formats[format](join(workspace.folder, `stores-${rows}.${format}`), rows)
    const url = await createDatabase(workspace.databaseUrl, cleanup)
    reportProgress(`reading them, ${flags.length > 0 ? 'writing nothing' : 'into an empty catalogue'}`)
    const printed = await captureScript(script, ['--url', url, '--file', file, ...flags], workspace, cleanup)
    return { ...(JSON.parse(printed) as ReadFigures), fileBytes: (await stat(file)).size }
  }
  const both = async (rows: number, ...flags: string[]) => ({
    csv: await measure('csv', rows, flags),
    xlsx: await measure('xlsx', rows, flags),
  })
  return { checked: await both(stores, '--dry-run'), imported: await both(Math.min(stores, mostImported)) }
}

export function formatWorkbookFigures(figures: WorkbookFigures): string {
  const lines = Object.entries(figures).flatMap(([what, { csv, xlsx }]: [string, Record<Format, FileFigures>]) => [
    formatRow([what, 'CSV', ...cellsOf(csv)]),
    formatRow([what, 'workbook', ...cellsOf(xlsx)]),
    formatRow([what, 'speed, workbook to CSV', ...ratiosOf(xlsx, csv)]),
  ])
  const head = ['', '', 'rows', 'MB', 'rows a second', 'seconds', 'processor seconds', 'MB at rest', 'MB more at most']
  const alignment = head.map((_, column) => (column < 2 ? '---' : '---:'))
  return [formatRow(head), formatRow(alignment), ...lines].join('\n')
}

const formatRow = (cells: readonly string[]) => `| ${cells.join(' | ')} |`

function cellsOf({ read, fileBytes, seconds, cpuSeconds, restMb, peakMb }: FileFigures): string[] {
  const round = (value: number) => Math.round(value).toLocaleString('en')
  const times = [seconds, cpuSeconds].map((time) => time.toFixed(1))
  return [round(read), round(fileBytes / 1e6), round(read / seconds), ...times, round(restMb), round(peakMb - restMb)]
}

/** By the clock, and by processor time, which depends less on what else the machine does. */
function ratiosOf(xlsx: FileFigures, csv: FileFigures): string[] {
  return ['', '', '', (csv.seconds / xlsx.seconds).toFixed(2), (csv.cpuSeconds / xlsx.cpuSeconds).toFixed(2), '', '']
}
