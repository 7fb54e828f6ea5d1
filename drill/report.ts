import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { OutcomeWithPlots } from './runner.ts'
import type { Outcome } from './scenario.ts'

/**
 * Stores an outcome beside the report and writes the report from all stored ones, in the order of `names`: a long run can
 * be done in parts.
 */
export function writeReport(file: string, { outcome, plots }: OutcomeWithPlots, names: readonly string[]): void {
  const folder = dirname(file)
  const [results, drawings] = [join(folder, 'results'), join(folder, 'plots')]
  for (const each of [results, drawings]) mkdirSync(each, { recursive: true })
  for (const [name, svg] of plots) writeFileSync(join(drawings, name), svg)
  writeFileSync(join(results, `${outcome.name}.json`), `${JSON.stringify(outcome, null, 2)}\n`)
  const outcomes = readdirSync(results).map((name) => JSON.parse(readFileSync(join(results, name), 'utf8')) as Outcome)
  const sorted = outcomes
    .filter(({ name }) => names.includes(name))
    .sort((a, b) => names.indexOf(a.name) - names.indexOf(b.name))
  writeFileSync(file, renderReport(sorted))
}

export function renderReport(outcomes: readonly Outcome[]): string {
  const rows = outcomes.map(
    ({ name, title, status, checks, seconds, isShort }) =>
      `| [${name}](#${name}) | ${title} | ${status}${isShort ? ', short form' : ''} | ${checks.filter(({ isKept }) => isKept).length} of ${checks.length} | ${seconds} s |`,
  )
  return `${[
    '# Drill',
    '',
    'Written by `npm run drill -- --report drill/report.md`; [how to run and read it](README.md). Each scenario states the expected and the actual behaviour.',
    '',
    '| scenario | fault | result | promises kept | took |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
    ...outcomes.flatMap(renderOutcome),
  ].join('\n')}\n`
}

function renderOutcome(outcome: Outcome): string[] {
  const { name, title, expected, status, reason, date, version, machine, checks, figures, plots } = outcome
  return [
    '',
    `## ${name}`,
    '',
    `${title}: **${status}**, ${date}, version ${version}. ${machine}.`,
    '',
    `Expected: ${expected}`,
    ...(reason === null
      ? []
      : ['', status === 'skipped' ? `Skipped: ${reason}` : `The scenario broke:\n\n\`\`\`\n${reason}\n\`\`\``]),
    ...(checks.length === 0 ? [] : ['', '| promise | kept | what came |', '| --- | --- | --- |']),
    ...checks.map(({ promise, isKept, came }) => `| ${promise} | ${isKept ? 'yes' : '**no**'} | ${cell(came)} |`),
    ...(figures.length === 0 ? [] : ['', '| figure | value |', '| --- | --- |']),
    ...figures.map((figure) => `| ${figure.name} | ${cell(figure.value)} |`),
    ...plots.flatMap((plot) => ['', `![${plot.replace(/\.svg$/, '')}](plots/${plot})`]),
  ]
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ')
