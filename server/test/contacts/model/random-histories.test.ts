import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { calls, type Move, operations, pauses, reveals } from './moves.ts'
import { playOut, type Step, type Tally } from './run.ts'
import { type Houses, openHouses } from './world.ts'

/**
 * Everything that searches, reveals and their retries answer and cost, against a model that knows the rules alone: on
 * two instances of the app, over top-ups, plans, trials, months, imports and erasures. Once with a fixed seed and once
 * with a new one, which is named in the test's title. STOREDEX_PROOF_RUNS makes it as many runs of each as wanted.
 */

let houses: Houses
beforeAll(async () => {
  houses = await openHouses()
})

const seeds = [20_261_121, Date.now() % 2 ** 31]
const runsWanted = Number(process.env.STOREDEX_PROOF_RUNS ?? 0)
const timeout = 120_000 + runsWanted * 20_000
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
/** Somebody is erased while being revealed. */
const erasedMeanwhile = reveals.map((move): Step => {
  const person = move.people[0]!.person
  return [move, { move: 'erase', person, pick: null }, move]
})
const together = fc.oneof(
  { weight: 7, arbitrary: fc.array(calls, { minLength: 2, maxLength: 4 }) },
  { weight: 1, arbitrary: repeated(calls) },
  { weight: 3, arbitrary: repeated(reveals) },
  { weight: 3, arbitrary: fc.tuple(calls, calls, operations).map((moves) => [...moves]) },
  { weight: 1, arbitrary: erasedMeanwhile },
  { weight: 3, arbitrary: alone(operations) },
  { weight: 1, arbitrary: pauses },
)

async function prove(
  steps: fc.Arbitrary<Step>,
  options: { seed: number; numRuns: number; length: number },
): Promise<Tally> {
  const tally: Tally = { requests: 0, seen: new Map() }
  const { length, ...parameters } = options
  await fc.assert(
    fc.asyncProperty(
      start,
      fc.array(steps, { minLength: length / 2, maxLength: length, size: 'max' }),
      (startMs, drawn) => playOut(houses, runs++, startMs, drawn, tally),
    ),
    { ...parameters, endOnFailure: true },
  )
  return tally
}

/** A run in which little happened would prove little. */
function expectMuchMet({ seen }: Tally): void {
  if (runsWanted > 0) console.log(Object.fromEntries(seen))
  for (const kind of ['search 200', 'reveal 200', 'reveal 402', 'reveal 404', 'reveal 409', 'replay', 'import done'])
    expect(seen.get(kind), kind).toBeGreaterThan(0)
}

describe.each(seeds)('replies and books are the model’s (seed %i)', (seed) => {
  test('one request after the other', { timeout }, async () => {
    const tally = await prove(oneByOne, { seed, numRuns: runsWanted || 12, length: 60 })
    expectMuchMet(tally)
  })

  test('several at once, for some order of them', { timeout }, async () => {
    const tally = await prove(together, { seed, numRuns: runsWanted || 12, length: 20 })
    expectMuchMet(tally)
  })
})
