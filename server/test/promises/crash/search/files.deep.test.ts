import { execFileSync } from 'node:child_process'
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { CatalogueSnapshot } from '@storedex/search-index'
import { describe, expect, onTestFinished, test } from 'vitest'
import { isRoot } from '../../../../../packages/embedded-postgres/test/support.ts'
import type { PlainStore } from '../../../../../packages/search-index/test/support/plain-segments.ts'
import type { Mode } from '../../../../src/foundation/kernel/ids.ts'
import { readSnapshotFile } from '../../../../src/search/replica/snapshot-file.ts'
import {
  createReplicaWorld,
  expectSame,
  type ReplicaWorld,
  startTestReplica,
  temporaryFolder,
} from '../../../search/support/replica-world.ts'

/** Faults of the snapshot's path and folder. Others are in the replica's own tests. */

/** Stores that differ by their number of ads. */
function storesWith(activeAds: number, count = 50): PlainStore[] {
  return Array.from({ length: count }, (_, index) => ({
    id: index + 1,
    negatedScore: -index,
    activeAds,
    created: null,
    discovered: null,
    tokens: [1, index + 2],
    contacts: [{ role: 7, traits: 3, number: index }],
  }))
}

async function openWorld(): Promise<ReplicaWorld> {
  const world = await createReplicaWorld()
  await world.write('live', storesWith(1))
  return world
}

test.each([
  ['an empty file', (path: string) => writeFileSync(path, ''), 'it is incomplete'],
  ['a beginning of a few bytes', (path: string) => writeFileSync(path, 'STDX'), 'it is incomplete'],
  // More memory than any machine has.
  ['a file of a terabyte', makeVast, 'it is not a snapshot'],
  ['a folder', (path: string) => mkdirSync(join(path, 'inside'), { recursive: true }), 'it is not a file'],
])('%s in its place is logged, without other effects', async (_, put, reason) => {
  const world = await openWorld()
  const snapshotFile = join(temporaryFolder(), 'catalogue.snapshot')
  put(snapshotFile)
  const running = startTestReplica(world, { settings: { snapshotFile } })
  expectSame(await running.waitForBatch(1), world)
  expect(running.lines).toContain(`warn: the search index snapshot was discarded: ${reason}`)
  expectSame(await running.waitForBatch(await world.write('live', storesWith(2, 5))), world)
})

function makeVast(path: string): void {
  writeFileSync(path, '')
  truncateSync(path, 2 ** 40)
}

test('a snapshot written during changes contains the catalogue at exactly its batch', async () => {
  const world = await openWorld()
  const catalogues = new Map([[1, new Map(world.stores.live)]])
  const snapshotFile = join(temporaryFolder(), 'search', 'catalogue.snapshot')
  const running = startTestReplica(world, { settings: { snapshotFile }, timings: { pollMs: 1, snapshotEveryMs: 0 } })
  await running.waitForBatch(1)
  const snapshots = new Map<number, CatalogueSnapshot<Mode>>()
  let isChanging = true
  const changing = (async () => {
    for (let step = 2; step <= 100 || (snapshots.size <= 5 && step < 5_000); step++) {
      const batch = await world.write('live', storesWith(step).slice(step % 40, (step % 40) + 5))
      catalogues.set(batch, new Map(world.stores.live))
    }
  })().finally(() => {
    isChanging = false
  })
  while (isChanging) {
    const file = await readSnapshotFile(snapshotFile)
    if (file) snapshots.set(file.snapshot.batch, file.snapshot)
    await delay(1)
  }
  await changing
  expect(snapshots.size).toBeGreaterThan(5)
  for (const snapshot of snapshots.values())
    expectSame(snapshot, { stores: { live: catalogues.get(snapshot.batch)!, test: new Map() } })
})

