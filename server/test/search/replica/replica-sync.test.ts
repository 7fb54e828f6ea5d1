import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { PlainStore } from '../../../../packages/search-index/test/support/plain-segments.ts'
import {
  type Catalogue,
  catalogues,
  integer,
  randomFrom,
} from '../../../../packages/search-index/test/support/random-stores.ts'
import { createReplicaWorld, expectSame, type ReplicaWorld, follow, storesOf } from '../support/replica-world.ts'

const seeds = [20_261_121, Math.floor(Math.random() * 2 ** 31)]

function catalogueOf(seed: number, size: number): Catalogue {
  return { ...fc.sample(catalogues, { seed, numRuns: 1 })[0]!, ids: 'ascending', contacts: 'some', size }
}

/** Some of a mode's stores as another import leaves them, and some of their people gone. */
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
      follow(world),
      follow(world, { timings: { asideStores: 0, forgetAfterMs: 0 } }),
      follow(world, { timings: { portionStores: 7, asideStores: 60, forgetAfterMs: 50 } }),
    ]
    for (let step = 1; step <= 25; step++) {
      const changes = changesOf(world, catalogue, step)
      const batch = await world.write('live', changes)
      // Every other time batches pile up.
      if (step % 2 === 0) continue
      for (const following of followings) expectSame(await following.reaches(batch), world)
    }
    for (const { views, lines } of followings) {
      expect(lines.filter((line) => !line.startsWith('info'))).toEqual([])
      const batches = views.map((view) => view!.batch)
      expect(batches).toEqual(batches.toSorted((a, b) => a - b))
      for (const view of views) expect(view!.shelves.live.length).toBeLessThan(8)
    }
  },
)

test('a view that was shown never changes', async () => {
  const world = await createReplicaWorld()
  const catalogue = catalogueOf(1, 100)
  await world.write('live', storesOf(catalogue))
  const following = follow(world)
  const before = await following.reaches(1)
  const then = { stores: { live: new Map(world.stores.live), test: new Map(world.stores.test) } }
  await following.reaches(await world.write('live', storesOf(catalogue, 1)))
  expectSame(before, then)
})

describe('changes are found', async () => {
  const world = await createReplicaWorld()
  const stores = storesOf(catalogueOf(2, 60))
  await world.write('live', stores)

  test('by looking, where no notification comes', async () => {
    const following = follow(world)
    await following.reaches(1)
    expectSame(await following.reaches(await world.write('live', stores.slice(0, 5))), world)
  })

  test('by notification, long before it is time to look', async () => {
    const following = follow(world, { timings: { pollMs: 3_600_000 } })
    await following.reaches(1)
    await expect.poll(() => isListening(world)).toBe(true)
    expectSame(await following.reaches(await world.write('live', stores.slice(5, 9), { isTold: true })), world)
    await following.feed.close()
  })

  test('after the connections broke', async () => {
    const following = follow(world)
    await following.reaches(1)
    await world.db.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'storedex search'`,
    )
    expectSame(await following.reaches(await world.write('live', stores.slice(0, 5))), world)
    expect(following.views).not.toContain(null)
  })

  test('in portions, when there are many', async () => {
    const following = follow(world, { timings: { portionStores: 10 } })
    await following.reaches(1)
    const shown = following.views.length
    for (let batch = 0; batch < 6; batch++) await world.write('live', stores.slice(batch * 10, batch * 10 + 10))
    expectSame(await following.reaches(await world.newestBatch()), world)
    expect(following.views.length).toBeGreaterThan(shown + 1)
  })

  test('in an empty catalogue, too', async () => {
    const empty = await createReplicaWorld()
    const following = follow(empty)
    expectSame(await following.reaches(0), empty)
    expectSame(await following.reaches(await empty.write('live', stores)), empty)
  })
})

async function isListening({ db }: ReplicaWorld): Promise<boolean> {
  const { rows } = await db.query(
    `select from pg_stat_activity where datname = current_database() and query like 'listen %'`,
  )
  return rows.length > 0
}

describe('a database that was restored underneath', () => {
  const rewind = async (world: ReplicaWorld, batch: number) => {
    await world.db.query('update catalogue_state set batch = $1', [batch])
    await world.db.query('delete from catalogue_batches where batch > $1', [batch])
  }

  test.each([
    ['to an earlier batch', 0],
    ['and went another way from there', 2],
  ])('%s is read anew', async (_, further) => {
    const world = await createReplicaWorld()
    const stores = storesOf(catalogueOf(3, 40))
    for (let batch = 0; batch < 4; batch++) await world.write('live', stores.slice(batch * 10, batch * 10 + 10))
    const following = follow(world, { timings: { pollMs: 3_600_000 } })
    await following.reaches(4)
    await rewind(world, 2)
    await world.db.query('delete from stores where batch > 2')
    await world.db.query('delete from contacts where store_id not in (select id from stores)')
    for (const { id } of stores.slice(20, 40)) world.stores.live.delete(id)
    for (let batch = 0; batch < further; batch++) await world.write('live', stores.slice(30, 35))
    await world.db.query(`select pg_notify('storedex_catalogue', '')`)
    await expect.poll(() => following.views).toContain(null)
    expectSame(await following.reaches(2 + further), world)
    expect(following.lines).toContain(
      'warn: the database has another history than the search index, which is made anew',
    )
    await following.feed.close()
  })
})

test('closing leaves no connection', async () => {
  const world = await createReplicaWorld()
  await world.write('live', storesOf(catalogueOf(4, 10)))
  const following = follow(world)
  await following.reaches(1)
  await following.feed.close()
  const connections = async () => {
    const { rows } = await world.db.query(
      `select from pg_stat_activity where datname = current_database() and application_name = 'storedex search'`,
    )
    return rows.length
  }
  await expect.poll(connections).toBe(0)
})
