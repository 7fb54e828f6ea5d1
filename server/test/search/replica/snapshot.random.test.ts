import { readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import {
  buildSegment,
  type CatalogueSnapshot,
  decodeSnapshot,
  encodeSnapshot,
  type LiveSegment,
  SnapshotError,
} from '@storedex/search-index'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { proofRuns } from '../../../../bin/tests/proof-runs.ts'
import { stageStores } from '../../../../packages/search-index/test/support/plain-segments.ts'
import { catalogues, integer, randomFrom } from '../../../../packages/search-index/test/support/random-stores.ts'
import type { Mode } from '../../../src/foundation/kernel/ids.ts'
import { writeSnapshotFile } from '../../../src/search/replica/snapshot-file.ts'
import {
  createReplicaWorld,
  expectSame,
  type ReplicaWorld,
  startTestReplica,
  storesOf,
  temporaryFolder,
} from '../support/replica-world.ts'

const seeds = [20_261_121, Math.floor(Math.random() * 2 ** 31)]

function bytesOf(snapshot: CatalogueSnapshot<Mode>): Buffer {
  return Buffer.concat([...encodeSnapshot(snapshot)])
}

function decode(bytes: Uint8Array): CatalogueSnapshot<Mode> {
  const file = new SharedArrayBuffer(bytes.length)
  new Uint8Array(file).set(bytes)
  return decodeSnapshot<Mode>(file)
}

const snapshots = fc
  .record({ live: fc.array(catalogues, { maxLength: 3 }), batch: fc.nat(), seed: fc.nat() })
  .map(({ live, batch, seed }): CatalogueSnapshot<Mode> => {
    const random = randomFrom(seed)
    const list = live.map((catalogue) => {
      const segment = buildSegment(stageStores(storesOf(catalogue)))
      const words = Math.ceil(segment.size / 32)
      const dead = integer(random, 2) === 0 ? null : Int32Array.from({ length: words }, () => integer(random, 2 ** 31))
      return { segment, dead }
    })
    return { batch, historyId: String(-(2n ** 63n) + BigInt(seed)), lists: { live: list, test: list.slice(1) } }
  })

test.each(seeds)('decoding returns what was encoded (seed %i)', (seed) => {
  fc.assert(
    fc.property(snapshots, (snapshot) => {
      expect(decode(bytesOf(snapshot))).toEqual(snapshot)
    }),
    { seed, numRuns: proofRuns(30) },
  )
})

test('no decoded segment shares memory with another or with the file', () => {
  const stores = stageStores(storesOf(fc.sample(catalogues, { seed: 1, numRuns: 1 })[0]!))
  const list = [1, 2].map(() => ({ segment: buildSegment(stores), dead: new Int32Array(1) }))
  const { lists } = decode(bytesOf({ batch: 1, historyId: '1', lists: { live: list, test: list } }))
  const buffersOf = ({ segment, dead }: LiveSegment) =>
    [segment, segment.activeAds, segment.created, segment.discovered, { dead }]
      .flatMap((part): unknown[] => Object.values(part))
      .filter((value) => ArrayBuffer.isView(value))
      .map((value) => {
        expect(value.byteLength).toBe(value.buffer.byteLength)
        return value.buffer
      })
  const buffers = [...lists.live, ...lists.test].flatMap(buffersOf)
  expect(buffers.length).toBeGreaterThan(80)
  expect(new Set(buffers).size).toBe(buffers.length)
})

test.each(seeds)('a truncated file, or one with a single changed bit, is refused (seed %i)', (seed) => {
  const bytes = bytesOf(fc.sample(snapshots, { seed, numRuns: 20 }).find(({ lists }) => lists.live.length > 1)!)
  const random = randomFrom(seed)
  for (let run = 0; run < proofRuns(200); run++) {
    expect(() => decode(bytes.subarray(0, integer(random, bytes.length)))).toThrow(SnapshotError)
    const flipped = Buffer.from(bytes)
    flipped[integer(random, bytes.length)]! ^= 1 << integer(random, 8)
    expect(() => decode(flipped)).toThrow(SnapshotError)
  }
})

async function openWorld(): Promise<{ world: ReplicaWorld; file: string }> {
  const world = await createReplicaWorld()
  const catalogue = { ...fc.sample(catalogues, { seed: 5, numRuns: 1 })[0]!, ids: 'ascending', size: 80 }
  await world.write('live', storesOf({ ...catalogue, contacts: 'some' }))
  return { world, file: join(temporaryFolder(), 'data', 'search', 'catalogue.snapshot') }
}

/** Runs a replica until it has written a snapshot of this batch. */
async function writeSnapshot(world: ReplicaWorld, file: string, batch: number): Promise<void> {
  const running = startTestReplica(world, { settings: { snapshotFile: file } })
  await running.waitForBatch(batch)
  await expect.poll(() => running.report()?.snapshot?.batch).toBe(batch)
  await running.replica.close()
}

describe('the next run', () => {
  test('reads the snapshot and applies later batches', async () => {
    const { world, file } = await openWorld()
    await writeSnapshot(world, file, 1)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    await world.write(
      'live',
      [...world.stores.live.values()].slice(0, 20).map((store) => ({ ...store, activeAds: 77 })),
    )
    const running = startTestReplica(world, { settings: { snapshotFile: file } })
    expectSame(await running.waitForBatch(2), world)
    expect(running.report()?.load?.from).toBe('snapshot')
    // The first view was up to date.
    expect(running.views.map((view) => view?.batch)).toEqual([2])
  })

  test.each([
    ['cut off', (file: string) => truncateSync(file, statSync(file).size - 1_000), 'it is incomplete'],
    ['damaged', (file: string) => damage(file, statSync(file).size - 1_000), 'its checksum does not match'],
    ['of an older format', (file: string) => damage(file, 4), 'another version of the program wrote it'],
    ['no snapshot at all', (file: string) => writeFileSync(file, 'hello, hello, hello'), 'it is not a snapshot'],
  ])('takes no file that is %s, and says so', async (_, harm, reason) => {
    const { world, file } = await openWorld()
    await writeSnapshot(world, file, 1)
    harm(file)
    await expectUnused(world, file, reason)
  })

  test('refuses a file of another catalogue', async () => {
    const { world, file } = await openWorld()
    await writeSnapshot(world, file, 1)
    const other = await openWorld()
    await expectUnused(other.world, file, 'it belongs to another catalogue')
  })

  test('refuses a file with a later batch than the database', async () => {
    const { world, file } = await openWorld()
    await writeSnapshot(world, file, 1)
    await world.db.query('update catalogue_state set batch = 0')
    await world.db.query('delete from catalogue_batches')
    await expectUnused(world, file, 'it has a later batch than the database')
  })

  test('starts when the file cannot be read, and continues when it cannot be written', async () => {
    const { world } = await openWorld()
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'search'), 'a file where the folder should be')
    const running = startTestReplica(world, {
      settings: { snapshotFile: join(folder, 'search', 'catalogue.snapshot') },
    })
    expectSame(await running.waitForBatch(1), world)
    await expect.poll(() => running.lines.join()).toContain('the search index snapshot cannot be written')
  })
})