test('the next snapshot removes files of a process that died while writing', async () => {
  const world = await openWorld()
  const snapshotFile = join(temporaryFolder(), 'search', 'catalogue.snapshot')
  const folder = dirname(snapshotFile)
  mkdirSync(folder)
  const put = (name: string, ageMs: number) => {
    writeFileSync(join(folder, name), 'a beginning')
    utimesSync(join(folder, name), new Date(), new Date(Date.now() - ageMs))
  }
  put('catalogue.snapshot.left.aside', 19_000)
  put('catalogue.snapshot.long-left.aside', 3_600_000)
  const others = ['another.snapshot.long-left.aside', 'catalogue.snapshot.at-work.aside']
  put(others[0]!, 3_600_000)
  put(others[1]!, 0)
  const running = startTestReplica(world, { settings: { snapshotFile } })
  await expect.poll(() => running.report()?.snapshot?.batch).toBe(1)
  expect(readdirSync(folder).sort()).toEqual([...others, 'catalogue.snapshot'].sort())
})

/** Mounts a separate file system on a folder until the test ends; null where mounting is not allowed. */
function mountDisk(kilobytes: number): { folder: string; remount(option: string): void } | null {
  const folder = temporaryFolder()
  const mount = (options: string) => execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder], quiet)
  const quiet = { stdio: 'ignore' } as const
  try {
    mount(`size=${kilobytes}k`)
  } catch {
    return null
  }
  onTestFinished(() => void execFileSync('umount', ['--lazy', folder], quiet))
  return { folder, remount: (option) => mount(`remount,size=${kilobytes}k,${option}`) }
}

const needsMounts = 'needs a user who may mount a disk'

describe('a disk', () => {
  test('that is full keeps the older snapshot; with free space there is a new one', async ({ skip }) => {
    const disk = mountDisk(256)
    if (!isRoot || !disk) return skip(needsMounts)
    const world = await openWorld()
    const snapshotFile = join(disk.folder, 'search', 'catalogue.snapshot')
    const running = startTestReplica(world, { settings: { snapshotFile }, timings: { snapshotEveryMs: 20 } })
    await running.waitForBatch(1)
    await expect.poll(() => running.report()?.snapshot?.batch).toBe(1)
    const first = readFileSync(snapshotFile)

    const { bavail, bsize } = statfsSync(disk.folder)
    writeFileSync(join(disk.folder, 'filling'), Buffer.alloc((bavail - 1) * bsize))
    expectSame(await running.waitForBatch(await world.write('live', storesWith(2))), world)
    await expect.poll(() => running.lines.join('\n')).toMatch(/search index snapshot cannot be written.*ENOSPC/)
    expect(readFileSync(snapshotFile).equals(first)).toBe(true)
    // The failed attempt leaves nothing that keeps the disk full.
    await expect.poll(() => readdirSync(dirname(snapshotFile))).toEqual(['catalogue.snapshot'])

    rmSync(join(disk.folder, 'filling'))
    await expect.poll(() => running.report()?.snapshot?.batch).toBe(2)
    await running.replica.close()
    const next = startTestReplica(world, { settings: { snapshotFile } })
    expectSame(await next.waitForBatch(2), world)
    expect(next.report()?.load?.from).toBe('snapshot')
    await next.replica.close()
  })

  test('that is read-only is read from, and not written to', async ({ skip }) => {
    const disk = mountDisk(256)
    if (!isRoot || !disk) return skip(needsMounts)
    const world = await openWorld()
    const snapshotFile = join(disk.folder, 'search', 'catalogue.snapshot')
    const first = startTestReplica(world, { settings: { snapshotFile } })
    await first.waitForBatch(1)
    await expect.poll(() => first.report()?.snapshot?.batch).toBe(1)
    await first.replica.close()

    disk.remount('ro')
    const running = startTestReplica(world, { settings: { snapshotFile }, timings: { snapshotEveryMs: 20 } })
    expectSame(await running.waitForBatch(1), world)
    expect(running.report()?.load?.from).toBe('snapshot')
    expectSame(await running.waitForBatch(await world.write('live', storesWith(3))), world)
    await expect.poll(() => running.lines.join('\n')).toMatch(/search index snapshot cannot be written.*EROFS/)
    await running.replica.close()
  })
})
