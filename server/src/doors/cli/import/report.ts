import { escapeLine } from '@storedex/process-lock/terminal'
import type { ImportResult } from '../../../catalogue/imports/records/import-file.ts'
import type { ImportProblem } from '../../../catalogue/imports/records/report.ts'
import { formatNumber } from '../../../foundation/kernel/time.ts'
import { formatTable } from '../output.ts'

/** The report of an import for a person: how the file was read, the counts, and the problems by field and reason. */
export function formatImport(result: ImportResult, noun: string): string {
  return [
    describeFile(result),
    describeCounts(result, noun),
    describeProblems(result),
    describeNotices(result),
    describeRejects(result),
  ]
    .filter((part) => part !== null)
    .join('\n')
}

const delimiterNames: Record<string, string> = { ',': 'commas', ';': 'semicolons', '\t': 'tabs', '|': 'bars (|)' }

function describeFile({ format, encoding, delimiter, decimal, decoded, sheet }: ImportResult): string | null {
  if (sheet !== null) return `Read from the sheet ${JSON.stringify(cut(sheet))}.`
  if (format !== 'csv' || delimiter === null) return null
  const read = `Read as CSV with ${delimiterNames[delimiter]} between cells, in ${encoding}, with decimal ${decimal}s.`
  // Only a person knows whether it is right.
  return decoded === null
    ? read
    : `${read}\nIn ${encoding}, line ${decoded.line} reads ${JSON.stringify(cut(decoded.value))}.`
}

function describeCounts(
  { read, inserted, updated, unchanged, rejected, dropped, seconds, dry_run, stopped }: ImportResult,
  noun: string,
): string {
  const verb = dry_run ? 'would be ' : ''
  const left = dropped > 0 ? `; ${formatNumber(dropped)} values ${dry_run ? 'would be ' : ''}left out` : ''
  const counts = `${read} ${noun}s read in ${seconds} s: ${inserted} ${verb}inserted, ${updated} updated, ${unchanged} unchanged, ${rejected} rejected${left}.`
  const ending = stopped ? ' Stopped before the end of the file.' : dry_run ? ' Nothing was written.' : ''
  return `${counts}${ending}`
}

const shownProblems = 30

function describeProblems({ problems, rejected, would_take_with_drop }: ImportResult): string | null {
  if (problems.length === 0) return null
  const rows = problems.slice(0, shownProblems).map(formatProblem)
  const more = problems.length - rows.length
  return [
    '',
    formatTable(['count', 'field', 'problem', 'for example', 'what helps'], rows),
    ...(more > 0 ? [`… and ${more} more; --json has all of them.`] : []),
    ...(would_take_with_drop > 0
      ? [
          '',
          `Of the ${formatNumber(rejected)} rejected records, --on-bad-value drop would take ${formatNumber(would_take_with_drop)} without their bad values.`,
        ]
      : []),
  ].join('\n')
}

function describeNotices({ notices }: ImportResult): string | null {
  if (notices.length === 0) return null
  const rows = notices.slice(0, shownProblems).map(formatProblem)
  return ['', formatTable(['count', 'field', 'worth knowing', 'for example', 'what helps'], rows)].join('\n')
}

const maxShown = 40

function formatProblem({ field, reason, count, line, value, hint }: ImportProblem): string[] {
  // One line each, whatever the value contains.
  const shown = value === null ? '' : ` ${JSON.stringify(cut(value))}`
  return [formatNumber(count), field, reason, `line ${line}:${shown}`.replace(/:$/, ''), hint ?? '']
}

function cut(text: string): string {
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text
}

function describeRejects({ rejects_file, format }: ImportResult): string | null {
  if (rejects_file === null) return null
  const advice = format === 'csv' || format === 'xlsx' ? ' Mend them there, and import that file.' : ''
  return `\nRejected records, with reasons, are in ${escapeLine(rejects_file)}.${advice}`
}
