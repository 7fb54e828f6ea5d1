import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  createSealer,
  dataKeyIdOf,
  generateDataKey,
  MissingDataKeyError,
  parseDataKeys,
  SealError,
} from '../../../src/foundation/kernel/seal.ts'

const key = (id: string, byte: number) => ({ id, secret: Buffer.alloc(32, byte) })
const sealer = createSealer([key('k1', 1)])

describe('a sealer', () => {
  test('opens what it sealed, under the same identity', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (plain, identity) => {
        const wellFormed = plain.toWellFormed()
        expect(sealer.open(sealer.seal(wellFormed, identity), identity).toString()).toBe(wellFormed)
      }),
    )
    const bytes = Buffer.from([0, 255, 1])
    expect(sealer.open(sealer.seal(bytes, 'row'), 'row')).toEqual(bytes)
  })

  test('gives a different result each time, which reveals only the length', () => {
    const [a, b] = [sealer.seal('mara@aurora.example', 'row'), sealer.seal('mara@aurora.example', 'row')]
    expect(a.equals(b)).toBe(false)
    expect(a.length).toBe(b.length)
    expect(a.includes('mara')).toBe(false)
  })

  test('opens nothing under another identity', () => {
    const sealed = sealer.seal('text', 'contact 1')
    expect(() => sealer.open(sealed, 'contact 2')).toThrow(SealError)
    expect(() => sealer.open(sealed, '')).toThrow(SealError)
  })

  test('opens nothing that was altered in any bit, truncated or extended', () => {
    const sealed = sealer.seal('text', 'row')
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const altered = Buffer.from(sealed)
      altered[bit >> 3]! ^= 1 << (bit & 7)
      expect(() => sealer.open(altered, 'row'), `bit ${bit}`).toThrow(SealError)
    }
    for (let length = 0; length < sealed.length; length++)
      expect(() => sealer.open(sealed.subarray(0, length), 'row'), `length ${length}`).toThrow(SealError)
    expect(() => sealer.open(Buffer.concat([sealed, Buffer.from([0])]), 'row')).toThrow(SealError)
  })

  test('names a missing key in its error, and never a secret', () => {
    const sealed = createSealer([key('k9', 9)]).seal('text', 'row')
    expect(() => sealer.open(sealed, 'row')).toThrow('the data key "k9" is not in the keyring')
    const impostor = createSealer([key('k9', 8)])
    expect(() => impostor.open(sealed, 'row')).toThrow('altered')
  })

  test('seals with the first key and opens with all', () => {
    const old = sealer.seal('text', 'row')
    const rotated = createSealer([key('k2', 2), key('k1', 1)])
    const fresh = rotated.seal('text', 'row')
    expect(rotated.open(old, 'row').toString()).toBe('text')
    expect(rotated.open(fresh, 'row').toString()).toBe('text')
    expect([dataKeyIdOf(old), dataKeyIdOf(fresh)]).toEqual(['k1', 'k2'])
    expect([rotated.isNewest(old), rotated.isNewest(fresh)]).toEqual([false, true])
    expect(fresh.subarray(0, rotated.newestPrefix.length)).toEqual(rotated.newestPrefix)
  })

  test('distinguishes keys with a common prefix in their ids', () => {
    const longer = createSealer([key('k10', 3), key('k1', 1)])
    expect(longer.isNewest(sealer.seal('text', 'row'))).toBe(false)
    expect(sealer.isNewest(longer.seal('text', 'row'))).toBe(false)
  })

  test('reloads the keyring for a key that was added since', () => {
    const ring = [key('k1', 1)]
    const older = createSealer(ring, () => ring)
    const sealed = createSealer([key('k2', 2), key('k1', 1)]).seal('text', 'row')
    expect(() => older.open(sealed, 'row')).toThrow(MissingDataKeyError)
    ring.unshift(key('k2', 2))
    expect(older.open(sealed, 'row').toString()).toBe('text')
    // It keeps sealing with its first key until the process restarts.
    expect(dataKeyIdOf(older.seal('text', 'row'))).toBe('k1')
  })

  test('needs a key', () => {
    expect(() => createSealer([])).toThrow(RangeError)
  })
})

describe('a keyring', () => {
  const secret = Buffer.alloc(32, 1).toString('base64')

  test('consists of ids with 32 bytes each', () => {
    expect(parseDataKeys(`b:${secret}, a.1-x_y:${secret.replace('=', '')}\n`)).toEqual([key('b', 1), key('a.1-x_y', 1)])
  })

  test.each([
    '',
    'k1',
    `:${secret}`,
    `k1:${secret},`,
    `k1:${secret},k1:${secret}`,
    `k 1:${secret}`,
    `${'k'.repeat(33)}:${secret}`,
    `k1:${Buffer.alloc(31).toString('base64')}`,
    `k1:${Buffer.alloc(33).toString('base64')}`,
    `k1:${secret.replaceAll('A', '-')}`,
  ])('is not %j', (text) => {
    expect(parseDataKeys(text)).toBeUndefined()
  })

  test('accepts generated keys, each with its own id and secret', () => {
    const entries = Array.from({ length: 20 }, generateDataKey)
    const keys = parseDataKeys(entries.join(','))!
    expect(keys).toHaveLength(20)
    expect(new Set(keys.map((each) => each.secret.toString('hex'))).size).toBe(20)
  })
})
