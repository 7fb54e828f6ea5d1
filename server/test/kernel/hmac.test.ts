import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTextHmac } from '../../src/kernel/signer.ts'

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
