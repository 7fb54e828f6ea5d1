import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { keepResults, readResults } from '../search/report/results.ts'
import { count, ms, table } from '../search/report/tables.ts'
import type { StatementResults } from './bench.ts'
import type { ComparedTimes } from './times.ts'

/** A statement or an operation may become slower by this share. */
const maxRatio = 1.05

/** Stores a run beside the report in place of earlier ones of its size, and writes the report from all sizes. */
export function writeStatementsReport(file: string, results: StatementResults): void {
  const kept = join(dirname(file), 'results')
  keepResults(kept, 'statements', results)
  const sizes = readResults<StatementResults>(kept, 'statements')
  writeFileSync(file, `${[introduction, ...sizes.map(renderStatements)].join('\n\n')}\n`)
}

const introduction = `# Statements of an old version and of this one

Written by \`npm run bench -- statements --baseline COMMIT --report bench/statements.md\`, which replaces the figures of its number of
stores. [README](README.md) tells how they are timed.`

/** The section of one run, in Markdown. */
export function renderStatements(results: StatementResults): string {
  const { stores, commits, machine, rounds, date, changed, unchanged, seldom, operations, onlyOld, onlyNew, failed } =
    results
  const slower = [...changed, ...operations].filter(({ ratio }) => ratio > maxRatio)
  const verdict =
    slower.length === 0
      ? 'None is slower by more than 5 percent: met.'
      : `Slower by more than 5 percent: ${slower.map(({ name, ratio }) => `${name} (${ratio.toFixed(2)})`).join(', ')}.`
  return [
    `## ${count(stores)} stores: ${commits.old} and ${commits.new}`,
    `${date}, PostgreSQL ${machine.postgres}, ${machine.processors} processors (${machine.processor}), ${rounds} rounds. ${verdict}`,
    '### All statements of one request or command',
    table(
      ['', 'pairs', 'statements', 'old ms', 'new ms', 'new to old'],
      operations.map((each) => [
        each.name,
        count(each.executions),
        `${each.oldStatements} → ${each.newStatements}`,
        ...timesOf(each),
      ]),
    ),
    '### Statements whose text changed',
    table(
      ['', 'pairs', 'old ms', 'new ms', 'new to old'],
      changed.map((each) => [`\`${each.name}\``, count(each.executions), ...timesOf(each)]),
    ),
    noiseOf(unchanged),
    listOf('Sent by one of them too seldom to be compared', seldom),
    listOf('Only the old version sends', onlyOld),
    listOf('Only the new version sends', onlyNew),
    listOf('Failed when they were sent again, and are left out', failed),
  ]
    .filter((part) => part !== null)
    .join('\n\n')
}

/** A version that is no better and no worse would be within this range too. */
function noiseOf(unchanged: readonly ComparedTimes[]): string | null {
  if (unchanged.length === 0) return null
  const ratios = unchanged.map(({ ratio }) => ratio)
  const names = unchanged.map(({ name }) => `\`${name}\``).join(', ')
  return `Those whose text is the same, which is the noise: ${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)} (${names}).`
}

function timesOf({ oldMs, newMs, ratio }: ComparedTimes): string[] {
  return [ms(oldMs), ms(newMs), ratio > maxRatio ? `**${ratio.toFixed(2)}**` : ratio.toFixed(2)]
}

function listOf(title: string, names: readonly string[]): string | null {
  return names.length > 0 ? `${title}:\n\n${names.map((name) => `- \`${name}\``).join('\n')}` : null
}
