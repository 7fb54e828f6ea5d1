import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { PlainStore } from '../../../../packages/search-index/test/support/plain-segments.ts'
import { neededBytes } from '../../../src/search/replica/memory-budget.ts'
import { createReplicaWorld, expectSame, type ReplicaWorld, follow, temporaryFolder } from '../support/replica-world.ts'

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

/** As much as so many stores with a contact each need. */
const roomFor = (stores: number) => neededBytes({ stores, contacts: stores })

async function openWorld(stores: number): Promise<ReplicaWorld> {
  const world = await createReplicaWorld()
  await world.write('live', storesFrom(1, stores))
  await world.db.query('analyze stores, contacts')
  return world
}

test('a catalogue that fits is taken into memory', async () => {
  const world = await openWorld(500)
  const following = follow(world, { settings: { budgetBytes: roomFor(600) } })
  expectSame(await following.reaches(1), world)
  expect(following.report()).toMatchObject({ reason: null, neededBytes: roomFor(500) })
})

test('one that is too large is not even read, and why is told once', async () => {
  const world = await openWorld(500)
  const following = follow(world, { settings: { budgetBytes: 10_000 }, timings: { budgetCheckMs: 10 } })
  const reason = 'it needs about 0 MB, and SEARCH_MEMORY_MB is 0'
  await expect.poll(() => following.report()?.reason).toBe(reason)
  await world.write('live', storesFrom(1, 1), { isTold: true })
  await expect.poll(() => following.report()?.databaseBatch).toBe(2)
  expect(following.lines).toEqual([`warn: the search index is not kept in memory: ${reason}; PostgreSQL answers`])
  expect(following.views).toEqual([])
})

test('one that the planner takes for small is given up while it is read', async () => {
  const world = await createReplicaWorld()
  await world.write('live', storesFrom(1, 10))
  await world.db.query('analyze stores, contacts')
  await world.db.query('alter table stores set (autovacuum_enabled = false)')
  await world.write('live', storesFrom(1, 400))
  const following = follow(world, { settings: { budgetBytes: roomFor(390) } })
  await expect.poll(() => following.report()?.reason).toContain('it needs about')
  expect(following.views).toEqual([])
})

test('one that grows too large is given up with its snapshot, and taken back when there is room again', async () => {
  const world = await openWorld(500)
  const snapshotFile = join(temporaryFolder(), 'search', 'catalogue.snapshot')
  const settings = { budgetBytes: roomFor(600), snapshotFile }
  const following = follow(world, { settings, timings: { budgetCheckMs: 10 } })
  await following.reaches(1)
  await expect.poll(() => existsSync(snapshotFile)).toBe(true)
  await world.write('live', storesFrom(501, 200))
  await expect.poll(() => following.views.at(-1)).toBe(null)
  await expect.poll(() => existsSync(snapshotFile)).toBe(false)
  expect(following.report()?.reason).toContain('it needs about')

  await world.db.query('delete from stores where id > 400')
  await world.db.query('delete from contacts where store_id > 400')
  await world.db.query('vacuum analyze stores, contacts')
  for (const id of world.stores.live.keys()) if (id > 400) world.stores.live.delete(id)
  expectSame(await following.reaches(2), world)
})
