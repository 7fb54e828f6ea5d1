import { expect, test } from 'vitest'
import { KnownExports, type KnownStores } from '../../../src/customers/ledger/exports-cache.ts'

const november = new Date('2026-11-01T00:00:00.000Z')
const owner = (accountId: number) => ({ accountId, mode: 'live' as const, periodStart: november })

const membersOf = (stores: KnownStores) => [1, 2, 3, 4, 5, 6, 7, 8].filter((id) => stores.has(id))

test('an export is known of its account, mode and period alone', () => {
  const known = new KnownExports({ maxBytes: 10_000 })
  known.add(owner(1), [5, 6])
  known.add(owner(1), [6, 7])
  expect(membersOf(known.of(owner(1)))).toEqual([5, 6, 7])
  for (const other of [owner(2), { ...owner(1), mode: 'test' as const }, { ...owner(1), periodStart: new Date(0) }])
    expect(known.of(other).size).toBe(0)
})

test('owners that were used longest ago are dropped first, and nothing is known after a clearing', () => {
  const known = new KnownExports({ maxBytes: 4_000 })
  const many = Array.from({ length: 40 }, (_, index) => index)
  for (const accountId of [1, 2, 1, 3]) known.add(owner(accountId), many)
  expect([1, 2, 3].map((accountId) => known.of(owner(accountId)).size)).toEqual([40, 0, 40])
  known.clear()
  expect(known.of(owner(1)).size).toBe(0)
})

test('a past period is not known any more, and a newer one begins empty', () => {
  const known = new KnownExports({ maxBytes: 10_000 })
  const december = { ...owner(1), periodStart: new Date('2026-12-01T00:00:00.000Z') }
  known.add(owner(1), [5])
  known.add(december, [6])
  known.add(owner(1), [7])
  expect([membersOf(known.of(owner(1))), membersOf(known.of(december))]).toEqual([[], [6]])
})
