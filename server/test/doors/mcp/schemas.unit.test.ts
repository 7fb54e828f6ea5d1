import { describe, expect, test } from 'vitest'
import { publishSchema } from '../../../src/doors/mcp/schemas.ts'
import { createToolServer } from '../../../src/doors/mcp/server.ts'
import type { Json } from '../../support/client.ts'
import { faultsOfPublished } from './support/published.ts'

describe('the check of published schemas', () => {
  // What hosts were reported to refuse, at the top and deep within.
  test.each<[string, Json]>([
    ['a list of types', { type: ['string', 'null'] }],
    ['an enumeration without a type', { enum: ['a'] }],
    ['an enumeration of booleans', { type: 'boolean', enum: [true] }],
    ['an enumeration of numbers', { type: 'integer', enum: [1, 2] }],
    ['an empty text in an enumeration', { type: 'string', enum: [''] }],
    ['an enumeration on a list', { type: 'array', enum: ['a'], items: { type: 'string' } }],
    ['a constant', { type: 'boolean', const: true }],
    ['a list without items', { type: 'array' }],
    ['a list of items by place', { type: 'array', items: [{ type: 'string' }] }],
    ['a schema that is true', true],
    ['a schema without a type', { description: 'anything' }],
    ['a union', { anyOf: [{ type: 'string' }, { type: 'null' }] }],
    ['another union', { oneOf: [{ type: 'string' }] }],
    ['an intersection', { allOf: [{ type: 'object', properties: {} }] }],
    ['a reference', { $ref: '#/$defs/x' }],
    ['a null', { type: 'null' }],
    ['nullable', { type: 'string', nullable: true }],
    ['a closed object', { type: 'object', properties: {}, additionalProperties: false }],
    ['a required member that is missing', { type: 'object', properties: {}, required: ['a'] }],
    ['an empty list of required members', { type: 'object', properties: {}, required: [] }],
    ['a default', { type: 'string', default: 'x' }],
    ['a pattern', { type: 'string', pattern: '^a$' }],
    ['a dialect', { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' }],
  ])('sees %s', (_fault, bad) => {
    for (const at of [
      { a: bad },
      { a: { type: 'array', items: bad } },
      {
        a: { type: 'object', properties: { b: { type: 'array', items: { type: 'object', properties: { c: bad } } } } },
      },
    ])
      expect(faultsOfPublished({ type: 'object', properties: at })).not.toEqual([])
  })

  test('takes what every host takes', () => {
    const good = {
      type: 'object',
      description: 'x',
      properties: {
        a: { type: 'string', enum: ['b'] },
        c: { type: 'array', items: { type: 'object', properties: { d: { type: 'boolean' } } } },
        e: { type: 'integer' },
      },
      required: ['a'],
    }
    expect(faultsOfPublished(good)).toEqual([])
  })
})

test('a tool cannot be given a union that hosts refuse', () => {
  expect(() => publishSchema({ anyOf: [{ type: 'string' }, { type: 'integer' }] })).toThrow(/union/)
})

test('the list of tools is made once, for all servers', async () => {
  const listOf = async () => {
    const options = { api: async () => ({ status: 200, body: {} }), stateKey: 'x'.repeat(32), asksLegacyClients: false }
    const server = createToolServer(options) as unknown as { _requestHandlers: Map<string, (request: object) => Json> }
    return (await server._requestHandlers.get('tools/list')!({ method: 'tools/list' })).tools
  }
  expect(await listOf()).toBe(await listOf())
})
