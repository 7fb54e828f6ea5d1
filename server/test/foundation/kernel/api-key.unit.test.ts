import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { displayedParts, hashApiKey, newApiKey, parseApiKey } from '../../../src/foundation/kernel/api-key.ts'

// Checksums computed independently: CRC-32 (IEEE) of everything before them, in base 62 with digits 0-9 A-Z a-z.
const goldenLive = 'sdx_live_0123456789ABCDEFGHIJKLMNOPQRSTUV2xTfWp'
const goldenTest = 'sdx_test_zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz3QdvNL'

describe('an API key', () => {
  test.each(['live', 'test'] as const)('for %s has the right shape and parses', (mode) => {
    const key = newApiKey(mode)
    expect(key).toMatch(new RegExp(`^sdx_${mode}_[0-9A-Za-z]{38}$`))
    expect(parseApiKey(key)).toEqual({ mode })
  })

  test('issued earlier still parses', () => {
    expect(parseApiKey(goldenLive)).toEqual({ mode: 'live' })
    expect(parseApiKey(goldenTest)).toEqual({ mode: 'test' })
  })

  test('is unique and uses every letter and digit evenly', () => {
    const keys = Array.from({ length: 2000 }, () => newApiKey('live'))
    expect(new Set(keys).size).toBe(keys.length)
    const counts = new Map<string, number>()
    for (const key of keys) {
      for (const character of key.slice(9, 41)) counts.set(character, (counts.get(character) ?? 0) + 1)
    }
    expect(counts.size).toBe(62)
    // 64,000 draws over 62 characters: 1,032 each, with a standard deviation of 32. Bytes taken modulo 62 without
    // rejection would put eight of the characters at 1,250.
    for (const count of counts.values()) expect(Math.abs(count - 64_000 / 62)).toBeLessThan(200)
  })

  test('with one changed character is rejected', () => {
    fc.assert(
      fc.property(fc.nat(37), fc.constantFrom(...'09AZaz'), (place, character) => {
        const at = 'sdx_live_'.length + place
        fc.pre(goldenLive[at] !== character)
        expect(parseApiKey(goldenLive.slice(0, at) + character + goldenLive.slice(at + 1))).toBeNull()
      }),
    )
  })

  test.each([
    ['of the other mode', goldenLive.replace('live', 'test')],
    ['with a line break after it', `${goldenLive}\n`],
    ['with a space before it', ` ${goldenLive}`],
    ['cut short', goldenLive.slice(0, -1)],
    ['in upper case', goldenLive.toUpperCase()],
    ['of an unknown mode', goldenLive.replace('live', 'prod')],
    ['empty', ''],
  ])('%s is refused', (_case, text) => {
    expect(parseApiKey(text)).toBeNull()
  })

  test('is distinguished from any other text without throwing', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => parseApiKey(text) === null))
    const shaped = fc.stringMatching(/^sdx_(live|test)_[0-9A-Za-z]{38}$/)
    fc.assert(fc.property(shaped, (text) => parseApiKey(text) === null))
  })

  test('is stored as the SHA-256 of its text', () => {
    expect(hashApiKey(goldenLive)).toEqual(createHash('sha256').update(goldenLive, 'utf8').digest())
    expect(hashApiKey('abc').toString('hex')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  })

  test('shows the first and last four characters of its secret part', () => {
    expect(displayedParts(goldenLive)).toEqual({ first: '0123', last: goldenLive.slice(-4) })
  })
})
