import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type CursorPayload, createCursorSealer } from '../../../src/foundation/kernel/cursor-sealer.ts'

const sealer = createCursorSealer(Buffer.alloc(32, 1))

const payload: CursorPayload = {
  accountId: 7,
  mode: 'live',
  queryHash: '00112233445566778899aabbccddeeff',
  position: { negatedScore: -71.5, storeId: 123_456, contact: null },
  rowsWalked: 250,
  issuedAtMs: Date.parse('2026-11-21T10:00:00Z'),
  startedAtMs: Date.parse('2026-11-21T09:30:00Z'),
}

const id = fc.nat({ max: Number.MAX_SAFE_INTEGER })
const anyPayload: fc.Arbitrary<CursorPayload> = fc.record({
  accountId: id,
  mode: fc.constantFrom('live', 'test'),
  queryHash: fc.stringMatching(/^[0-9a-f]{32}$/),
  position: fc.record({
    negatedScore: fc.double({ noNaN: true }),
    storeId: id,
    contact: fc.option(id),
  }),
  rowsWalked: fc.nat(),
  issuedAtMs: fc.nat({ max: 8.64e15 }),
  startedAtMs: fc.nat({ max: 8.64e15 }),
})

describe('a cursor', () => {
  test('opens to its payload, including a missing score and negative zero', () => {
    fc.assert(
      fc.property(anyPayload, (value) => {
        const text = sealer.seal(value)
        expect(text).toMatch(/^cur_[A-Za-z0-9_-]+$/)
        expect(sealer.open(text)).toEqual(value)
      }),
    )
    for (const negatedScore of [Infinity, -Infinity, 0, -0]) {
      const value = { ...payload, position: { ...payload.position, negatedScore } }
      expect(Object.is(sealer.open(sealer.seal(value))?.position.negatedScore, negatedScore)).toBe(true)
    }
  })

  test('issued earlier still opens; its walk began when it was issued', () => {
    const earlier =
      'cur_AXIE7_4ql5mBJ1zZRDvcCo8I_gLLIr0kyZZNNScOFLnsP0jJs1x7qUCIfvK0vb1vUMM3PqVQ5R5NLsmxiBo5qlZ7yNVHIWVM59998-enKg3-1yGbVBQYINJHFx0hRw'
    expect(sealer.open(earlier)).toEqual({ ...payload, startedAtMs: payload.issuedAtMs })
  })

  test('differs each time, so that equal positions cannot be recognised', () => {
    const [one, other] = [sealer.seal(payload), sealer.seal(payload)]
    expect(one).not.toBe(other)
    const bytes = Buffer.from(one.slice(4), 'base64url')
    expect(bytes.includes(Buffer.from(payload.queryHash, 'hex'))).toBe(false)
    const storeId = Buffer.alloc(8)
    storeId.writeDoubleBE(payload.position.storeId)
    expect(bytes.includes(storeId)).toBe(false)
  })

  test('with any one changed character does not open', () => {
    const text = sealer.seal(payload)
    for (let at = 0; at < text.length; at++) {
      for (const character of 'AQgw_-z9') {
        if (text[at] === character) continue
        expect(sealer.open(text.slice(0, at) + character + text.slice(at + 1))).toBeNull()
      }
    }
  })

  test('has only one spelling', () => {
    const text = sealer.seal(payload)
    // The last character carries four bits that decode to nothing.
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const opening = [...alphabet].filter((character) => sealer.open(text.slice(0, -1) + character) !== null)
    expect(opening).toEqual([text.at(-1)])
    for (const variant of [`${text}=`, `${text}==`, `${text} `, `${text}\n`, `${text}A`, ` ${text}`, text.slice(4)]) {
      expect(sealer.open(variant)).toBeNull()
    }
  })

  test('in the other base64 alphabet does not open', () => {
    let sealed = ''
    while (!(sealed.includes('-') && sealed.includes('_'))) sealed = sealer.seal(payload).slice('cur_'.length)
    expect(sealer.open(`cur_${sealed}`)).toEqual(payload)
    for (const variant of [sealed.replaceAll('-', '+'), sealed.replaceAll('_', '/')])
      expect(sealer.open(`cur_${variant}`)).toBeNull()
  })

  test('of another installation does not open', () => {
    expect(createCursorSealer(Buffer.alloc(32, 2)).open(sealer.seal(payload))).toBeNull()
  })

  test('is distinguished from any other text without throwing', () => {
    const madeUp = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.base64String().map((text) => `cur_${text}`),
      fc
        .uint8Array({ minLength: 102, maxLength: 102 })
        .map((bytes) => `cur_${Buffer.from(bytes).toString('base64url')}`),
      fc
        .uint8Array({ minLength: 93, maxLength: 93 })
        .map((bytes) => `cur_${Buffer.from([1, ...bytes]).toString('base64url')}`),
      fc
        .uint8Array({ minLength: 101, maxLength: 101 })
        .map((bytes) => `cur_${Buffer.from([2, ...bytes]).toString('base64url')}`),
    )
    fc.assert(fc.property(madeUp, (text) => sealer.open(text) === null))
  })

  test('can only be sealed with a complete query hash', () => {
    for (const queryHash of ['', 'ab', 'zz'.repeat(16)]) {
      expect(() => sealer.seal({ ...payload, queryHash })).toThrow(RangeError)
    }
  })
})
