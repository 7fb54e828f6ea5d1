import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { renderSize } from './report-size.ts'
import { keepResults, readResults, type SearchResults } from './results.ts'

/** One run for a terminal. */
export const tellSearchResults = renderSize

/** Keeps a run beside the report and writes the report anew, of the runs of all sizes that are kept. */
export function writeReport(file: string, results: SearchResults): void {
  const folder = join(dirname(file), 'results')
  keepResults(folder, results)
  const sections = readResults(folder).map(renderSize)
  writeFileSync(file, `${['# Searches, measured', ...sections].join('\n\n')}\n`)
}
