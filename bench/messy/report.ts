import { writeFileSync } from 'node:fs'
import type { DialectFigures, KindFigures } from './bench.ts'
import { renderFiles } from './files/report.ts'
import type { CaseResult } from './files/run-cases.ts'
import type { Deviation } from './judge/compare.ts'

/** Shares of the rows that have to be in after one import. */
const aims = { stores: 0.97, contacts: 0.97 }

const percent = (share: number) => `${(share * 100).toFixed(1)} %`
const number = (value: number) => value.toLocaleString('en')

/** What breaks a promise of the import, one sentence each; empty if every promise holds. */
export function failuresOf({ dialect, kinds }: DialectFigures): string[] {
  return kinds.flatMap(({ kind, verdict, report, dryRun, mended, afterMending }) => {
    const { comparison } = verdict
    const failures: [boolean, string][] = [
      [verdict.shareIn < aims[kind], `only ${percent(verdict.shareIn)} are in, the aim is ${percent(aims[kind])}`],
      [comparison.wrong.length > 0, `${number(comparison.wrong.length)} values are wrong`],
      [comparison.lost.length > 0, `${number(comparison.lost.length)} values are missing without a fault`],
      [verdict.wronglyRejected.length > 0, `${number(verdict.wronglyRejected.length)} readable rows were rejected`],
      [verdict.wronglyTaken.length > 0, `${number(verdict.wronglyTaken.length)} unreadable rows were taken`],
      [
        verdict.reportDeviations.length > 0,
        `the report counts other faults: ${JSON.stringify(verdict.reportDeviations)}`,
      ],
      [
        verdict.wrongExamples.length > 0,
        `examples stand at lines without that fault: ${JSON.stringify(verdict.wrongExamples)}`,
      ],
      [
        report.read !== report.inserted + report.updated + report.unchanged + report.rejected,
        'the counts do not add up',
      ],
      [dryRun.rejected - dryRun.would_take_with_drop !== report.rejected, 'the dry run promises other counts'],
      [
        mended !== null && mended.report.rejected > 0,
        `${number(mended?.report.rejected ?? 0)} mended rows were rejected again`,
      ],
      [afterMending.wrong.length > 0, `after mending, ${number(afterMending.wrong.length)} values are wrong`],
      [afterMending.lost.length > 0, `after mending, ${number(afterMending.lost.length)} values are missing`],
    ]
    return failures.filter(([fails]) => fails).map(([, failure]) => `${dialect.name}, ${kind}: ${failure}`)
  })
}

/** The first deviations, with the lines to look at. */
export function formatDeviations({ dialect, kinds }: DialectFigures, most = 20): string {
  return kinds
    .flatMap(({ kind, verdict, afterMending }) => {
      const describe = (label: string, list: Deviation[]) =>
        list.slice(0, most).map(({ field, got, expected, lines, key, faults = [] }) => {
          const values = `got ${JSON.stringify(got)}, expected ${JSON.stringify(expected)}`
          return `${dialect.name} ${kind} ${label}: ${field} ${values} (${key}, lines ${lines.join(', ')}: ${faults.join('; ')})`
        })
      return [
        ...describe('wrong', verdict.comparison.wrong),
        ...describe('missing', verdict.comparison.lost),
        ...describe('wrong after mending', afterMending.wrong),
        ...describe('missing after mending', afterMending.lost),
        `${dialect.name} ${kind} readable but rejected: ${verdict.wronglyRejected.slice(0, most).join(', ') || 'none'}`,
        `${dialect.name} ${kind} unreadable but taken: ${verdict.wronglyTaken.slice(0, most).join(', ') || 'none'}`,
      ]
    })
    .join('\n')
}

const columns: [string, (figures: KindFigures) => string][] = [
  ['', ({ kind }) => kind],
  ['rows', ({ rows }) => number(rows)],
  ['without any fault', ({ faultless, rows }) => percent(faultless / rows)],
  ['in', ({ verdict }) => percent(verdict.shareIn)],
  ['values compared', ({ verdict }) => number(verdict.comparison.values)],
  ['wrong', ({ verdict }) => number(verdict.comparison.wrong.length)],
  ['left out and told', ({ report }) => number(report.dropped)],
  ['missing, not told', ({ verdict }) => number(verdict.comparison.lost.length + verdict.reportDeviations.length)],
  ['rejected', ({ report }) => number(report.rejected)],
  ['mended rows rejected again', ({ mended }) => number(mended?.report.rejected ?? 0)],
]

export function renderMessyReport(all: readonly DialectFigures[], files: readonly CaseResult[]): string {
  const tables = all.map(({ dialect, kinds }) => {
    const rows = kinds.map((figures) => `| ${columns.map(([, render]) => render(figures)).join(' | ')} |`)
    const flags = dialect.flags.length > 0 ? `, imported with \`${dialect.flags.join(' ')}\`` : ''
    return [
      `**${dialect.description}**${flags}`,
      '',
      `| ${columns.map(([title]) => title).join(' | ')} |`,
      `| --- |${' ---: |'.repeat(columns.length - 1)}`,
      ...rows,
    ].join('\n')
  })
  if (files.length > 0) tables.push(`## Small files, each by itself\n\n${renderFiles(files)}`)
  return tables.join('\n\n')
}

export function writeMessyReport(file: string, all: readonly DialectFigures[], files: readonly CaseResult[]): void {
  const intro = `# Importing messy files

Written by \`npm run bench -- messy --report ${'bench/messy.md'}\`. Each file is imported once into a new installation, with the mapping of
two columns and \`--on-bad-value drop\`. Then every value in the catalogue is compared with what was meant, and what was rejected is mended
and imported again. [How it works](README.md#messy-files).
`
  const kinds = all[0]!.kinds.map(
    ({ kind, drawn }) =>
      `## Faults of ${kind}\n\n| fault | rows |\n| --- | ---: |\n${Object.entries(drawn)
        .sort(([, a], [, b]) => b - a)
        .map(([name, rows]) => `| ${name.replaceAll('|', '\\|')} | ${number(rows)} |`)
        .join('\n')}`,
  )
  writeFileSync(file, `${[intro, renderMessyReport(all, files), ...kinds].join('\n\n')}\n`)
}
