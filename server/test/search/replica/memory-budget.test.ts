import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import type { PlainStore } from '../../../../packages/search-index/test/support/plain-segments.ts'
import { estimateNeededBytes } from '../../../src/search/replica/memory-budget.ts'
import {
  createReplicaWorld,
  expectSame,
  type ReplicaWorld,
  startTestReplica,
  temporaryFolder,
} from '../support/replica-world.ts'

function storesFrom(first: number, count: number): PlainStore[] {
  return Array.from({ length: count }, (_, index) => ({
    id: first + index,
    negatedScore: 0,
    activeAds: 1,
    created: null,
    discovered: null,
    tokens: [1],
    contacts: [{ role: 0, traits: 0, number: 1 }],
  }))
}

/** Memory needed for stores with one contact each. */
const roomFor = (stores: number) => estimateNeededBytes({ stores, contacts: stores })

async function openWorld(stores: number): Promise<ReplicaWorld> {
  const world = await createReplicaWorld()
  await world.write('live', storesFrom(1, stores))
  await world.db.query('analyze stores, contacts')
  // What an import would say; Citus estimates nothing.
  if (inject('citusNodes'))
    await world.db.query('insert into catalogue_statistics (stores, contacts, taken_at) values ($1, $1, now())', [
      stores,
    ])
  return world
}

test('a catalogue that fits is loaded', async () => {
  const world = await openWorld(500)
  const running = startTestReplica(world, { settings: { budgetBytes: roomFor(600) } })
  expectSame(await running.waitForBatch(1), world)
  expect(running.report()).toMatchObject({ reason: null, neededBytes: roomFor(500) })
})

test('a catalogue that is too large is not read, and the reason is logged once', async () => {
  const world = await openWorld(500)
  const running = startTestReplica(world, { settings: { budgetBytes: 10_000 }, timings: { budgetCheckMs: 10 } })
  const reason = 'it needs about 0 MB, and SEARCH_MEMORY_MB is 0'
  await expect.poll(() => running.report()?.reason).toBe(reason)
  await world.write('live', storesFrom(1, 1), { notifies: true })
  await expect.poll(() => running.report()?.databaseBatch).toBe(2)
  expect(running.lines).toEqual([`warn: the search index does not fit into memory: ${reason}; PostgreSQL answers`])
  expect(running.views).toEqual([])
})

test('a catalogue larger than its estimate is dropped while it is read', async () => {
  const world = await createReplicaWorld()
  await world.write('live', storesFrom(1, 10))
  await world.db.query('analyze stores, contacts')
  await world.db.query('alter table stores set (autovacuum_enabled = false)')
  await world.write('live', storesFrom(1, 400))
  const running = startTestReplica(world, { settings: { budgetBytes: roomFor(390) } })
  await expect.poll(() => running.report()?.reason).toContain('it needs about')
  expect(running.views).toEqual([])
})

test('a catalogue that grows too large is dropped with its snapshot, and loaded again when it fits', async () => {
  const world = await openWorld(500)
  const snapshotFile = join(temporaryFolder(), 'search', 'catalogue.snapshot')
  const settings = { budgetBytes: roomFor(600), snapshotFile }
  const running = startTestReplica(world, { settings, timings: { budgetCheckMs: 10 } })
  await running.waitForBatch(1)
  await expect.poll(() => existsSync(snapshotFile)).toBe(true)
  await world.write('live', storesFrom(501, 200))
  await expect.poll(() => running.views.at(-1)).toBe(null)
  await expect.poll(() => existsSync(snapshotFile)).toBe(false)
  expect(running.report()?.reason).toContain('it needs about')

  await world.db.query('delete from stores where id > 400')
  await world.db.query('delete from contacts where store_id > 400')
  await world.db.query('vacuum analyze stores, contacts')
  for (const id of world.stores.live.keys()) if (id > 400) world.stores.live.delete(id)
  expectSame(await running.waitForBatch(2), world)
})
