import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSigner, createTextHmac } from '../../../src/foundation/kernel/signer.ts'

const signer = createSigner(Buffer.alloc(32, 1))

test('a signature is valid only for its text, purpose and installation', () => {
  const signature = signer.sign('door', 'open')
  expect(signature).toMatch(/^[\w-]{43}$/)
  expect(signer.verify('door', 'open', signature)).toBe(true)
  expect(createSigner(Buffer.alloc(32, 1)).verify('door', 'open', signature)).toBe(true)
  expect(createSigner(Buffer.alloc(32, 2)).verify('door', 'open', signature)).toBe(false)
  for (const [purpose, text, given] of [
    ['window', 'open', signature],
    ['door', 'shut', signature],
    ['door', 'open', ''],
    ['door', 'open', `${signature}=`],
    ['door', 'open', signature.slice(0, -1)],
    ['door', 'open', `${'é'.repeat(21)}x`],
  ] as const)
    expect(signer.verify(purpose, text, given), given).toBe(false)
})

test('texts of any length have the standard HMAC digest, also in sequence', () => {
  const key = Buffer.alloc(32, 7)
  const digest = createTextHmac(key)
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ minLength: 900, maxLength: 5_000 }))
  fc.assert(
    fc.property(text, (text) => {
      expect(digest(text)).toBe(createHmac('sha256', key).update(text).digest('binary'))
    }),
    { numRuns: 200 },
  )
})
