/**
 * Compiles each schema once in a process. Most replies of a route are errors that all routes share, so an app is ready
 * several times sooner than if every route compiled its own; a second app in the process compiles nothing.
 */
import { Ajv, type ValidateFunction } from 'ajv'
import buildSerializer, { type Schema } from 'fast-json-stringify'
import type { ErrorAnnotations } from '../kernel/shapes.ts'
import type { validationOptions } from './validation.ts'

/** The schemas that others refer to, by their id. */
type SharedSchemas = Record<string, Schema>
type Compiler<T> = (route: { schema: object; httpPart?: string }) => T
type Serializer = (value: unknown) => string

const serializerCompilers = new Map<string, Compiler<Serializer>>()
const validatorCompilers = new Map<string, Compiler<ValidateFunction>>()

/** Fastify's `schemaController.compilersFactory`. */
export const compilersFactory = {
  buildSerializer: (shared: SharedSchemas, options: object = {}) =>
    once(serializerCompilers, textOf([shared, options]), () => compileSerializersWith(shared, options)),
  buildValidator: (shared: SharedSchemas, options: typeof validationOptions) =>
    once(validatorCompilers, textOf([shared, options]), () => compileValidatorsWith(shared, options)),
}

function compileSerializersWith(shared: SharedSchemas, options: object): Compiler<Serializer> {
  const compiled = new Map<string, Serializer>()
  return ({ schema }) =>
    once(compiled, textOf(schema), () => buildSerializer(schema as Schema, { ...options, schema: shared }))
}

function compileValidatorsWith(
  shared: SharedSchemas,
  { customOptions, onCreate }: typeof validationOptions,
): Compiler<ValidateFunction> {
  const ajv = new Ajv({ ...customOptions, addUsedSchema: false })
  onCreate?.(ajv)
  for (const schema of Object.values(shared)) ajv.addSchema(schema)
  const compiled = new Map<string, ValidateFunction>()
  const compiledQueries = new Map<string, ValidateFunction>()
  return ({ schema, httpPart }) => {
    const spelled = httpPart === 'headers' ? withLowerCaseNames(schema) : schema
    if (httpPart === 'querystring')
      return once(compiledQueries, textOf(schema), () => withNumbers(schema, ajv.compile(withErrorCodes(schema))))
    return once(compiled, textOf(spelled), () => ajv.compile(withErrorCodes(spelled)))
  }
}

/** Writes the code of a schema to those below it: of what does not fit, Ajv reports only the innermost. */
function withErrorCodes({ errorCode, ...schema }: ErrorAnnotations): object {
  const codes = errorCode === undefined ? {} : { errorCode }
  return mapSubschemas({ ...codes, ...schema }, (below) => withErrorCodes({ ...codes, ...below }))
}

type JsonSchema = Record<string, unknown>

/** Keywords with one schema, with a list of schemas, and with schemas by name. */
const single = ['items', 'additionalProperties', 'not']
const several = ['anyOf', 'oneOf', 'allOf']
const byName = ['properties', 'patternProperties']

/** A copy of a schema with its direct subschemas changed. */
export function mapSubschemas(schema: object, change: (subschema: JsonSchema) => unknown): JsonSchema {
  // `additionalProperties` can also be false.
  const changed = (value: unknown) =>
    typeof value === 'object' && value !== null ? change(value as JsonSchema) : value
  const copy: JsonSchema = { ...schema }
  for (const keyword of single) if (keyword in copy) copy[keyword] = changed(copy[keyword])
  for (const keyword of several)
    if (Array.isArray(copy[keyword])) copy[keyword] = (copy[keyword] as unknown[]).map(changed)
  for (const keyword of byName)
    if (copy[keyword])
      copy[keyword] = Object.fromEntries(Object.entries(copy[keyword]).map(([name, value]) => [name, changed(value)]))
  return copy
}

const wholeNumber = /^(0|-?[1-9]\d{0,14})$/

/**
 * A query string holds only text: where the schema asks for a whole number, digits are read as one before the check. Other text
 * stays and is refused.
 */
function withNumbers(schema: ObjectSchema, check: ValidateFunction): ValidateFunction {
  const names = Object.entries(schema.properties ?? {})
    .filter(([, property]) => (property as { type?: unknown }).type === 'integer')
    .map(([name]) => name)
  if (names.length === 0) return check
  const validate = (query: Record<string, unknown>) => {
    for (const name of names) {
      const text = query[name]
      if (typeof text === 'string' && wholeNumber.test(text)) query[name] = Number(text)
    }
    const isValid = check(query)
    validate.errors = check.errors
    return isValid
  }
  validate.errors = check.errors
  return validate as unknown as ValidateFunction
}

interface ObjectSchema {
  properties?: Record<string, unknown>
  required?: readonly string[]
}

/** Node spells the names of headers in lower case; documents spell them as usual. */
export function withLowerCaseNames({ properties = {}, required = [], ...schema }: ObjectSchema): object {
  const entries = Object.entries(properties).map(([name, property]) => [name.toLowerCase(), property])
  return {
    ...schema,
    properties: Object.fromEntries(entries),
    required: required.map((name) => name.toLowerCase()),
  }
}

/** Equal schemas have equal texts; what is left out, such as functions, no compiler reads. */
const textOf = (value: unknown) => JSON.stringify(value)

function once<T>(known: Map<string, T>, key: string, create: () => T): T {
  const found = known.get(key)
  if (found !== undefined) return found
  const created = create()
  known.set(key, created)
  return created
}
