import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { proofRuns } from '../../../../bin/tests/proof-runs.ts'
import { exceededJsonBound, parseShortJson, parseStrictJson } from '../../../src/foundation/kernel/json.ts'
import { checkStrictJson } from '../../../src/foundation/kernel/json-check.ts'

const parse = (text: string) => parseStrictJson(Buffer.from(text))
const refused = (reason: string) => ({ ok: false, reason })

const suite: Record<string, string> = JSON.parse(
  readFileSync(new URL('../../data/json-parsing/cases.json', import.meta.url), 'utf8'),
)
const cases = Object.entries(suite).map(([name, base64]) => ({ name, bytes: Buffer.from(base64, 'base64') }))

describe('the published JSON parsing cases', () => {
  test('are complete', () => {
    const kinds = ['y_', 'n_', 'i_'].map((kind) => cases.filter(({ name }) => name.startsWith(kind)).length)
    expect(kinds).toEqual([95, 188, 35])
  })

  test.each(cases.filter(({ name }) => name.startsWith('y_')))('$name parses', ({ name, bytes }) => {
    // The two with a repeated key are valid JSON by the specification; here they are rejected.
    if (name.startsWith('y_object_duplicated_key')) expect(parseStrictJson(bytes)).toEqual(refused('duplicate_key'))
    else expect(parseStrictJson(bytes)).toEqual({ ok: true, value: JSON.parse(bytes.toString()) })
  })

  test.each(cases.filter(({ name }) => name.startsWith('n_')))('$name is refused', ({ bytes }) => {
    expect(parseStrictJson(bytes).ok).toBe(false)
  })

  test.each(cases.filter(({ name }) => name.startsWith('i_')))('$name gets a result', ({ bytes }) => {
    expect(typeof parseStrictJson(bytes).ok).toBe('boolean')
  })
})

describe('a repeated key', () => {
  test.each([
    ['at the top', '{"a":1,"a":1}'],
    ['deep inside', '{"x":[{"y":{"a":1,"b":2,"a":3}}]}'],
    ['spelt with an escape', '{"a":1,"\\u0061":2}'],
    ['of an empty name', '{"":1,"":2}'],
    ['named __proto__', '{"__proto__":1,"__proto__":2}'],
    ['named like an index', '{"0":1,"0":2}'],
    ['beside colons in strings', '{"a:":"::","a:":"\\":{"}'],
  ])('%s is refused', (_case, text) => {
    expect(parse(text)).toEqual(refused('duplicate_key'))
  })

  test.each([
    ['in objects side by side', '[{"a":1},{"a":1}]'],
    ['in nested objects', '{"a":{"a":{"a":null}}}'],
    ['in another case', '{"a":1,"A":2}'],
    ['as text only', '{"a":"\\"a\\":1,\\"a\\":2","b":"\\\\"}'],
  ])('%s is none', (_case, text) => {
    expect(parse(text)).toEqual({ ok: true, value: JSON.parse(text) })
  })

  test('is found at every position, without false positives', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.string(), fc.boolean(), (value, key, escaped) => {
        const text = JSON.stringify(value)
        expect(parse(text)).toEqual({ ok: true, value: JSON.parse(text) })
        const name = JSON.stringify(key)
        const again = escaped ? `"${[...Array(key.length).keys()].map((at) => hexEscape(key, at)).join('')}"` : name
        expect(parse(`[${text},{${name}:${text},${again}:${text}}]`)).toEqual(refused('duplicate_key'))
      }),
    )
  })
})

function hexEscape(text: string, at: number): string {
  return `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`
}

