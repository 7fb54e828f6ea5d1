import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { proofRuns } from '../../../../bin/tests/proof-runs.ts'
import type { Records } from '../../../src/product/exclusion/queries.ts'
import { type ReadRecords, RecordSet } from '../../../src/product/exclusion/record-set.ts'

/** The records and the meter of a database: what a transaction adds is visible, and counted, at its commit. */
class Database {
  #visible: { id: number; time: number }[] = []
  #nextId = 1
  reads: (number | null)[] = []

  /** Commits a transaction that began at `time`. */
  commit(time: number, count: number): void {
    for (let added = 0; added < count; added++) this.#visible.push({ id: this.#nextId++ * 4_096, time })
  }

  before(time: number): number[] {
    return this.#visible.filter((record) => record.time < time).map(({ id }) => id)
  }

  read: ReadRecords = async (since, knownCount) => {
    this.reads.push(since?.getTime() ?? null)
    const counted = this.#visible.length
    if (counted === knownCount) return { counted, groups: [] }
    const groups = new Map<number, number[]>()
    for (const { id, time } of this.#visible.toSorted((a, b) => a.time - b.time))
      if (!since || time >= since.getTime()) groups.set(time, [...(groups.get(time) ?? []), id])
    const records: Records = {
      counted,
      groups: [...groups].map(([time, ids]) => ({ at: new Date(time), ids: ids.join(',') })),
    }
    // The answer arrives later than the state it is of.
    await new Promise((resolve) => setImmediate(resolve))
    return records
  }
}

const idsOf = ({ ids, count }: ReturnType<RecordSet['before']>['ids']) => [...ids.sorted(count)]
const ascending = (numbers: number[]) => numbers.toSorted((a, b) => a - b)

/** Transactions begin one after another, and commit up to a few minutes later, in any order. */
const commits = fc.array(
  fc.record({ began: fc.nat({ max: 300_000 }), late: fc.constantFrom(0, 0, 0, 5, 70_000), count: fc.nat({ max: 4 }) }),
  { maxLength: 30 },
)

describe('what an account has exported or revealed', () => {
  test('is all known that was committed before the request, in whatever order transactions commit', async () => {
    await fc.assert(
      fc.asyncProperty(commits, fc.integer({ min: 1, max: 4 }), async (transactions, pace) => {
        const database = new Database()
        const set = new RecordSet({ storeOf: (id) => id / 4_096 })
        const inOrder = transactions.toSorted((a, b) => a.began + a.late - (b.began + b.late))
        for (const [index, { began, count }] of inOrder.entries()) {
          database.commit(began, count)
          if (index % pace !== 0) continue
          const committed = database.before(Number.POSITIVE_INFINITY)
          const reading = [set.bringUpToDate(database.read), set.bringUpToDate(database.read)]
          database.commit(began + 1, 1)
          await reading[0]
          const known = idsOf(set.before().ids)
          expect(known).toEqual(expect.arrayContaining(committed))
          expect(new Set(known).size).toBe(known.length)
          await reading[1]
          await set.bringUpToDate(database.read)
          for (const time of [began - 1, began, began + 1, Number.POSITIVE_INFINITY]) {
            const { ids, stores } = set.before(time)
            expect(idsOf(ids)).toEqual(ascending(database.before(time)))
            expect(idsOf(stores)).toEqual(ascending(database.before(time)).map((id) => id / 4_096))
          }
        }
      }),
      { numRuns: proofRuns(100) },
    )
  })

  test('is read whole once; then only what is new, and nothing when nothing is', async () => {
    const database = new Database()
    const set = new RecordSet({ storeOf: null })
    for (let time = 1_000_000; time < 1_000_100; time++) database.commit(time, 3)
    await set.bringUpToDate(database.read)
    await set.bringUpToDate(database.read)
    database.commit(1_000_200, 5)
    await set.bringUpToDate(database.read)
    database.commit(1_000_150, 1)
    await set.bringUpToDate(database.read)
    expect(database.reads).toEqual([null, 1_000_099, 1_000_099, 1_000_200, 940_200])
    const kept = set.before(1_000_200)
    database.commit(1_000_199, 1)
    await set.bringUpToDate(database.read)
    // A search that runs keeps what it began with.
    expect(idsOf(kept.ids)).toHaveLength(301)
  })

  test('of many requests at once is read for each that came after the last reading began', async () => {
    const database = new Database()
    const set = new RecordSet({ storeOf: null })
    database.commit(1_000, 2)
    await Promise.all(Array.from({ length: 50 }, () => set.bringUpToDate(database.read)))
    expect(database.reads.length).toBeLessThanOrEqual(2)
  })

  test('is read by the next request when the reading of one fails', async () => {
    const database = new Database()
    const set = new RecordSet({ storeOf: null })
    database.commit(1_000, 2)
    const failing = set.bringUpToDate(() => Promise.reject(new Error('the request was aborted')))
    const other = set.bringUpToDate(database.read)
    await expect(failing).rejects.toThrow('aborted')
    await other
    expect(set.before().ids.count).toBe(2)
  })
})
