import fc from 'fast-check'
import { expect, test } from 'vitest'
import { escapeControls, escapeLine } from '../src/terminal.mjs'

/** What a terminal acts on: controls, DEL, C1, separators of lines, marks that turn the direction of text. */
const isControl = (code: number) =>
  code < 0x20 ||
  (code >= 0x7f && code <= 0x9f) ||
  (code >= 0x2028 && code <= 0x202e) ||
  (code >= 0x2066 && code <= 0x2069)
const every = Array.from({ length: 0x3000 }, (_, code) => code)

test('every control character is escaped, and nothing else', () => {
  for (const code of every) {
    const text = `a${String.fromCharCode(code)}b`
    const escaped = code === 0x0a ? 'a\\nb' : `a\\u${code.toString(16).padStart(4, '0')}b`
    expect(escapeLine(text), `U+${code.toString(16)}`).toBe(isControl(code) ? escaped : text)
    expect(escapeControls(text)).toBe(code === 0x0a ? text : escapeLine(text))
  }
})

test('a document of JSON stays the same document', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' })), (value) => {
      const text = escapeControls(JSON.stringify(value))
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
      expect([...text].some((character) => isControl(character.codePointAt(0)!))).toBe(false)
    }),
  )
})
