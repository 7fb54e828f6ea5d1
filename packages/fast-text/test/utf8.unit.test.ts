import fc from 'fast-check'
import { expect, test } from 'vitest'
import { composeBytes, mostBytesPerCharacter, writeUtf8 } from '../src/utf8.ts'

const encode = (text: string) => composeBytes(text.length * mostBytesPerCharacter, (bytes) => writeUtf8(bytes, text, 0))

test('a text of any length, in any script, becomes the bytes that the engine makes of it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(encode(text)).toEqual(Buffer.from(text))
    }),
  )
  for (const length of [0, 1, 47, 48, 49, 262_144])
    for (const letter of ['a', 'ł', '日', '🦊'])
      expect(encode(letter.repeat(length)).equals(Buffer.from(letter.repeat(length)))).toBe(true)
})

test('bytes that were composed stay as they are when others are composed', () => {
  const first = encode('amber')
  encode('basalt')
  expect(first.toString()).toBe('amber')
})