describe('a body', () => {
  test('with __proto__ does not change other objects', () => {
    const result = parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}')
    expect(result.ok && Object.keys(result.value as object)).toEqual(['__proto__', 'constructor'])
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })

  test('may nest 64 levels and no more', () => {
    expect(parse('['.repeat(64) + ']'.repeat(64)).ok).toBe(true)
    expect(parse('['.repeat(65) + ']'.repeat(65))).toEqual(refused('too_deep'))
    expect(parse(`${'{"a":'.repeat(64)}1${'}'.repeat(64)}`).ok).toBe(true)
    expect(parse(`${'[{"a":'.repeat(33)}1${'}]'.repeat(33)}`)).toEqual(refused('too_deep'))
    expect(parse(`["${'['.repeat(100)}"]`).ok).toBe(true)
    expect(parse('[[],[],[[]]]').ok).toBe(true)
    expect(parse(`[${'[],{},'.repeat(100)}[]]`).ok).toBe(true)
  })

  test.each([
    ['100,000 arrays', '['.repeat(100_000) + ']'.repeat(100_000), 'too_deep'],
    ['100,000 objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, 'too_deep'],
    ['100,000 arrays left open', '['.repeat(100_000), 'syntax'],
  ])('of %s is rejected quickly', (_case, text, reason) => {
    expect(parse(text)).toEqual(refused(reason))
  })

  test.each([
    ['a lone continuation byte', Buffer.from([0x22, 0x80, 0x22])],
    ['an overlong slash', Buffer.from([0x22, 0xc0, 0xaf, 0x22])],
    ['a surrogate in three bytes', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
    ['UTF-16', Buffer.from('\ufeff{}', 'utf16le')],
  ])('with %s is not UTF-8', (_case, bytes) => {
    expect(parseStrictJson(bytes)).toEqual(refused('invalid_utf8'))
  })

  test.each([
    ['nothing', ''],
    ['a byte order mark', '\ufeff{}'],
    ['two values', '{}{}'],
    ['a comment', '{}//'],
    ['NaN', '[NaN]'],
    ['a trailing comma', '{"a":1,}'],
  ])('with %s is not JSON', (_case, text) => {
    expect(parse(text)).toEqual(refused('syntax'))
  })

  test('of any bytes gets a result', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(typeof parseStrictJson(Buffer.from(bytes)).ok).toBe('boolean')
      }),
    )
  })
})

describe('the bounds of an unparsed text', () => {
  const exceeded = (text: string, maxDepth = 3, maxMarks = 10) =>
    exceededJsonBound(Buffer.from(text), { maxDepth, maxMarks })

  test.each([
    ['[[[]]]', null],
    ['[[[[]]]]', 'maxDepth'],
    ['[{"a":[', null],
    ['[{"a":[{', 'maxDepth'],
    ['[0,0,0,0,0,0,0,0,0]', null],
    ['[0,0,0,0,0,0,0,0,0,0]', 'maxMarks'],
    ['::::::::::', null],
    [':::::::::::', 'maxMarks'],
    [']]]]]]]]]][[[[', 'maxMarks'],
    ['"[[[[[[[[[[[["', null],
    ['"\\"[[[["', null],
    ['"\\\\"[[[[', 'maxDepth'],
    ['"[[[[', null],
    ['\\[[[[', 'maxDepth'],
    ['"\\', null],
    ['', null],
  ] as const)('of %s: %s', (text, excess) => {
    expect(exceeded(text)).toBe(excess)
  })

  test('agree with the parsed value', () => {
    const measure = (value: unknown): { depth: number; marks: number } => {
      if (typeof value !== 'object' || value === null) return { depth: 0, marks: 0 }
      const children = Object.values(value)
      const inner = children.map(measure)
      const separators = Math.max(0, children.length - 1) + (Array.isArray(value) ? 0 : children.length)
      return {
        depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)),
        marks: 2 + separators + inner.reduce((sum, { marks }) => sum + marks, 0),
      }
    }
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const text = JSON.stringify(value)
        const { depth, marks } = measure(JSON.parse(text))
        expect(exceeded(text, depth, marks)).toBeNull()
        if (marks > 0) expect(exceeded(text, depth, marks - 1)).toBe('maxMarks')
        if (depth > 0) expect(exceeded(text, depth - 1, marks)).toBe('maxDepth')
      }),
    )
  })
})

