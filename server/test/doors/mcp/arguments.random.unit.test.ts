import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { proofRuns } from '../../../../bin/tests/proof-runs.ts'
import { readArguments, tidyMessage } from '../../../src/doors/mcp/arguments.ts'
import type { ToolSchema } from '../../../src/doors/mcp/schemas.ts'
import { ContactSearchRequest } from '../../../src/product/contacts/search-contacts.ts'
import { StoreCountRequest } from '../../../src/product/counts/schema.ts'
import { StoreEnrichmentRequest } from '../../../src/product/stores/enrich-stores.ts'
import { StoreSearchRequest } from '../../../src/product/stores/search-stores.ts'
import type { Json } from '../../support/client.ts'

const own: ToolSchema = {
  type: 'object',
  properties: {
    contact_ids: { type: 'array', items: { type: 'string' }, minItems: 1 },
    quote: { type: 'string' },
  },
  additionalProperties: false,
}
const schemas = Object.entries({
  StoreCountRequest,
  StoreSearchRequest,
  StoreEnrichmentRequest,
  ContactSearchRequest,
  own,
})

const branch = (schema: Json): Json =>
  schema.anyOf?.every((each: Json) => typeof each.const === 'string')
    ? { type: 'string', enum: schema.anyOf.map((each: Json) => each.const) }
    : (schema.anyOf?.find((each: Json) => each.type !== 'null') ?? schema)

/** Good values, none of which stands for nothing. */
function goodValue(declared: Json): fc.Arbitrary<Json> {
  const schema = branch(declared)
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  switch (schema.type) {
    case 'object':
      return fc
        .record(
          Object.fromEntries(
            Object.entries<Json>(schema.properties)
              .filter(([, member]) => member.const !== false)
              .map(([name, member]) => [name, goodValue(member)]),
          ),
          { requiredKeys: schema.required ?? [] },
        )
        .map((value) => ({ ...value }))
    case 'array':
      return fc.array(goodValue(schema.items), { minLength: 1, maxLength: 3 })
    case 'integer':
      return fc.integer({ min: schema.minimum ?? 1, max: schema.maximum ?? 100 })
    case 'boolean':
      return fc.boolean()
    default:
      return fc.constantFrom(
        'DE',
        'klaviyo',
        'aurora-candles.example',
        '2026-01-01T00:00:00Z',
        'ct_live_AbCdEfGhIjKlMnOp',
      )
  }
}

const fillers = [
  null,
  '',
  '  ',
  [],
  {},
  'null',
  'NULL',
  'undefined',
  'None',
  'nil',
  '<nil>',
  'NaN',
  ['null'],
  [null],
  [''],
  '[]',
  '{}',
]

/** The zero of its type, where that cannot be meant. */
function zeroOf(schema: Json): Json[] {
  if (schema.type === 'integer' && schema.minimum > 0) return [0, '0']
  if (schema.const === true || schema.const === false) return [false, 'false']
  return schema.pattern?.startsWith('^cur_') ? [0, '0'] : []
}

type Draw = <T>(choices: readonly T[]) => T

/** Optional members that are missing get fillers, at any depth; so the call must go on meaning the same. */
function filled(declared: Json, value: Json, draw: Draw): Json {
  const schema = branch(declared)
  if (schema.type === 'array') return value.map((item: Json) => filled(schema.items, item, draw))
  if (schema.type !== 'object') return value
  const members = Object.entries<Json>(schema.properties).flatMap(([name, member]) => {
    if (name in value) return [[name, filled(member, value[name], draw)]]
    if (schema.required?.includes(name)) return []
    const known = branch(member)
    const deep = known.type === 'object' ? [filled(known, {}, draw)] : []
    return [
      [
        name,
        draw([...fillers, ...zeroOf(known), ...deep, ...deep, ...(known.type === 'array' ? ['[null]', '[""]'] : [])]),
      ],
    ]
  })
  return Object.fromEntries(members)
}

const kindOf: Record<string, string> = {
  array: 'object',
  object: 'object',
  integer: 'number',
  boolean: 'boolean',
  string: 'string',
}

/** The same values in forms that hosts send them in. */
function respelt(declared: Json, value: Json, draw: Draw): Json {
  const schema = branch(declared)
  // A filler.
  if (value === null || typeof value !== kindOf[schema.type] || Array.isArray(value) !== (schema.type === 'array'))
    return value
  if (schema.type === 'object') {
    const members = Object.entries(value).map(([name, each]) => [name, respelt(schema.properties[name], each, draw)])
    const object = Object.fromEntries(members)
    return draw([object, object, JSON.stringify(object)])
  }
  if (schema.type === 'array') {
    const list = value.map((each: Json) => respelt(schema.items, each, draw))
    return draw([
      list,
      JSON.stringify(list),
      ...(value.length === 1 && schema.items.type !== 'object' ? [value[0]] : []),
    ])
  }
  if (schema.type === 'integer') return draw([value, String(value), `${value}.0`, ` ${value} `])
  return schema.type === 'boolean' ? draw([value, String(value), value ? 'True' : 'False']) : value
}