async function expectUnused(world: ReplicaWorld, file: string, reason: string): Promise<void> {
  const running = startTestReplica(world, { settings: { snapshotFile: file } })
  const batch = await world.newestBatch()
  expectSame(await running.waitForBatch(batch), world)
  expect(running.report()?.load?.from).toBe('postgres')
  expect(running.lines).toContain(`warn: the search index snapshot was discarded: ${reason}`)
  await running.replica.close()
}

function damage(file: string, at: number): void {
  const bytes = readFileSync(file)
  bytes[at]! ^= 64
  writeFileSync(file, bytes)
}

test('a catalogue without a history id is not written: nothing would identify it', async () => {
  const { world, file } = await openWorld()
  await world.db.query('delete from catalogue_batches')
  const running = startTestReplica(world, { settings: { snapshotFile: file }, timings: { snapshotEveryMs: 0 } })
  await running.waitForBatch(1)
  await expect(running.waitForBatch(1).then(() => readdir(dirname(file)))).rejects.toThrow(/ENOENT/)
  await running.waitForBatch(await world.write('live', [...world.stores.live.values()].slice(0, 3)))
  await expect.poll(() => running.report()?.snapshot?.batch).toBe(2)
})

test('concurrent writers leave one complete file and no temporary file', async () => {
  const { world, file } = await openWorld()
  const lists = startTestReplica(world)
  const view = await lists.waitForBatch(1)
  const { historyId } = (await world.db.query('select mark::text as "historyId" from catalogue_batches')).rows[0]
  const snapshot = { batch: 1, historyId, lists: view.lists }
  const never = new AbortController().signal
  await Promise.all(Array.from({ length: 5 }, () => writeSnapshotFile(file, snapshot, never)))
  expect(await readdir(dirname(file))).toEqual(['catalogue.snapshot'])
  expect(decode(readFileSync(file))).toEqual(snapshot)
})

test('a writer that is stopped leaves the older file', async () => {
  const { world, file } = await openWorld()
  await writeSnapshot(world, file, 1)
  const before = readFileSync(file)
  const view = await startTestReplica(world).waitForBatch(1)
  const writing = writeSnapshotFile(file, { batch: 9, historyId: '9', lists: view.lists }, AbortSignal.abort())
  await expect(writing).rejects.toThrow(/abort/)
  expect(await readdir(dirname(file))).toEqual(['catalogue.snapshot'])
  expect(readFileSync(file).equals(before)).toBe(true)
})
