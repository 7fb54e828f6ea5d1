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
import { stageStores } from '../../../../packages/search-index/test/support/plain-segments.ts'
import { catalogues, integer, randomFrom } from '../../../../packages/search-index/test/support/random-stores.ts'
import type { Mode } from '../../../src/kernel/ids.ts'
import { writeSnapshotFile } from '../../../src/search/replica/snapshot-file.ts'
import {
  createReplicaWorld,
  expectSame,
  type ReplicaWorld,
  follow,
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
    const shelf = live.map((catalogue) => {
      const segment = buildSegment(stageStores(storesOf(catalogue)))
      const words = Math.ceil(segment.size / 32)
      const dead = integer(random, 2) === 0 ? null : Int32Array.from({ length: words }, () => integer(random, 2 ** 31))
      return { segment, dead }
    })
    return { batch, mark: String(-(2n ** 63n) + BigInt(seed)), shelves: { live: shelf, test: shelf.slice(1) } }
  })

test.each(seeds)('what is read is what was written (seed %i)', (seed) => {
  fc.assert(
    fc.property(snapshots, (snapshot) => {
      expect(decode(bytesOf(snapshot))).toEqual(snapshot)
    }),
    { seed, numRuns: 30 },
  )
})

test('no segment that is read keeps the memory of another, or of the file', () => {
  const stores = stageStores(storesOf(fc.sample(catalogues, { seed: 1, numRuns: 1 })[0]!))
  const shelf = [1, 2].map(() => ({ segment: buildSegment(stores), dead: new Int32Array(1) }))
  const { shelves } = decode(bytesOf({ batch: 1, mark: '1', shelves: { live: shelf, test: shelf } }))
  const buffersOf = ({ segment, dead }: LiveSegment) =>
    [segment, segment.activeAds, segment.created, segment.discovered, { dead }]
      .flatMap((part): unknown[] => Object.values(part))
      .filter((value) => ArrayBuffer.isView(value))
      .map((value) => {
        expect(value.byteLength).toBe(value.buffer.byteLength)
        return value.buffer
      })
  const buffers = [...shelves.live, ...shelves.test].flatMap(buffersOf)
  expect(buffers.length).toBeGreaterThan(80)
  expect(new Set(buffers).size).toBe(buffers.length)
})

test.each(seeds)('a file that is cut off or differs in a single bit is refused (seed %i)', (seed) => {
  const bytes = bytesOf(fc.sample(snapshots, { seed, numRuns: 20 }).find(({ shelves }) => shelves.live.length > 1)!)
  const random = randomFrom(seed)
  for (let run = 0; run < 200; run++) {
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

/** Follows until there is a snapshot of this batch, and stops. */
async function writeSnapshot(world: ReplicaWorld, file: string, batch: number): Promise<void> {
  const following = follow(world, { settings: { snapshotFile: file } })
  await following.reaches(batch)
  await expect.poll(() => following.report()?.snapshot?.batch).toBe(batch)
  await following.feed.close()
}

describe('the next run', () => {
  test('reads the snapshot, and corrects it', async () => {
    const { world, file } = await openWorld()
    await writeSnapshot(world, file, 1)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    await world.write(
      'live',
      [...world.stores.live.values()].slice(0, 20).map((store) => ({ ...store, activeAds: 77 })),
    )
    const following = follow(world, { settings: { snapshotFile: file } })
    expectSame(await following.reaches(2), world)
    expect(following.report()?.load?.from).toBe('snapshot')
    // The first view that anybody saw was up to date.
    expect(following.views.map((view) => view?.batch)).toEqual([2])
  })

  test.each([
    ['cut off', (file: string) => truncateSync(file, statSync(file).size - 1_000), 'it is not whole'],
    ['damaged', (file: string) => damage(file, statSync(file).size - 1_000), 'its checksum is wrong'],
    ['of an older format', (file: string) => damage(file, 4), 'another version of the program wrote it'],
    ['no snapshot at all', (file: string) => writeFileSync(file, 'hello, hello, hello'), 'it is no snapshot'],
  ])('takes no file that is %s, and says so', async (_, harm, reason) => {
    const { world, file } = await openWorld()
    await writeSnapshot(world, file, 1)
    harm(file)
    await expectUnused(world, file, reason)
  })

  test('takes no file of another catalogue', async () => {
    const { world, file } = await openWorld()
    await writeSnapshot(world, file, 1)
    const other = await openWorld()
    await expectUnused(other.world, file, 'it is of another catalogue')
  })

  test('takes no file from a later batch than the database has', async () => {
    const { world, file } = await openWorld()
    await writeSnapshot(world, file, 1)
    await world.db.query('update catalogue_state set batch = 0')
    await world.db.query('delete from catalogue_batches')
    await expectUnused(world, file, 'it is of a later batch than the database')
  })

  test('starts without one that cannot be read, and goes on without one that cannot be written', async () => {
    const { world } = await openWorld()
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'search'), 'a file where the folder should be')
    const following = follow(world, { settings: { snapshotFile: join(folder, 'search', 'catalogue.snapshot') } })
    expectSame(await following.reaches(1), world)
    await expect.poll(() => following.lines.join()).toContain('the snapshot of the search index cannot be written')
  })
})

async function expectUnused(world: ReplicaWorld, file: string, reason: string): Promise<void> {
  const following = follow(world, { settings: { snapshotFile: file } })
  const batch = await world.newestBatch()
  expectSame(await following.reaches(batch), world)
  expect(following.report()?.load?.from).toBe('postgres')
  expect(following.lines).toContain(`warn: the snapshot of the search index is not used: ${reason}`)
  await following.feed.close()
}

function damage(file: string, at: number): void {
  const bytes = readFileSync(file)
  bytes[at]! ^= 64
  writeFileSync(file, bytes)
}

test('a catalogue whose batch has no mark is not kept: nothing would tell whose it is', async () => {
  const { world, file } = await openWorld()
  await world.db.query('delete from catalogue_batches')
  const following = follow(world, { settings: { snapshotFile: file }, timings: { snapshotEveryMs: 0 } })
  await following.reaches(1)
  await expect(following.reaches(1).then(() => readdir(dirname(file)))).rejects.toThrow(/ENOENT/)
  await following.reaches(await world.write('live', [...world.stores.live.values()].slice(0, 3)))
  await expect.poll(() => following.report()?.snapshot?.batch).toBe(2)
})

test('several that write at once leave one whole file and nothing beside it', async () => {
  const { world, file } = await openWorld()
  const shelves = follow(world)
  const view = await shelves.reaches(1)
  const { mark } = (await world.db.query('select mark::text from catalogue_batches')).rows[0]
  const snapshot = { batch: 1, mark, shelves: view.shelves }
  const never = new AbortController().signal
  await Promise.all(Array.from({ length: 5 }, () => writeSnapshotFile(file, snapshot, never)))
  expect(await readdir(dirname(file))).toEqual(['catalogue.snapshot'])
  expect(decode(readFileSync(file))).toEqual(snapshot)
})

test('one that is stopped while it writes leaves the older file', async () => {
  const { world, file } = await openWorld()
  await writeSnapshot(world, file, 1)
  const before = readFileSync(file)
  const view = await follow(world).reaches(1)
  const writing = writeSnapshotFile(file, { batch: 9, mark: '9', shelves: view.shelves }, AbortSignal.abort())
  await expect(writing).rejects.toThrow(/abort/)
  expect(await readdir(dirname(file))).toEqual(['catalogue.snapshot'])
  expect(readFileSync(file).equals(before)).toBe(true)
})