const drawer = (numbers: readonly number[]): Draw => {
  let at = 0
  return (choices) => choices[numbers[at++ % numbers.length]! % choices.length]!
}
const choices = fc.array(fc.nat(1_000), { minLength: 30, maxLength: 60 })

describe.each(schemas)('arguments of %s', (_name, schema) => {
  test('mean the same with fillers at every optional place', () => {
    fc.assert(
      fc.property(goodValue(schema), choices, (args, numbers) => {
        const sent = filled(schema, args, drawer(numbers))
        expect(readArguments(schema as unknown as ToolSchema, sent)).toEqual(
          readArguments(schema as unknown as ToolSchema, args),
        )
        expect(readArguments(schema as unknown as ToolSchema, args)).toEqual(meaningOf(schema, args))
      }),
      { numRuns: proofRuns(400) },
    )
  })

  test('mean the same as texts, as JSON in texts, and as single values', () => {
    fc.assert(
      fc.property(goodValue(schema), choices, (args, numbers) => {
        const sent = respelt(schema, filled(schema, args, drawer(numbers)), drawer([...numbers].reverse()))
        expect(readArguments(schema as unknown as ToolSchema, sent)).toEqual(meaningOf(schema, args))
      }),
      { numRuns: proofRuns(400) },
    )
  })

  test('that are no arguments stay what they are, for the API to refuse', () => {
    fc.assert(
      fc.property(fc.anything(), (sent) => {
        expect(() => readArguments(schema as unknown as ToolSchema, sent)).not.toThrow()
      }),
      { numRuns: proofRuns(400) },
    )
  })
})

/** Good arguments without optional objects that ask for nothing. */
function meaningOf(declared: Json, value: Json): Json {
  const schema = branch(declared)
  if (schema.type !== 'object') return value
  const members = Object.entries(value)
    .map(([name, each]) => [name, meaningOf(schema.properties[name], each)] as const)
    .filter(
      ([name, each]) =>
        schema.required?.includes(name) || !(typeof each === 'object' && Object.keys(each).length === 0),
    )
  return Object.fromEntries(members)
}

describe('what is not a filler', () => {
  const read = (args: object) => readArguments(StoreSearchRequest as unknown as ToolSchema, args)

  test.each([
    ['a misspelt member, also an empty one', { filters: { contries: ['DE'] }, filterz: null }],
    ['an invalid value', { filters: { countries: ['XX'], platform_plus: 'yes' }, limit: 1_000 }],
    ['a negative limit', { filters: {}, limit: -1 }],
    ['a text for a number', { filters: {}, limit: 'ten' }],
    ['one empty value among others', { filters: { countries: ['DE', ''] } }],
    ['a misspelt member within an optional object', { filters: { apps: { anyy: ['klaviyo'] } } }],
    ['a cursor that is none', { filters: {}, cursor: 'page 2' }],
    ['a required member that is null', { filters: null }],
    ['JSON with a key twice', { filters: '{"countries":["DE"],"countries":["AT"]}' }],
    ['JSON that is cut', { filters: '{"countries":["DE"' }],
    ['the name of a prototype', JSON.parse('{"filters":{},"__proto__":{"limit":1},"constructor":1}')],
  ])('%s is kept', (_what, args) => {
    expect(JSON.stringify(read(args))).toBe(JSON.stringify(args))
  })

  test('false where false says something is kept', () => {
    const args = { filters: { platform_plus: false, contacts: { has_revealable_contacts: false } } }
    expect(read(args)).toEqual(args)
  })
})

test('a message is tidied only where a host leaves its parts out', () => {
  const call = (args: unknown) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'usage', arguments: args },
  })
  for (const nothing of [null, undefined, '', 'null', '{}', {}]) expect(tidyMessage(call(nothing))).toEqual(call({}))
  expect(tidyMessage(call('{"domain":"a.example"}'))).toEqual(call({ domain: 'a.example' }))
  expect(tidyMessage({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: null })).toEqual({
    ...{ jsonrpc: '2.0', id: 1, method: 'tools/list' },
  })
  for (const other of [[], 'text', 7, null, call([]), call('text'), { method: 'tools/list', params: [] }])
    expect(tidyMessage(other)).toEqual(other)
})
