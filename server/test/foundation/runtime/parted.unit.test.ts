import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PartedMap, PartedSet } from '../../../src/foundation/runtime/parted.ts'

const key = fc.integer({ min: 0, max: 300 })

test('a parted map is a map', () => {
  const change = fc.record({ key, value: fc.option(fc.integer()) })
  fc.assert(
    fc.property(fc.array(change, { maxLength: 400 }), (changes) => {
      const parted = new PartedMap<number>()
      const map = new Map<number, number>()
      for (const { key, value } of changes) {
        if (value === null) {
          parted.delete(key)
          map.delete(key)
        } else {
          parted.set(key, value)
          map.set(key, value)
        }
        expect([parted.size, parted.has(key), parted.get(key)]).toEqual([map.size, map.has(key), map.get(key)])
      }
    }),
  )
})

test('a parted set is a set', () => {
  fc.assert(
    fc.property(fc.array(key, { maxLength: 400 }), fc.array(key), (members, asked) => {
      const parted = new PartedSet()
      for (const member of members) parted.add(member)
      const set = new Set(members)
      expect(parted.size).toBe(set.size)
      for (const each of asked) expect(parted.has(each)).toBe(set.has(each))
    }),
  )
})
