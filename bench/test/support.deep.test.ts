import { median, percentile, splitEvenly } from '@storedex/testkit'
import { expect, test } from 'vitest'

const hundred = Float64Array.from({ length: 100 }, (_, index) => index + 1)

test('a percentile is the nearest rank, not interpolated', () => {
  expect([0.5, 0.95, 0.99, 1].map((share) => percentile(hundred, share))).toEqual([50, 95, 99, 100])
  expect(percentile(Float64Array.of(1, 2, 10), 0.5)).toBe(2)
  expect(percentile(Float64Array.of(1, 2, 10), 0.99)).toBe(10)
  expect(percentile(Float64Array.of(7), 0.01)).toBe(7)
})

test('a median does not depend on the order', () => {
  expect(median([10, 1, 2])).toBe(2)
  expect(median([4, 1, 3, 2])).toBe(2.5)
})

test('an empty list has no percentile and no median', () => {
  expect(() => percentile(new Float64Array(), 0.5)).toThrow()
  expect(() => median([])).toThrow()
})

test('shares are contiguous and of equal size', () => {
  const list = Array.from({ length: 100 }, (_, index) => index)
  const shares = splitEvenly(list, 7)
  expect(shares.flat()).toEqual(list)
  expect(shares.every((share) => share.length === 14 || share.length === 15)).toBe(true)
})