describe('the check without parsing agrees with the parser', () => {
  const expectSame = (bytes: Buffer, name = bytes.toString('latin1')) => {
    const parsed = parseStrictJson(bytes)
    // The other check bounds the depth.
    if (!parsed.ok && parsed.reason === 'too_deep') return
    expect(checkStrictJson(bytes), name).toBe(parsed.ok ? null : parsed.reason)
  }

  test('the published cases', () => {
    const isShallow = (bytes: Buffer) => exceededJsonBound(bytes, { maxDepth: 64, maxMarks: 20_000 }) === null
    for (const { name, bytes } of cases) if (isShallow(bytes)) expectSame(bytes, name)
  })

  test('texts composed of JSON tokens', () => {
    const parts = fc.constantFrom(
      ...[
        '{',
        '}',
        '[',
        ']',
        ',',
        ':',
        '"',
        '\\',
        '"a"',
        '"\\u0061"',
        '"\\ud800"',
        '"\\ud801"',
        '\\u',
        '"é":',
        '{"a":1',
        ',"a":',
      ],
      ...[
        '0',
        '1',
        '-',
        '+',
        '.',
        'e',
        'E5',
        '00',
        '1.5',
        '-0',
        '9e9',
        'true',
        'false',
        'null',
        'nul',
        ' ',
        '\n',
        '\t',
        '\0',
        '\x7f',
      ],
    )
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 8 }), (texts) => expectSame(Buffer.from(texts.join('')))),
      { numRuns: proofRuns(5_000) },
    )
  })

  test('valid values, also with one byte changed', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.nat(255), (text, at, byte) => {
        const bytes = Buffer.from(text)
        expectSame(bytes)
        bytes[at % bytes.length] = byte
        expectSame(bytes)
      }),
      { numRuns: proofRuns(1_000) },
    )
  })

  test.each([
    '{"\\ud800":1,"\\ud801":1}',
    '{"a":1,"\\u0061":1}',
    '{"é":1,"\\u00e9":1}',
    '1E+',
    '-',
    '1.',
    '.5',
    '"\\u12',
    '"\\',
  ])('%s', (text) => expectSame(Buffer.from(text)))
})

describe('a short text', () => {
  const maxDepth = 8
  const expectSame = (bytes: Buffer) => {
    const isAccepted =
      exceededJsonBound(bytes, { maxDepth, maxMarks: 20_000 }) === null && checkStrictJson(bytes) === null
    const value = parseShortJson(bytes, maxDepth)
    if (isAccepted) expect(value).toEqual(JSON.parse(bytes.toString()))
    else expect(value).toBe(undefined)
    return isAccepted
  }

  test.each(cases.filter(({ bytes }) => bytes.length <= 2_048))(
    '$name parses only if its check accepts it',
    ({ bytes }) => {
      expectSame(bytes)
    },
  )

  test.each([
    ['{"a":1,"a":1}', false],
    ['{"__proto__":1,"__proto__":2}', false],
    ['{"__proto__":{"a":1},"a":":"}', true],
    ['{"a":"\\":","b":[{"c":null}]}', true],
    ['[[[[[[[[1]]]]]]]]', true],
    ['[[[[[[[[[1]]]]]]]]]', false],
    ['"[[[[[[[[["', true],
    ['null', true],
    ['', false],
    ['\ufeff{}', false],
  ])('%s', (text, isAccepted) => {
    expect(expectSame(Buffer.from(text))).toBe(isAccepted)
  })

  test('that is valid, with some bytes changed, parses only if its check accepts it', () => {
    const change = fc.record({ at: fc.nat(), byte: fc.constantFrom(...Buffer.from('{}[]",:\\ua1 \u00ff', 'latin1')) })
    const texts = fc.json({ maxDepth: 10 }).map((text) => Buffer.from(text))
    fc.assert(
      fc.property(texts, fc.array(change, { maxLength: 3 }), (bytes, changes) => {
        for (const { at, byte } of changes) bytes[at % bytes.length] = byte
        expectSame(bytes)
      }),
      { numRuns: proofRuns(5_000) },
    )
  })

  test('with random keys, some of them equal, parses only if its check accepts it', () => {
    const key = fc.constantFrom('a', 'b', '\\u0061', 'c:', 'd{', '\\"')
    const { object } = fc.letrec<{ value: string; object: string }>((tie) => ({
      value: fc.oneof({ maxDepth: 3 }, fc.constantFrom('1', '":"', 'null', '[]'), tie('object')),
      object: fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }).map((members) => {
        return `{${members.map(([name, value]) => `"${name}":${value}`).join(',')}}`
      }),
    }))
    let accepted = 0
    fc.assert(
      fc.property(object, (text) => {
        if (expectSame(Buffer.from(text))) accepted++
      }),
      { numRuns: proofRuns(2_000) },
    )
    expect(accepted).toBeGreaterThan(100)
  })
})
