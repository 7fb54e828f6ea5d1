import { topics } from './file-case.ts'
import type { CaseResult } from './run-cases.ts'

/** One sentence for each file of which something else came than must. */
export function formatCaseFailures(results: readonly CaseResult[]): string[] {
  return results
    .filter(({ verdict }) => verdict !== 'right')
    .map(({ number, name, flags, verdict, deviations }) => {
      const options = flags.length > 0 ? ` (${flags.join(' ')})` : ''
      return `files, ${topics[number]}, ${name}${options}: ${verdict}: ${deviations.join('; ')}`
    })
}

const verdicts = ['right', 'told', 'wrong', 'silent'] as const

/** How many files of each topic came out right, and the names of all. */
export function renderFiles(results: readonly CaseResult[]): string {
  const numbers = [...new Set(results.map(({ number }) => number))]
  const count = (number: number, verdict: CaseResult['verdict']) =>
    results.filter((each) => each.number === number && each.verdict === verdict).length
  const total = numbers.map((number) => {
    const names = results.filter((each) => each.number === number).map(({ name }) => cellOf(name))
    const counts = verdicts.map((verdict) => count(number, verdict))
    return `| ${[topics[number], ...counts, names.join(' · ')].join(' | ')} |`
  })
  const header = [
    '| about | right | told otherwise | told, yet wrong | silent | files |',
    '| --- | ---: | ---: | ---: | ---: | --- |',
  ]
  return [...header, ...total].join('\n')
}

/** A table's cell in one line, with nothing in it that nobody sees. */
function cellOf(text: string): string {
  const codeOf = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  return text
    .replaceAll(/[\p{Cc}\p{Cf}\u00a0]/gu, codeOf)
    .replaceAll('|', '\\|')
    .replaceAll('<', '&lt;')
}
