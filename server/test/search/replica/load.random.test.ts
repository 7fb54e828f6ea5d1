import fc from 'fast-check'
import { expect, test } from 'vitest'
import { proofRuns } from '../../../../bin/tests/proof-runs.ts'
import { catalogues, randomFrom } from '../../../../packages/search-index/test/support/random-stores.ts'
import { readBinaryRows } from '../../../src/search/replica/binary-rows.ts'
import { loadCatalogue } from '../../../src/search/replica/catalogue.ts'
import { streamContacts, streamStores } from '../../../src/search/replica/queries.ts'
import { createReplicaWorld, expectSame, storesOf } from '../support/replica-world.ts'

const world = await createReplicaWorld()
const seeds = [20_261_121, Math.floor(Math.random() * 2 ** 31)]

test.each(seeds)('the loaded index matches the tables (seed %i)', async (seed) => {
  await fc.assert(
    fc.asyncProperty(catalogues, catalogues, async (live, sandbox) => {
      await world.db.query('truncate stores, contacts')
      world.stores.live.clear()
      world.stores.test.clear()
      await world.write('live', storesOf(live))
      const isFree = ({ id }: { id: number }) => !world.stores.live.has(id)
      const batch = await world.write('test', storesOf(sandbox).filter(isFree))
      const loaded = await loadCatalogue(world.db, () => {})
      expect(loaded.batch).toBe(batch)
      expectSame(loaded, world)
    }),
    { seed, numRuns: proofRuns(15, 3) },
  )
})

test('rows are parsed the same however their bytes are split', async () => {
  const catalogue = fc.sample(catalogues, { seed: 7, numRuns: 30 }).find(({ size }) => size > 100)!
  await world.write('live', storesOf({ ...catalogue, created: 'early', missing: 0.2, contacts: 'some' }))
  const client = await world.db.connect()
  for (const copy of [streamStores, streamContacts]) {
    const chunks: Buffer[] = []
    for await (const chunk of copy(client, null)) chunks.push(chunk)
    const bytes = Buffer.concat(chunks)
    const whole = await fieldsOf([bytes], copy === streamStores)
    expect(whole.length).toBeGreaterThan(50)
    for (const seed of [1, 2, 3]) expect(await fieldsOf(cut(bytes, seed), copy === streamStores)).toEqual(whole)
    await expect(fieldsOf([bytes.subarray(0, -30)], copy === streamStores)).rejects.toThrow(/ended before its last row/)
  }
  client.release()
})

async function fieldsOf(chunks: Buffer[], isOfStores: boolean): Promise<unknown[]> {
  const rows: unknown[] = []
  await readBinaryRows(stream(chunks), (row) => {
    if (!isOfStores) return void rows.push([row.int64(), row.int16(), row.int16(), row.int32Or(0)])
    const plain = [row.int64(), row.boolean(), row.float64(), row.int32Or(0), row.moment(), row.moment()]
    const tokens = new Int32Array(row.countIntegers())
    row.integers(tokens, 0)
    rows.push([...plain, [...tokens]])
  })
  return rows
}

async function* stream(chunks: Buffer[]): AsyncGenerator<Buffer> {
  yield* chunks
}

/** Pieces of 1 to 40 bytes. */
function cut(bytes: Buffer, seed: number): Buffer[] {
  const random = randomFrom(seed)
  const pieces: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = at + 1 + Math.floor(random() * 40)
    pieces.push(bytes.subarray(at, end))
    at = end
  }
  return pieces
}

test('moments of any year keep their milliseconds, tokens are a set, and an unknown role is no role', async () => {
  const far = Date.parse('9999-06-07T08:09:10.123Z')
  const plain = { negatedScore: 0, activeAds: 0, created: far, discovered: -62_135_596_800_000, contacts: [] }
  await world.db.query('truncate stores, contacts')
  world.stores.live.clear()
  world.stores.test.clear()
  await world.write('live', [
    { ...plain, id: 2 ** 40, tokens: [5, 3, 5, 4], contacts: [{ role: 9, traits: 3, number: 4095 }] },
  ])
  world.stores.live.set(2 ** 40, {
    ...plain,
    id: 2 ** 40,
    tokens: [3, 4, 5],
    contacts: [{ role: 0, traits: 3, number: 4095 }],
  })
  expectSame(await loadCatalogue(world.db, () => {}), world)
})
