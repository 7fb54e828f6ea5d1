import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { makesAllRuns, proofRuns } from '../../../../bin/tests/proof-runs.ts'
import { calls, type Move, operations, pauses, reveals } from './support/model/moves.ts'
import { type Coverage, runHistory, type Step } from './support/model/run.ts'
import { type Servers, startServers } from './support/model/world.ts'

/**
 * Compares the replies and costs of random searches, reveals and retries with a model of the rules: on two instances of the
 * app, across top-ups, plans, trials, months, imports and erasures. Runs once with a fixed seed and once with a new one, shown
 * in the title. STOREDEX_PROOF_RUNS sets the number of runs of each.
 */

let servers: Servers
beforeAll(async () => {
  servers = await startServers()
})

const seeds = [20_261_121, Date.now() % 2 ** 31]
const histories = proofRuns(12, 3)
const timeout = 120_000 + histories * 20_000
let runs = 0

// Days that shorter months lack, the last moment of a leap February, the turn of a year.
const start = fc
  .constantFrom(
    '2027-12-31T23:58:00.000Z',
    '2028-01-31T10:00:00.500Z',
    '2028-02-29T23:59:59.999Z',
    '2030-06-15T00:00:00.000Z',
  )
  .map((text) => Date.parse(text))

const alone = (moves: fc.Arbitrary<Move>): fc.Arbitrary<Step> => moves.map((move) => [move])
const oneByOne = fc.oneof(
  { weight: 10, arbitrary: alone(calls) },
  { weight: 3, arbitrary: alone(operations) },
  { weight: 1, arbitrary: pauses },
)
const repeated = (moves: fc.Arbitrary<Move>) =>
  fc.tuple(moves, fc.integer({ min: 2, max: 4 })).map(([move, times]): Step => Array(times).fill(move))
const erasedDuringReveal = reveals.map((move): Step => {
  const person = move.people[0]!.person
  return [move, { move: 'erase', person, pick: null }, move]
})
const together = fc.oneof(
  { weight: 7, arbitrary: fc.array(calls, { minLength: 2, maxLength: 4 }) },
  { weight: 1, arbitrary: repeated(calls) },
  { weight: 3, arbitrary: repeated(reveals) },
  { weight: 3, arbitrary: fc.tuple(calls, calls, operations).map((moves) => [...moves]) },
  { weight: 1, arbitrary: erasedDuringReveal },
  { weight: 3, arbitrary: alone(operations) },
  { weight: 1, arbitrary: pauses },
)

async function checkHistories(
  steps: fc.Arbitrary<Step>,
  options: { seed: number; numRuns: number; length: number },
): Promise<Coverage> {
  const coverage: Coverage = { requests: 0, seen: new Map() }
  const { length, ...parameters } = options
  await fc.assert(
    fc.asyncProperty(
      start,
      fc.array(steps, { minLength: length / 2, maxLength: length, size: 'max' }),
      (startMs, drawn) => runHistory(servers, runs++, startMs, drawn, coverage),
    ),
    { ...parameters, endOnFailure: true },
  )
  return coverage
}

/** Runs without refusals and replays would prove little. The few of `npm test` may lack one of them by chance. */
function expectCoverage({ seen }: Coverage): void {
  if (!makesAllRuns) return
  if (process.env.STOREDEX_PROOF_RUNS) console.log(Object.fromEntries(seen))
  for (const kind of ['search 200', 'reveal 200', 'reveal 402', 'reveal 404', 'reveal 409', 'replay', 'import done'])
    expect(seen.get(kind), kind).toBeGreaterThan(0)
}

describe.each(seeds)('replies and stored figures equal those of the model (seed %i)', (seed) => {
  test('sequential requests get the replies of the model', { timeout }, async () => {
    const coverage = await checkHistories(oneByOne, { seed, numRuns: histories, length: 60 })
    expectCoverage(coverage)
  })

  test('concurrent requests get the replies of the model for one order', { timeout }, async () => {
    const coverage = await checkHistories(together, { seed, numRuns: histories, length: 20 })
    expectCoverage(coverage)
  })
})
