import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { decodeSnapshot } from '@storedex/search-index'
import { describe, expect, test } from 'vitest'
import type { PlainStore } from '../../../../packages/search-index/test/support/plain-segments.ts'
import { type Mode, modes } from '../../../src/foundation/kernel/ids.ts'
import type { SegmentLists } from '../../../src/search/replica/replica.ts'
import { createReplicaWorld, expectSame, startTestReplica, temporaryFolder } from '../support/replica-world.ts'

/** Stores with two people each. The numbers of a store's people tell them from all others. */
const stores: PlainStore[] = Array.from({ length: 50 }, (_, index) => ({
  id: index + 1,
  negatedScore: -index,
  activeAds: 0,
  created: null,
  discovered: null,
  tokens: [index + 1],
  contacts: [
    { role: 7, traits: 0, number: index * 2 },
    { role: 0, traits: 23, number: index * 2 + 1 },
  ],
}))
const withoutFirst = (store: PlainStore): PlainStore => ({ ...store, contacts: store.contacts.slice(1) })

function numbersIn(lists: SegmentLists): Set<number> {
  return new Set(modes.flatMap((mode) => lists[mode].flatMap(({ segment }) => [...segment.contactNumbers])))
}

function numbersInFile(file: string): Set<number> {
  const bytes = readFileSync(file)
  const shared = new SharedArrayBuffer(bytes.length)
  new Uint8Array(shared).set(bytes)
  return numbersIn(decodeSnapshot<Mode>(shared).lists)
}

describe.each([
  ['merged on the spot', 100_000],
  ['merged aside', 0],
])('somebody who was erased (%s)', (_, backgroundMergeStores) => {
  test('is soon in no array of any segment and not in the snapshot', async () => {
    const world = await createReplicaWorld()
    await world.write('live', stores)
    const snapshotFile = join(temporaryFolder(), 'search', 'catalogue.snapshot')
    const timings = { backgroundMergeStores, purgeAfterMs: 100 }
    const running = startTestReplica(world, { settings: { snapshotFile }, timings })
    await running.waitForBatch(1)
    await expect.poll(() => running.report()?.snapshot?.batch).toBe(1)
    expect(numbersInFile(snapshotFile)).toContain(0)

    await running.waitForBatch(await world.write('live', [withoutFirst(stores[0]!)]))
    await expect.poll(() => numbersIn(running.view()!.lists)).not.toContain(0)
    await expect.poll(() => numbersInFile(snapshotFile)).not.toContain(0)
    expectSame(running.view()!, world)
  })

  test('is gone with a removed store too, which no index keeps', async () => {
    const world = await createReplicaWorld()
    await world.write('live', stores)
    const snapshotFile = join(temporaryFolder(), 'search', 'catalogue.snapshot')
    const timings = { backgroundMergeStores, purgeAfterMs: 100 }
    const running = startTestReplica(world, { settings: { snapshotFile }, timings })
    await running.waitForBatch(1)
    await expect.poll(() => running.report()?.snapshot?.batch).toBe(1)
    expect(numbersInFile(snapshotFile)).toContain(4)

    // Changed and removed between two looks, changed before, and never changed.
    await world.write('live', [withoutFirst(stores[1]!), withoutFirst(stores[4]!)])
    await running.waitForBatch(await world.remove('live', [stores[1]!.id, stores[2]!.id]))
    await running.waitForBatch(await world.remove('live', [stores[4]!.id]))
    await expect.poll(() => numbersIn(running.view()!.lists)).not.toContain(4)
    await expect.poll(() => numbersInFile(snapshotFile)).not.toContain(4)
    expectSame(running.view()!, world)

    await running.waitForBatch(await world.remove('live', [...world.stores.live.keys()]))
    await expect.poll(() => numbersIn(running.view()!.lists).size).toBe(0)
    expectSame(running.view()!, world)
  })

  test('is not in the snapshot either if the process died before writing a new one', async () => {
    const world = await createReplicaWorld()
    await world.write('live', stores)
    const snapshotFile = join(temporaryFolder(), 'search', 'catalogue.snapshot')
    const first = startTestReplica(world, { settings: { snapshotFile } })
    await first.waitForBatch(1)
    await expect.poll(() => first.report()?.snapshot?.batch).toBe(1)
    await first.replica.close()

    await world.write('live', [withoutFirst(stores[3]!)])
    const second = startTestReplica(world, {
      settings: { snapshotFile },
      timings: { backgroundMergeStores, purgeAfterMs: 0 },
    })
    await second.waitForBatch(2)
    await expect.poll(() => numbersInFile(snapshotFile)).not.toContain(6)
    expect(numbersIn(second.view()!.lists)).not.toContain(6)
  })
})

test('no snapshot is written before the purge', async () => {
  const world = await createReplicaWorld()
  await world.write('live', stores)
  const snapshotFile = join(temporaryFolder(), 'search', 'catalogue.snapshot')
  const timings = { snapshotEveryMs: 0, purgeAfterMs: 3_600_000 }
  const running = startTestReplica(world, { settings: { snapshotFile }, timings })
  await running.waitForBatch(1)
  await expect.poll(() => running.report()?.snapshot?.batch).toBe(1)
  await running.waitForBatch(await world.write('live', [withoutFirst(stores[0]!)]))
  await running.waitForBatch(await world.write('live', [{ ...stores[9]!, activeAds: 3 }]))
  await running.replica.close()
  expect(running.report()?.snapshot?.batch).toBe(1)
})

test('contacts that only changed cause no full merge', async () => {
  const world = await createReplicaWorld()
  await world.write('live', stores)
  const running = startTestReplica(world, { timings: { purgeAfterMs: 0 } })
  await running.waitForBatch(1)
  const changed = { ...stores[0]!, contacts: stores[0]!.contacts.map((contact) => ({ ...contact, traits: 9 })) }
  await running.waitForBatch(await world.write('live', [changed]))
  expectSame(running.view()!, world)
  expect(running.view()!.lists.live.map(({ segment }) => segment.size)).toEqual([50, 1])
})
