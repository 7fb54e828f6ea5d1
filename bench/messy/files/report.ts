import type { CaseResult } from './run-cases.ts'

/** One sentence for each file of which something else came than must. */
export function formatCaseFailures(results: readonly CaseResult[]): string[] {
  return results
    .filter(({ verdict }) => verdict !== 'right')
    .map(({ number, name, flags, verdict, deviations }) => {
      const options = flags.length > 0 ? ` (${flags.join(' ')})` : ''
      return `files, ${number}, ${name}${options}: ${verdict}: ${deviations.join('; ')}`
    })
}

/** How many files of each number came out right, and the names of all. */
export function renderFiles(results: readonly CaseResult[]): string {
  const numbers = [...new Set(results.map(({ number }) => number))]
  const count = (number: number, verdict: CaseResult['verdict']) =>
    results.filter((each) => each.number === number && each.verdict === verdict).length
  const total = numbers.map((number) => {
    const names = results.filter((each) => each.number === number).map(({ name }) => cellOf(name))
    return `| ${number} | ${count(number, 'right')} | ${count(number, 'told')} | ${count(number, 'wrong')} | ${count(number, 'silent')} | ${names.join(' · ')} |`
  })
  return [
    '| number | right | told otherwise | told, yet wrong | silent | files |',
    '| ---: | ---: | ---: | ---: | ---: | --- |',
    ...total,
  ].join('\n')
}

/** A table's cell in one line. */
function cellOf(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;')
}
