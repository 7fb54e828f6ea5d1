import type { FastifyInstance, FastifyRequest, FastifySchemaValidationError, FastifyServerOptions } from 'fastify'
import { Refusal } from '../kernel/errors.ts'
import { type ErrorAnnotations, linePattern, textPattern } from '../kernel/shapes.ts'
import { formatNumber } from '../kernel/time.ts'

/**
 * Converts the first validation error to an `Refusal`. Validation only fills in defaults: a number in quotes stays a
 * string, and a misspelt property is rejected, not removed.
 */
export const validationOptions: NonNullable<FastifyServerOptions['ajv']> = {
  customOptions: {
    removeAdditional: false,
    coerceTypes: false,
    useDefaults: true,
    allErrors: false,
    strict: true,
    // The message is built from the schema and the kind of value.
    verbose: true,
  },
  onCreate: (ajv) => {
    ajv.addVocabulary(['errorCode', 'errorMessage', 'errorParam', 'memberDescription', 'published', 'discriminator'])
    // The code that uses dates and URLs checks them and gives a better message.
    for (const format of ['date-time', 'uri']) ajv.addFormat(format, true)
  },
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set on an operation that ignores query parameters, as the contract gives it no 400. */
    ignoresUnknownQuery?: boolean
  }
}

/** The kinds of faults. */
type Fault = 'unknown' | 'missing' | 'type' | 'count' | 'value'

const faultsByKeyword: Record<string, Fault> = {
  additionalProperties: 'unknown',
  required: 'missing',
  type: 'type',
  minItems: 'count',
  maxItems: 'count',
  uniqueItems: 'count',
}

interface AjvError extends FastifySchemaValidationError {
  data?: unknown
  parentSchema?: JsonSchema
}

/** Fastify's `schemaErrorFormatter`. `part` is the part of the request that was checked. */
export function toValidationError(errors: FastifySchemaValidationError[], part?: string): Refusal {
  // The errors of a union's branches come first and that of the union last; only the last one lists all alternatives.
  const error = errors.at(-1) as AjvError
  const isQuery = part === 'querystring'
  // All of a query is text: what is no number there is a wrong value.
  const found = faultOf(error, errors)
  const fault = isQuery && found === 'type' ? 'value' : found
  const path = pathOf(error, fault)
  if (fault === 'unknown') {
    // A property of the body that stands in the address would be missed there, and the call charged without it.
    const message = `${path} is not a ${isQuery ? 'query parameter' : 'parameter'} of this request.`
    return new Refusal('unknown_parameter', message, { param: path })
  }
  if (fault === 'missing') return new Refusal('missing_parameter', `${path} is required.`, { param: path })
  const schema = error.parentSchema ?? {}
  // A code tells of a wrong value; a value of another type is a mistake of the program.
  const { errorCode, errorMessage, errorParam } = fault === 'value' ? schema : {}
  const subject = path === '' ? 'The body' : path
  const param = errorParam ?? path
  return new Refusal(
    errorCode ?? 'invalid_request',
    errorMessage ?? `${subject} must be ${describeExpected(schema)}.`,
    param === '' ? {} : { param },
  )
}

const emptyObjectSchema = { type: 'object', properties: {}, additionalProperties: false }

/**
 * Hook for an operation without a body: it accepts no body or an empty object, because anything else was meant for
 * another operation.
 */
export async function rejectBody(request: FastifyRequest): Promise<void> {
  if (request.body !== undefined) validateBody(request, emptyObjectSchema)
}

function validateBody(request: FastifyRequest, schema: object): void {
  const validate = request.compileValidationSchema(schema as Record<string, unknown>, 'body')
  if (!validate(request.body)) throw toValidationError(validate.errors as FastifySchemaValidationError[], 'body')
}

/**
 * Refuses unknown query parameters of every operation of the API; `ignoresUnknownQuery` in its declaration exempts one.
 * A route that takes query parameters lists them in a closed schema of its own.
 */
export function refuseUnknownQueries(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    const { config, schema } = route
    if (config?.door !== 'api' || !config.access?.key || config.ignoresUnknownQuery || !schema || schema.querystring)
      return
    route.schema = { ...schema, querystring: emptyObjectSchema }
  })
}

/**
 * Hook for a body that is one of several objects, named by one of their properties: it checks the object that is named and
 * fills in its defaults. The check of a union could only say that none of them fits.
 */
export function validateVariant(name: string, variants: Record<string, object>) {
  const names = Object.keys(variants)
  const head = { type: 'object', required: [name], properties: { [name]: { type: 'string', enum: names } } }
  return async (request: FastifyRequest): Promise<void> => {
    validateBody(request, head)
    validateBody(request, variants[(request.body as Record<string, string>)[name]!]!)
  }
}

