import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { makesAllRuns, proofRuns } from '../../../../bin/tests/proof-runs.ts'
import type { Mode } from '../../../src/foundation/kernel/ids.ts'
import { startTestApp } from '../../support/app.ts'
import { type Change, ChangingCatalogue } from '../support/changing-catalogue.ts'
import {
  contactSearches,
  expectContacts,
  expectStores,
  memoryEngine,
  pagingPlans,
  storeSearches,
} from '../support/engine-comparison.ts'
import { personFacts, storeFacts } from '../support/random-catalogue.ts'
import { type RunningReplica, startTestReplica } from '../support/replica-world.ts'

/**
 * Random imports and erasures through the code that does them, and after each of them random queries: PostgreSQL, and
 * memory as two followers with different habits leave it, find what the reference finds of what should be on file. Run
 * with a fixed seed and with a new one. STOREDEX_PROOF_RUNS makes it as many queries of each kind and seed as wanted.
 */

const seeds = [20_261_121, Math.floor(Math.random() * 2 ** 31)]
const queriesPerChange = 5
const changes = Math.ceil(proofRuns(150) / queriesPerChange)

const shops = fc.nat(39)
const modes = fc.constantFrom<Mode>('live', 'live', 'live', 'test')
const names = fc.nat(3)
const some = <T>(of: fc.Arbitrary<T>, keyOf: (one: T) => unknown) =>
  fc.uniqueArray(of, { minLength: 1, maxLength: 60, selector: keyOf })
const changeOfAnyKind: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('stores' as const),
      mode: modes,
      stores: some(fc.record({ name: shops, facts: storeFacts }), ({ name }) => name),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('people' as const),
      mode: modes,
      people: some(
        fc.record({ store: shops, name: names, facts: personFacts }),
        ({ store, name }) => `${store} ${name}`,
      ),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('erasure' as const), pick: fc.nat() }) },
)

const app = await startTestApp({ now: '2026-11-01T00:00:00Z', environment: { SEARCH_ENGINE: 'postgres' } })
const catalogue = new ChangingCatalogue(app.operator)
let followers: RunningReplica[]

beforeAll(async () => {
  await catalogue.useTestTaxonomy()
  const world = { url: app.deps.databaseUrl }
  followers = [
    startTestReplica(world),
    // A replica with small portions that merges as often as possible.
    startTestReplica(world, { timings: { portionStores: 7, backgroundMergeStores: 40, purgeAfterMs: 20 } }),
  ]
})

test.each(seeds)(
  'after each change both engines find what is on file then (seed %i)',
  { timeout: 60_000 + changes * queriesPerChange * 300 },
  async (seed) => {
    const sequence = fc.sample(changeOfAnyKind, { seed, numRuns: changes })
    let answers = 0
    for (const [step, change] of sequence.entries()) {
      await catalogue.apply(change)
      const batch = await catalogue.newestBatch()
      const views = await Promise.all(followers.map((follower) => follower.waitForBatch(batch)))
      const engines = [app.deps.search, ...views.map(({ lists }) => memoryEngine(lists))]
      const standing = { stores: await catalogue.stores(), engines }
      const greatestId = Math.max(1, ...standing.stores.map(({ id }) => id))
      await fc.assert(
        fc.asyncProperty(storeSearches, contactSearches(greatestId), pagingPlans, async (stores, people, course) => {
          answers += await expectStores(standing, stores, course)
          answers += await expectContacts(standing, people, course)
        }),
        { seed: seed + step, numRuns: queriesPerChange },
      )
    }
    // Empty results alone would prove nothing.
    if (makesAllRuns) expect(answers).toBeGreaterThan(changes * queriesPerChange)
  },
)
