import { expect, test } from 'vitest'
import { proofRuns } from '../../../../bin/tests/proof-runs.ts'
import type { PlainStore } from '../../../../packages/search-index/test/support/plain-segments.ts'
import { type Catalogue, integer, randomFrom } from '../../../../packages/search-index/test/support/random-stores.ts'
import {
  catalogueOf,
  createReplicaWorld,
  expectSame,
  type ReplicaWorld,
  startTestReplica,
  storesOf,
} from '../support/replica-world.ts'

/** On a busy machine a connection may take too long; the update is then tried again. */
const connectionFailed = /retrying \((timeout|Connection terminated|Query read timeout|sorry, too many)/

const steps = proofRuns(25, 7)
const seeds = [20_261_121, Math.floor(Math.random() * 2 ** 31)]

/** Changes some of a mode's stores and removes some of their contacts. */
function changesOf(world: ReplicaWorld, catalogue: Catalogue, step: number): PlainStore[] {
  const random = randomFrom(catalogue.seed + step)
  const share = [0.02, 0.3, 1][integer(random, 3)]!
  const fresh = storesOf({ ...catalogue, size: catalogue.size + step * 5 }, step)
  return fresh
    .filter(({ id }) => !world.stores.live.has(id) || random() < share)
    .map((store) => (random() < 0.5 ? store : (world.stores.live.get(store.id) ?? store)))
    .map((store) => ({ ...store, contacts: store.contacts.filter(() => random() < 0.8) }))
}

test.each(seeds)(
  'what is shown is the catalogue, batch by batch, with merges here and aside (seed %i)',
  async (seed) => {
    const world = await createReplicaWorld()
    const catalogue = catalogueOf(seed, 150)
    await world.write('live', storesOf(catalogue))
    await world.write(
      'test',
      storesOf({ ...catalogue, size: 20 }).map((store) => ({ ...store, id: store.id + 100_000 })),
    )
    const followings = [
      startTestReplica(world),
      startTestReplica(world, { timings: { backgroundMergeStores: 0, purgeAfterMs: 0 } }),
      startTestReplica(world, { timings: { portionStores: 7, backgroundMergeStores: 60, purgeAfterMs: 50 } }),
    ]
    for (let step = 1; step <= steps; step++) {
      const changes = changesOf(world, catalogue, step)
      const batch = await world.write('live', changes)
      // Every other time, several batches are applied at once.
      if (step % 2 === 0) continue
      for (const running of followings) expectSame(await running.waitForBatch(batch), world)
    }
    for (const { views, lines } of followings) {
      expect(lines.filter((line) => !line.startsWith('info') && !connectionFailed.test(line)).join('\n')).toBe('')
      const batches = views.map((view) => view!.batch)
      expect(batches).toEqual(batches.toSorted((a, b) => a - b))
      for (const view of views) expect(view!.lists.live.length).toBeLessThan(8)
    }
  },
)
