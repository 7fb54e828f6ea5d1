import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createQuoteSealer, hashQuotedBody, type QuotePayload } from '../../../src/foundation/kernel/quote.ts'

const sealer = createQuoteSealer(Buffer.alloc(32, 1))

const payload: QuotePayload = {
  accountId: 7,
  mode: 'live',
  bodyHash: '00112233445566778899aabbccddeeff',
  credits: 250,
  storeExports: 90,
  expiresAtMs: Date.parse('2026-11-22T10:10:00Z'),
  contactIds: [1, 2 ** 48 - 1],
}

const amount = fc.nat({ max: Number.MAX_SAFE_INTEGER })
const anyPayload: fc.Arbitrary<QuotePayload> = fc.record({
  accountId: amount,
  mode: fc.constantFrom('live', 'test'),
  bodyHash: fc.stringMatching(/^[0-9a-f]{32}$/),
  credits: amount,
  storeExports: amount,
  expiresAtMs: fc.nat({ max: 8.64e15 }),
  contactIds: fc.array(fc.nat({ max: 2 ** 48 - 1 }), { maxLength: 100 }),
})

describe('a quote', () => {
  test('opens to what was sealed, differs each time and shows nothing of it', () => {
    fc.assert(
      fc.property(anyPayload, (value) => {
        const [one, other] = [sealer.seal(value), sealer.seal(value)]
        expect(one).toMatch(/^quo_[A-Za-z0-9_-]+$/)
        expect(sealer.open(one)).toEqual(value)
        expect(one).not.toBe(other)
        expect(Buffer.from(one.slice(4), 'base64url').includes(Buffer.from(value.bodyHash, 'hex'))).toBe(false)
      }),
    )
    expect(() => sealer.seal({ ...payload, bodyHash: 'ab' })).toThrow(RangeError)
    expect(() => sealer.seal({ ...payload, contactIds: Array(101).fill(1) })).toThrow(RangeError)
  })

  test('with any one changed character, or of another installation, does not open', () => {
    const text = sealer.seal(payload)
    for (let at = 0; at < text.length; at++)
      for (const character of 'AQgw_-z9')
        if (text[at] !== character) expect(sealer.open(text.slice(0, at) + character + text.slice(at + 1))).toBeNull()
    for (const variant of [`${text}=`, `${text} `, `${text}A`, ` ${text}`, text.slice(4), 'quo_', ''])
      expect(sealer.open(variant)).toBeNull()
    expect(createQuoteSealer(Buffer.alloc(32, 2)).open(text)).toBeNull()
  })

  test('is distinguished from any other text without throwing', () => {
    const madeUp = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.uint8Array({ maxLength: 120 }).map((bytes) => `quo_${Buffer.from(bytes).toString('base64url')}`),
    )
    fc.assert(fc.property(madeUp, (text) => sealer.open(text) === null))
  })
})

describe('the hash of a quoted body', () => {
  const body = { kind: 'stores', filters: { countries: ['DE', 'FR'], contacts: { roles_any: [] } }, max_rows: 10 }

  test('is the same whatever the order of members, with the quote or with what it is for', () => {
    const shuffled = { max_rows: 10, filters: { contacts: { roles_any: [] }, countries: ['DE', 'FR'] }, kind: 'stores' }
    expect(hashQuotedBody(shuffled)).toBe(hashQuotedBody(body))
    expect(hashQuotedBody({ for: 'export', ...body })).toBe(hashQuotedBody(body))
    expect(hashQuotedBody({ ...body, quote: 'quo_x' })).toBe(hashQuotedBody(body))
    expect(hashQuotedBody(body)).toMatch(/^[0-9a-f]{32}$/)
  })

  test('differs for any other body', () => {
    const others = [
      { ...body, max_rows: 11 },
      { ...body, max_rows: '10' },
      { ...body, gzip: true },
      { ...body, filters: { ...body.filters, countries: ['FR', 'DE'] } },
      { ...body, filters: {} },
      { ...body, filters: [] },
      { ...body, filters: null },
    ]
    expect(new Set([body, ...others].map(hashQuotedBody)).size).toBe(1 + others.length)
  })
})
