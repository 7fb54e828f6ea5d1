import { describe, expect, test } from 'vitest'
import {
  catalogueOf,
  createReplicaWorld,
  expectSame,
  type ReplicaWorld,
  startTestReplica,
  storesOf,
} from '../support/replica-world.ts'

test('a view never changes', async () => {
  const world = await createReplicaWorld()
  const catalogue = catalogueOf(1, 100)
  await world.write('live', storesOf(catalogue))
  const running = startTestReplica(world)
  const before = await running.waitForBatch(1)
  const then = { stores: { live: new Map(world.stores.live), test: new Map(world.stores.test) } }
  await running.waitForBatch(await world.write('live', storesOf(catalogue, 1)))
  expectSame(before, then)
})

describe('changes are found', async () => {
  const world = await createReplicaWorld()
  const stores = storesOf(catalogueOf(2, 60))
  await world.write('live', stores)

  test('by polling, without notifications', async () => {
    const running = startTestReplica(world)
    await running.waitForBatch(1)
    expectSame(await running.waitForBatch(await world.write('live', stores.slice(0, 5))), world)
  })

  test('by notification, long before the next poll', async () => {
    const running = startTestReplica(world, { timings: { pollMs: 3_600_000 } })
    await running.waitForBatch(1)
    await expect.poll(() => isListening(world)).toBe(true)
    expectSame(await running.waitForBatch(await world.write('live', stores.slice(5, 9), { notifies: true })), world)
    await running.replica.close()
  })

  test('after the connections broke', async () => {
    const running = startTestReplica(world)
    await running.waitForBatch(1)
    await world.db.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'storedex search'`,
    )
    expectSame(await running.waitForBatch(await world.write('live', stores.slice(0, 5))), world)
    expect(running.views).not.toContain(null)
  })

  test('in portions, if there are many', async () => {
    const running = startTestReplica(world, { timings: { portionStores: 10 } })
    await running.waitForBatch(1)
    const shown = running.views.length
    for (let batch = 0; batch < 6; batch++) await world.write('live', stores.slice(batch * 10, batch * 10 + 10))
    expectSame(await running.waitForBatch(await world.newestBatch()), world)
    expect(running.views.length).toBeGreaterThan(shown + 1)
  })

  test('in an empty catalogue', async () => {
    const empty = await createReplicaWorld()
    const running = startTestReplica(empty)
    expectSame(await running.waitForBatch(0), empty)
    expectSame(await running.waitForBatch(await empty.write('live', stores)), empty)
  })
})

async function isListening({ db }: ReplicaWorld): Promise<boolean> {
  const { rows } = await db.query(
    `select from pg_stat_activity where datname = current_database() and query like 'listen %'`,
  )
  return rows.length > 0
}

describe('a restored database', () => {
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
    const running = startTestReplica(world, { timings: { pollMs: 3_600_000 } })
    await running.waitForBatch(4)
    await rewind(world, 2)
    await world.db.query('delete from stores where batch > 2')
    await world.db.query('delete from contacts where store_id not in (select id from stores)')
    for (const { id } of stores.slice(20, 40)) world.stores.live.delete(id)
    for (let batch = 0; batch < further; batch++) await world.write('live', stores.slice(30, 35))
    await world.db.query(`select pg_notify('storedex_catalogue', '')`)
    await expect.poll(() => running.views).toContain(null)
    expectSame(await running.waitForBatch(2 + further), world)
    expect(running.lines).toContain('warn: database history changed; rebuilding the search index')
    await running.replica.close()
  })
})

test('closing closes all connections', async () => {
  const world = await createReplicaWorld()
  await world.write('live', storesOf(catalogueOf(4, 10)))
  const running = startTestReplica(world)
  await running.waitForBatch(1)
  await running.replica.close()
  const connections = async () => {
    const { rows } = await world.db.query(
      `select from pg_stat_activity where datname = current_database() and application_name = 'storedex search'`,
    )
    return rows.length
  }
  await expect.poll(connections).toBe(0)
})
