import { describe, expect, test } from 'vitest'
import { compilersFactory } from '../../../src/foundation/http/compiled-schemas.ts'
import { validationOptions } from '../../../src/foundation/http/validation.ts'

const serializerOf = (schema: object, shared = {}) => compilersFactory.buildSerializer(shared)({ schema })
const validatorOf = (schema: object, httpPart = 'body', options = validationOptions) =>
  compilersFactory.buildValidator({}, options)({ schema, httpPart })

const integer = () => ({ type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] })
const text = () => ({ type: 'object', properties: { n: { type: 'string' } }, required: ['n'] })

describe('compiled schemas', () => {
  test('are shared by equal schemas, in every app of the process', () => {
    expect(serializerOf(integer())).toBe(serializerOf(integer()))
    expect(validatorOf(integer())).toBe(validatorOf(integer()))
  })

  test('are not shared by schemas that differ', () => {
    expect(serializerOf(integer())({ n: 1 })).toBe('{"n":1}')
    expect(serializerOf(text())({ n: 1 })).toBe('{"n":"1"}')
    expect(validatorOf(integer())({ n: 1 })).toBe(true)
    expect(validatorOf(text())({ n: 1 })).toBe(false)
  })

  test('are not shared by apps with other referenced schemas or other options', () => {
    const reference = { type: 'object', properties: { item: { $ref: 'Item#' } } }
    const item = { item: { n: 1 } }
    expect(serializerOf(reference, { Item: { ...integer(), $id: 'Item' } })(item)).toBe('{"item":{"n":1}}')
    expect(serializerOf(reference, { Item: { ...text(), $id: 'Item' } })(item)).toBe('{"item":{"n":"1"}}')
    const coercing = { ...validationOptions, customOptions: { ...validationOptions.customOptions, coerceTypes: true } }
    expect(validatorOf(integer())({ n: '1' })).toBe(false)
    expect(validatorOf(integer(), 'body', coercing as typeof validationOptions)({ n: '1' })).toBe(true)
  })

  test('check headers whose names the document spells in capitals', () => {
    const schema = { type: 'object', properties: { 'X-Of': { type: 'string', maxLength: 2 } }, required: ['X-Of'] }
    const validate = validatorOf(schema, 'headers')
    expect(validate({ 'x-of': 'ab' })).toBe(true)
    expect(validate({ 'x-of': 'abc' })).toBe(false)
    expect(validate({})).toBe(false)
  })
})
