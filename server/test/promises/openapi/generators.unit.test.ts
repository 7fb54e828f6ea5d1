import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../support/client.ts'

// What generators of clients, in other languages, make of the document. The file is the served one (`openapi.test.ts`).
const document: Json = JSON.parse(readFileSync(join(import.meta.dirname, '../../../../openapi/v1.json'), 'utf8'))

/** Every schema below a node, with its path. */
function schemasIn(node: Json, path = ''): [path: string, schema: Json][] {
  if (typeof node !== 'object' || node === null) return []
  const below = Object.entries(node).flatMap(([key, value]) =>
    key === 'examples' || key === 'example' ? [] : schemasIn(value, `${path}/${key}`),
  )
  return [[path, node], ...below]
}

const token =
  /^(?:\^|\$|\\x[0-9a-f]{2}|\\[.^$*+?()[\]{}|\\-]|\[\^?(?:\\x[0-9a-f]{2}|\\[\]\\^-]|[^\]\\[])+\]|\(\?:|\((?!\?)|[)|]|[*+?]|\{\d{1,3}(?:,\d{0,3})?\}|[^\\[\](){}*+?.^$|])/u

/** Why a pattern may mean something else in JavaScript without the flag u, in Python or in RE2. */
function patternFault(pattern: string): string | null {
  if (/[\u{10000}-\u{10ffff}]/u.test(pattern)) return 'it has a character of two units'
  for (let rest = pattern; rest !== ''; ) {
    const [found] = token.exec(rest) ?? []
    if (found === undefined) return `it has ${rest.slice(0, 8)}`
    rest = rest.slice(found.length)
  }
  return null
}

const patterns = [
  ...new Set(schemasIn(document).flatMap(([, { pattern }]) => (typeof pattern === 'string' ? [pattern] : []))),
]

const samples = [
  ...new Set([
    ...schemasIn(document).flatMap(([, { examples, example }]) =>
      [examples, example].flat(2).filter((each): each is string => typeof each === 'string'),
    ),
    ...['', ' ', '\t', '\u2003', '\u00a0', '\ufeff', 'a', 'Shops für den Frühling', '日本 の 店', '😀', ' 😀 ', 'a😀b'],
    ...[
      'a\nb',
      'a\r\nb',
      'a\u2028b',
      'a\u0085b',
      'a\u0000b',
      '\u0007',
      '\u007f',
      '٣',
      '1',
      '25',
      '100',
      '101',
      '\u212a',
      'ſ',
    ],
    ...[
      'req_8fK2mXo3QpLr7TzV1aBcD4Ef',
      'ct_live_PqLmXzTbVnRwKdHc',
      'cur_-_',
      'DE',
      'a.b-c_d',
      'p{Cc}',
      'x41',
      'true',
      'Bearer',
    ],
  ]),
]

describe('patterns of the document', () => {
  test('have only what means the same everywhere', () => {
    expect(patterns.length).toBeGreaterThan(8)
    for (const pattern of patterns) expect([pattern, patternFault(pattern)]).toEqual([pattern, null])
  })

  test.each([
    ...[
      '\\p{L}',
      '[^\\p{Cc}]',
      '\\d',
      '[\\w-]',
      '\\s',
      '[^\\s]',
      '\\S.*',
      '.*',
      '\\u0041',
      '\\u{41}',
      '\\bx',
      '(?=a)',
      '(?<n>a)',
    ],
    ...['(?i)a', '(?<!a)b', '\\1', 'a{1,2000}', '[a-z&&[^b]]', '\\cA', '\\-a\\e', '^\\Aa', 'a\\Z', '[😀]', '😀', '\\/'],
  ])('would not have %s', (pattern) => {
    expect(patternFault(pattern)).not.toBeNull()
  })

  test('match the same in JavaScript with and without the flag u', () => {
    for (const pattern of patterns)
      for (const sample of samples) {
        const [plain, unicode] = [new RegExp(pattern), new RegExp(pattern, 'u')].map((each) => each.test(sample))
        expect([pattern, sample, plain]).toEqual([pattern, sample, unicode])
      }
  })

  const hasPython = spawnSync('python3', ['--version']).status === 0
  test.skipIf(!hasPython)('match the same in Python', () => {
    const script =
      'import json,re,sys\nps,ss=json.load(sys.stdin)\nprint(json.dumps([[bool(re.search(p,s)) for s in ss] for p in ps]))'
    const output = execFileSync('python3', ['-c', script], { input: JSON.stringify([patterns, samples]) })
    const expected = patterns.map((pattern) => samples.map((sample) => new RegExp(pattern, 'u').test(sample)))
    expect(JSON.parse(String(output))).toEqual(expected)
  })
})

describe('generators', () => {
  // openapi-typescript makes a member with a default required, unless it is told otherwise.
  test('find no default in what a request has as a body', () => {
    const named = new Map(Object.entries<Json>(document.components.schemas))
    const sent = new Set<string>()
    const defaults: string[] = []
    const visit = (node: Json, path: string): void => {
      for (const [at, schema] of schemasIn(node, path)) {
        if ('default' in schema && !at.endsWith('/properties')) defaults.push(at)
        const name = typeof schema.$ref === 'string' ? schema.$ref.replace('#/components/schemas/', '') : undefined
        if (name === undefined || sent.has(name)) continue
        sent.add(name)
        visit(named.get(name), name)
      }
    }
    for (const [path, methods] of Object.entries<Json>(document.paths))
      for (const [method, operation] of Object.entries<Json>(methods)) visit(operation.requestBody, `${method} ${path}`)
    expect(sent.size).toBeGreaterThan(15)
    expect(defaults).toEqual([])
    const { limit } = document.components.schemas.StoreSearchRequest.properties
    expect(limit.description).toMatch(/By default 25\.$/)
  })

  // zod, as several generators write it, has URLs alone for `hostname`.
  test('find no format but those that they read alike', () => {
    const formats = new Set(
      schemasIn(document).flatMap(([, { format }]) => (typeof format === 'string' ? [format] : [])),
    )
    expect([...formats].sort()).toEqual(['binary', 'date-time', 'int32', 'int64', 'uri'])
  })
})

// The rules of Spectral's `oas` set that the document once broke, and their neighbours.
describe('linters', () => {
  test('find a contact, without a person in it', () => {
    expect(document.info.contact.name).toMatch(/operator/)
    expect(Object.keys(document.info.contact)).not.toContain('email')
    for (const member of ['title', 'description', 'version', 'license']) expect(document.info[member]).toBeTruthy()
  })

  test('find a description, a summary, a known tag and an id of its own at every operation', () => {
    const tags = document.tags.map(({ name }: Json) => name)
    const ids = new Set<string>()
    for (const [path, methods] of Object.entries<Json>(document.paths))
      for (const [method, operation] of Object.entries<Json>(methods)) {
        const name = `${method} ${path}`
        expect(operation.description, name).toMatch(/\.$/)
        expect(operation.summary, name).toBeTruthy()
        expect(operation.description, name).not.toBe(operation.summary)
        expect(tags, name).toEqual(expect.arrayContaining(operation.tags))
        expect(operation.tags, name).toHaveLength(1)
        ids.add(operation.operationId)
      }
    expect(ids.size).toBe(Object.values<Json>(document.paths).flatMap((methods) => Object.keys(methods)).length)
    for (const { description } of document.tags) expect(description).toBeTruthy()
  })
})
