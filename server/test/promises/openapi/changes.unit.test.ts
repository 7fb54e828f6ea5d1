import { describe, expect, test } from 'vitest'
import { breakingChanges, reviewChanges } from '../../../../bin/api-changes.mjs'

/** A document with one operation, which takes and answers these. */
function documentOf(schemas: { Sent?: object; Got?: object }, { required = [] as string[] } = {}) {
  const { Sent = {}, Got = {} } = schemas
  const content = (name: string) => ({
    content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } },
  })
  const object = (properties: object) => ({ type: 'object', properties, required })
  return {
    paths: {
      '/things': { post: { operationId: 'do', requestBody: content('Sent'), responses: { 200: content('Got') } } },
    },
    components: { schemas: { Sent: object(Sent), Got: object(Got) } },
  }
}

const text = { type: 'string' }
const nullable = { anyOf: [text, { type: 'null' }] }
const oneOf = (...values: string[]) => ({ type: 'string', enum: values })
const constants = { anyOf: [{ const: 'a' }, { const: 'b' }] }

describe('a change of the document', () => {
  test('breaks no client that is not among the accepted ones, each of which occurs', () => {
    const { unaccepted, outdated } = reviewChanges()
    expect({ unaccepted, outdated }).toEqual({ unaccepted: [], outdated: [] })
  })

  test.each([
    ['a property more in a reply', { Got: {} }, { Got: { more: text } }],
    ['an optional property more in a request', { Sent: {} }, { Sent: { more: text } }],
    ['another style of enum', { Got: { a: constants } }, { Got: { a: oneOf('a', 'b') } }],
    [
      'an enum that may grow',
      { Got: { a: oneOf('a') } },
      { Got: { a: { type: 'string', 'x-extensible-enum': ['a'] } } },
    ],
    [
      'a wider bound of a request',
      { Sent: { a: { ...text, maxLength: 1 } } },
      { Sent: { a: { ...text, maxLength: 2 } } },
    ],
    ['null accepted', { Sent: { a: text } }, { Sent: { a: nullable } }],
    ['null no longer sent', { Got: { a: nullable } }, { Got: { a: text } }],
  ])('may be %s', (_name, before, after) => {
    expect(breakingChanges(documentOf(before), documentOf(after))).toEqual([])
  })

  test.each([
    ['Got.a: gone', { Got: { a: text } }, { Got: {} }],
    ['Got.a: integer instead of string', { Got: { a: text } }, { Got: { a: { type: 'integer' } } }],
    ['Got.a: null instead of string', { Got: { a: text } }, { Got: { a: nullable } }],
    ['Got.a: can be c', { Got: { a: constants } }, { Got: { a: oneOf('a', 'b', 'c') } }],
    ['Got.a: any value', { Got: { a: oneOf('a') } }, { Got: { a: text } }],
    ['Sent.a: gone', { Sent: { a: text } }, { Sent: {} }],
    ['Sent.a: not b', { Sent: { a: oneOf('a', 'b') } }, { Sent: { a: oneOf('a') } }],
    ['Sent.a: null instead of string', { Sent: { a: nullable } }, { Sent: { a: text } }],
    ['Sent.a: maxLength undefined against 2', { Sent: { a: text } }, { Sent: { a: { ...text, maxLength: 2 } } }],
  ])('breaks clients by %s', (change, before, after) => {
    expect(
      breakingChanges(documentOf(before), documentOf(after)).map((each) =>
        each.replace('string instead of null', 'null instead of string'),
      ),
    ).toEqual([change])
  })

  test('breaks clients by a property that is required, by what can be missing, and by an operation that is gone', () => {
    const [free, bound] = [documentOf({ Sent: { a: text } }), documentOf({ Sent: { a: text } }, { required: ['a'] })]
    expect(breakingChanges(free, bound)).toEqual(['Sent.a: required'])
    const [always, seldom] = [documentOf({ Got: { a: text } }, { required: ['a'] }), documentOf({ Got: { a: text } })]
    expect(breakingChanges(always, seldom)).toEqual(['Got.a: can be missing'])
    expect(breakingChanges(free, { ...free, paths: {} })).toEqual(['POST /things: gone'])
  })
})
