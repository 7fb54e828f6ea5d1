import type { Operation } from '../api/load/workload.ts'
import { type CompareResults, importRatioOf, middleOf, ratioOf } from './results.ts'

interface Aim {
  what: string
  aim: string
  found: string
  isMet: boolean
}

const aimedConnections = 32
const maxSearchMs = 0.45

const searches: readonly Operation[] = ['search', 'lookup']
/** Not aimed at by themselves; measured by the same figure. */
const largerReadings: readonly Operation[] = ['enrich', 'contact_search']
const reveals: readonly Operation[] = ['reveal_1', 'reveal_10', 'reveal_1_keyed', 'reveal_10_keyed']

/** The aims that the results cover. */
export function aimsOf(results: CompareResults): Aim[] {
  return [
    ...aimsOfThroughput(results, 'searches and lookups', searches, 2.5),
    ...aimsOfThroughput(results, 'enrichments and contact searches', largerReadings, 2.5),
    ...aimsOfThroughput(results, 'reveals', reveals, 2),
    ...aimsOfProcessorTime(results),
    ...aimsOfOneConnection(results),
    ...aimsBesideImport(results),
  ]
}

function aimsOfThroughput(
  { comparisons }: CompareResults,
  what: string,
  aimed: readonly Operation[],
  least: number,
): Aim[] {
  const found = comparisons
    .filter(({ operation, crowd }) => crowd.connections === aimedConnections && aimed.includes(operation))
    .map(({ operation, crowd, rounds }) => ({
      ratio: ratioOf(rounds, 'new', 'perSecond')!,
      name: `${operation}, ${crowd.accounts === 1 ? 'one account' : `${crowd.accounts} accounts`}`,
    }))
  if (found.length === 0) return []
  const missed = found.filter(({ ratio }) => ratio < least)
  const lowest = Math.min(...found.map(({ ratio }) => ratio))
  const most = Math.max(...found.map(({ ratio }) => ratio))
  const exceptions = missed.map(({ name, ratio }) => `${name} ${ratio.toFixed(2)}`)
  return [
    {
      what: `${what} a second at ${aimedConnections} connections, new to old`,
      aim: `at least ${least} times`,
      found: [`${lowest.toFixed(2)} to ${most.toFixed(2)}`, ...exceptions].join('; '),
      isMet: missed.length === 0,
    },
  ]
}

function aimsOfProcessorTime({ comparisons }: CompareResults): Aim[] {
  return comparisons
    .filter(({ operation, crowd }) => operation === 'search' && crowd.connections === aimedConnections)
    .map(({ crowd, rounds }) => {
      const found = middleOf(rounds, 'new', 'nodeMicros')! / 1_000
      return {
        what: `Node's processor time a search at ${aimedConnections} connections, ${crowd.accounts === 1 ? 'one account' : `${crowd.accounts} accounts`}`,
        aim: `at most ${maxSearchMs} ms`,
        found: `${found.toFixed(2)} ms`,
        isMet: found <= maxSearchMs,
      }
    })
}

function aimsOfOneConnection({ comparisons }: CompareResults): Aim[] {
  const found = comparisons
    .filter(({ crowd }) => crowd.connections === 1)
    .map(({ operation, rounds }) => ({ operation, ratio: ratioOf(rounds, 'new', 'p50Ms')! }))
  if (found.length === 0) return []
  const isMet = found.every(({ ratio }) => ratio <= 1)
  return [
    {
      what: 'p50 of one connection, new to old',
      aim: 'at most 1 time',
      found: found.map(({ operation, ratio }) => `${operation} ${ratio.toFixed(2)}`).join(', '),
      isMet,
    },
  ]
}

function aimsBesideImport(results: CompareResults): Aim[] {
  const ratio = importRatioOf(results)
  if (ratio === null) return []
  return [
    {
      what: 'p99 of searches beside an import, new to old',
      aim: 'at most 1 time',
      found: `${ratio.toFixed(2)} times`,
      isMet: ratio <= 1,
    },
  ]
}