function faultOf(error: AjvError, errors: AjvError[]): Fault {
  // A union fails as a whole: it is a wrong type only when every branch rejected the type.
  if (error.keyword === 'anyOf') {
    const branches = errors.slice(0, -1)
    const allOfTypes = branches.every((branch) => faultOf(branch, []) === 'type')
    return allOfTypes ? 'type' : 'value'
  }
  const { data, parentSchema } = error
  if (error.keyword === 'type' && parentSchema?.type === 'integer' && typeof data === 'number') return 'value'
  // A literal of another type is a wrong type: only `true` is a wrong value where `false` is expected.
  if (error.keyword === 'const' && typeof data !== typeof error.params.allowedValue) return 'type'
  return faultsByKeyword[error.keyword] ?? 'value'
}

/** The path in JavaScript notation: `filters.apps.any[1]`. */
function pathOf(error: AjvError, fault: Fault): string {
  let path = ''
  for (const part of error.instancePath.split('/').slice(1))
    path = /^\d+$/.test(part) ? `${path}[${part}]` : appendName(path, part)
  if (fault === 'unknown') return appendName(path, String(error.params.additionalProperty))
  if (fault === 'missing') return appendName(path, String(error.params.missingProperty))
  return path
}

const maxNameLength = 60

/** Appends a name. A caller's name is cleaned, shortened, and quoted unless it is an identifier. */
function appendName(path: string, name: string): string {
  const clean = [...name.slice(0, 200).replace(/[\p{C}\p{Z}]+/gu, ' ')]
  const short = clean.length > maxNameLength ? `${clean.slice(0, maxNameLength - 1).join('')}…` : clean.join('')
  if (!/^[A-Za-z_$][\w$-]*$/.test(short)) return `${path}[${JSON.stringify(short)}]`
  return path === '' ? short : `${path}.${short}`
}

/** The part of JSON Schema that request schemas use. */
export interface JsonSchema extends ErrorAnnotations {
  type?: string
  const?: unknown
  enum?: readonly unknown[]
  anyOf?: readonly JsonSchema[]
  items?: JsonSchema
  properties?: Record<string, JsonSchema>
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  minProperties?: number
  pattern?: string
  [annotation: string]: unknown
}

/** Describes a schema as the end of the sentence "… must be". */
export function describeExpected(schema: JsonSchema): string {
  if (schema.anyOf) return describeUnion(schema.anyOf)
  if (schema.const !== undefined) return literal(schema.const)
  if (schema.enum) return `one of ${schema.enum.map(literal).join(', ')}`
  switch (schema.type) {
    case 'object':
      return describeObject(schema)
    case 'array':
      return `a list${range(schema.minItems, schema.maxItems, ' of ', ' items')}`
    case 'string':
      return `a string${range(schema.minLength, schema.maxLength, ' of ', ' characters')}${describePattern(schema.pattern)}`
    case 'integer':
      return `a whole number${range(schema.minimum, schema.maximum, ' ', '', 'from ')}`
    case 'number':
      return `a number${range(schema.minimum, schema.maximum, ' ', '', 'from ')}`
    case 'boolean':
      return 'true or false'
    default:
      return schema.type ?? 'different'
  }
}

const patternsInWords = new Map([
  [linePattern, ', in one line that is not blank'],
  [textPattern, ', without control characters'],
])

function describePattern(pattern: string | undefined): string {
  return pattern === undefined ? '' : (patternsInWords.get(pattern) ?? ` that matches ${pattern}`)
}

function describeUnion(branches: readonly JsonSchema[]): string {
  const literals = branches.filter((branch) => branch.const !== undefined)
  if (literals.length === branches.length && literals.length > 1)
    return `one of ${literals.map((branch) => literal(branch.const)).join(', ')}`
  return branches.map(describeExpected).join(' or ')
}

function describeObject({ minProperties, properties }: JsonSchema): string {
  if (!minProperties) return 'an object'
  return `an object with at least ${minProperties} of ${Object.keys(properties ?? {}).join(', ')}`
}

function literal(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** ` of 1 to 25 items`, ` of at most 50 items`, ` from 1 to 100`; nothing without bounds. */
function range(
  min: number | undefined,
  max: number | undefined,
  before: string,
  after: string,
  bothBefore = '',
): string {
  if (min === undefined && max === undefined) return ''
  if (min === undefined) return `${before}at most ${formatNumber(max!)}${after}`
  if (max === undefined) return `${before}at least ${formatNumber(min)}${after}`
  return `${before}${bothBefore}${formatNumber(min)} to ${formatNumber(max)}${after}`
}
