import fc from 'fast-check'
import { expect, test } from 'vitest'
import { attributeOf, decodeCellText, decodeText, XmlScanner } from '../../src/read/xml.ts'

/** The calls of the scanner for a document that comes in these parts, with adjoining texts as one. */
function scan(parts: readonly string[]): string[] {
  const told: string[] = []
  let text = ''
  const flush = () => {
    if (text !== '') told.push(`"${decodeText(text)}"`)
    text = ''
  }
  const scanner = new XmlScanner({
    open(name, attributes) {
      flush()
      told.push(`<${name}${attributes.trim() === '' ? '' : ` ${attributes.trim()}`}>`)
    },
    close(name) {
      flush()
      told.push(`</${name}>`)
    },
    text(part) {
      text += part
    },
  })
  for (const part of parts) scanner.write(part)
  scanner.end()
  return told
}

const document =
  '<?xml version="1.0"?>\n<!-- <c> --><x:row r="1" x:note="a > b"><x:c t=\'s\'><x:v>4 &lt; 5 &amp; &#8364;</x:v></x:c><c/><![CDATA[<&>]]></x:row>'
const told = [
  ...['<row r="1" x:note="a > b">', "<c t='s'>", '<v>', '"4 < 5 & €"', '</v>', '</c>'],
  ...['<c>', '</c>', '"<&>"', '</row>'],
]

test('a document is told the same, wherever its parts are cut', () => {
  expect(scan([document])).toEqual(told)
  fc.assert(
    fc.property(fc.array(fc.nat(document.length), { maxLength: 12 }), (cuts) => {
      const at = [0, ...cuts.sort((a, b) => a - b), document.length]
      expect(scan(at.slice(1).map((end, index) => document.slice(at[index], end)))).toEqual(told)
    }),
  )
})

test.each(['<a><b></a>', '<a>', '<a', '', 'a', '</a>', '<a></b>', '<>', `${'<a>'.repeat(65)}`])(
  '%j is refused',
  (text) => {
    expect(() => scan([text])).toThrow('the workbook is damaged')
  },
)

test('a document type and entities of its own are refused', () => {
  expect(() => scan(['<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'])).toThrow('a document type or entities of its own')
  expect(() => scan(['<a>&b;</a>'])).toThrow('an entity that it does not define')
})

test('an attribute is found by its whole name, in either quotes', () => {
  expect(attributeOf(' xr="1" r="A&amp;1" r:id=\'2\' t = "s"', 'r')).toBe('A&1')
  expect(attributeOf(' r:id="rId1"', 'id')).toBe('rId1')
  expect(attributeOf(' t = "s"', 't')).toBe('s')
  expect(attributeOf(' stt="s"', 't')).toBeUndefined()
})

test('characters that XML cannot have are read as workbooks write them', () => {
  expect(decodeCellText('a_x000D_b_x005F_x0041_')).toBe('a\rb_x0041_')
})
