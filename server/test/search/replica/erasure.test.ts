import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { decodeSnapshot } from '@storedex/search-index'
import { describe, expect, test } from 'vitest'
import type { PlainStore } from '../../../../packages/search-index/test/support/plain-segments.ts'
import { type Mode, modes } from '../../../src/kernel/ids.ts'
import type { SegmentLists } from '../../../src/search/replica/replica.ts'
import { createReplicaWorld, expectSame, follow, temporaryFolder } from '../support/replica-world.ts'

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

function numbersIn(shelves: SegmentLists): Set<number> {
  return new Set(modes.flatMap((mode) => shelves[mode].flatMap(({ segment }) => [...segment.contactNumbers])))
}

function numbersInFile(file: string): Set<number> {
  const bytes = readFileSync(file)
  const shared = new SharedArrayBuffer(bytes.length)
  new Uint8Array(shared).set(bytes)
  return numbersIn(decodeSnapshot<Mode>(shared).shelves)
}

describe.each([
  ['merged on the spot', 100_000],
  ['merged aside', 0],
])('somebody who was erased (%s)', (_, asideStores) => {
  test('is soon in no array of any segment, and not in the snapshot', async () => {
    const world = await createReplicaWorld()
    await world.write('live', stores)
    const snapshotFile = join(temporaryFolder(), 'search', 'catalogue.snapshot')
    const timings = { asideStores, forgetAfterMs: 100 }
    const following = follow(world, { settings: { snapshotFile }, timings })
    await following.reaches(1)
    await expect.poll(() => following.report()?.snapshot?.batch).toBe(1)
    expect(numbersInFile(snapshotFile)).toContain(0)

    await following.reaches(await world.write('live', [withoutFirst(stores[0]!)]))
    await expect.poll(() => numbersIn(following.view()!.shelves)).not.toContain(0)
    await expect.poll(() => numbersInFile(snapshotFile)).not.toContain(0)
    expectSame(following.view()!, world)
  })

  test('is out of the snapshot also when the process died before it could write another', async () => {
    const world = await createReplicaWorld()
    await world.write('live', stores)
    const snapshotFile = join(temporaryFolder(), 'search', 'catalogue.snapshot')
    const first = follow(world, { settings: { snapshotFile } })
    await first.reaches(1)
    await expect.poll(() => first.report()?.snapshot?.batch).toBe(1)
    await first.feed.close()

    await world.write('live', [withoutFirst(stores[3]!)])
    const second = follow(world, { settings: { snapshotFile }, timings: { asideStores, forgetAfterMs: 0 } })
    await second.reaches(2)
    await expect.poll(() => numbersInFile(snapshotFile)).not.toContain(6)
    expect(numbersIn(second.view()!.shelves)).not.toContain(6)
  })
})

test('until then no snapshot is written', async () => {
  const world = await createReplicaWorld()
  await world.write('live', stores)
  const snapshotFile = join(temporaryFolder(), 'search', 'catalogue.snapshot')
  const timings = { snapshotEveryMs: 0, forgetAfterMs: 3_600_000 }
  const following = follow(world, { settings: { snapshotFile }, timings })
  await following.reaches(1)
  await expect.poll(() => following.report()?.snapshot?.batch).toBe(1)
  await following.reaches(await world.write('live', [withoutFirst(stores[0]!)]))
  await following.reaches(await world.write('live', [{ ...stores[9]!, activeAds: 3 }]))
  await following.feed.close()
  expect(following.report()?.snapshot?.batch).toBe(1)
})

test('people who only changed make no merge of everything', async () => {
  const world = await createReplicaWorld()
  await world.write('live', stores)
  const following = follow(world, { timings: { forgetAfterMs: 0 } })
  await following.reaches(1)
  const changed = { ...stores[0]!, contacts: stores[0]!.contacts.map((contact) => ({ ...contact, traits: 9 })) }
  await following.reaches(await world.write('live', [changed]))
  expectSame(following.view()!, world)
  expect(following.view()!.shelves.live.map(({ segment }) => segment.size)).toEqual([50, 1])
})
