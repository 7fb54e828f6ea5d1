import type { RouteOptions } from 'fastify'
import { withLowerCaseNames } from '../compiled-schemas.ts'
import { describeExpected, type JsonSchema } from '../validation.ts'
import type { DocumentedRefusal } from './errors.ts'

type Part = 'params' | 'querystring' | 'headers' | 'body'

/**
 * How a request is refused that does not fit the schema of its route: the codes follow from the annotations of the schema, and each
 * example is about a part that the request really has.
 */
export function refusalsOfSchema(route: RouteOptions): DocumentedRefusal[] {
  const { params, querystring, headers, body } = (route.schema ?? {}) as Record<Part, JsonSchema | undefined>
  const found: DocumentedRefusal[] = []
  const add = (refusal: DocumentedRefusal) => {
    const known = found.findIndex(({ code }) => code === refusal.code)
    if (known < 0) found.push(refusal)
    else if (isBetter(refusal, found[known]!)) found[known] = refusal
  }
  // Of a parameter of the path, only a code of its own matters: other text is for the router, or for the code to find out.
  if (params) visitTexts(params, add, ({ errorCode }) => errorCode !== undefined)
  if (querystring) visitTexts(querystring, add)
  if (headers) visitTexts(withLowerCaseNames(headers) as JsonSchema, add)
  if (body) visitBody(body, add)
  if (querystring?.additionalProperties === false)
    add(unknownParameter(lastNameOf(querystring) ?? 'expand', 'query parameter'))
  return found
}

/** What a body is refused for before it is compared with a schema. An operation without a body accepts an empty object. */
export function refusalsOfBody({ schema }: RouteOptions): DocumentedRefusal[] {
  const unread: DocumentedRefusal[] = [
    { code: 'invalid_json' },
    { code: 'payload_too_large' },
    { code: 'unsupported_media_type' },
  ]
  if (schema?.body) return unread
  return [...unread, { code: 'invalid_request', message: 'The body must be an object.' }, unknownParameter('reason')]
}

type Add = (refusal: DocumentedRefusal) => void

/** The keywords that refuse a value of the right type. */
const valueKeywords = ['enum', 'const', 'pattern', 'minLength', 'maxLength', 'minimum', 'maximum', 'minProperties']

/** A body is an object, or one of several. */
function visitBody(body: JsonSchema, add: Add): void {
  for (const [name, values] of body.anyOf ? namesOfBranches(body.anyOf) : [])
    add(wrongValue('invalid_request', name, { type: 'string', enum: values }))
  for (const branch of body.anyOf ?? [body]) visit(branch, '', branch.errorCode, add)
  const [first = body] = body.anyOf ?? []
  if (first.additionalProperties === false) add(unknownParameter(lastNameOf(first) ?? 'reason'))
}

/** The property that tells the branches of a union apart, with its values. */
function namesOfBranches(branches: readonly JsonSchema[]): [string, unknown[]][] {
  const names = Object.keys(branches[0]?.properties ?? {})
  const valuesOf = (name: string) => branches.map(({ properties }) => properties?.[name]?.const)
  return names
    .map((name): [string, unknown[]] => [name, valuesOf(name)])
    .filter(([, values]) => !values.includes(undefined))
}

function visit(schema: JsonSchema, path: string, outerCode: JsonSchema['errorCode'], add: Add): void {
  const code = schema.errorCode ?? outerCode
  if (path !== '') add(wrongValue('invalid_request', path, schema))
  const isRefusable = schema.type === 'integer' || valueKeywords.some((keyword) => keyword in schema) || schema.anyOf
  if (path !== '' && isRefusable) add(wrongValue(code ?? 'invalid_request', path, schema))
  for (const name of (schema.required ?? []) as string[]) {
    const param = path === '' ? name : `${path}.${name}`
    add({ code: 'missing_parameter', param, message: `${param} is required.` })
  }
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    visit(property, path === '' ? name : `${path}.${name}`, code, add)
  if (schema.items) visit(schema.items, `${path}[0]`, code, add)
}

/** The parts of an address and headers are texts: what is wrong with one is its value. */
function visitTexts({ properties = {} }: JsonSchema, add: Add, counts = (_property: JsonSchema) => true): void {
  for (const [name, property] of Object.entries(properties)) {
    const isRefusable = property.type === 'integer' || valueKeywords.some((keyword) => keyword in property)
    if (isRefusable && counts(property) && !isUnreachable(property))
      add(wrongValue(property.errorCode ?? 'invalid_request', name, property))
  }
}

/** Longer than the headers of a request may be together. */
const maxHeaderBytes = 16_384

function isUnreachable({ maxLength = 0, errorCode, pattern }: JsonSchema): boolean {
  return maxLength >= maxHeaderBytes && errorCode === undefined && pattern === undefined
}

function wrongValue(code: DocumentedRefusal['code'], path: string, schema: JsonSchema): DocumentedRefusal {
  const param = schema.errorParam ?? path
  const special = code === 'invalid_request' ? undefined : (schema.errorMessage ?? sentences[code]?.(param))
  return { code, param, message: special ?? `${param} must be ${describeExpected(schema)}.` }
}

/** The sentences of codes that the schema alone does not decide. */
const sentences: Partial<Record<DocumentedRefusal['code'], (param: string) => string>> = {
  invalid_domain: (param) =>
    param === 'domain'
      ? 'This is not a domain or a URL with one, such as shop.example.'
      : `${param} is not a domain or a URL with one.`,
  invalid_filter_value: (param) =>
    param.includes('apps')
      ? '"klavyo" is not a known app; nearest: klaviyo, klarna, klevu.'
      : '"zzz" is not a known value; GET /taxonomy lists them.',
}

/** Apps show best how a wrong value is refused, and a value within a list shows its place. */
function isBetter({ code, param = '' }: DocumentedRefusal, { param: known = '' }: DocumentedRefusal): boolean {
  const rank = (path: string) => (path.endsWith('apps.any[0]') ? 2 : path.endsWith('[0]') ? 1 : 0)
  return code === 'invalid_filter_value' && rank(param) > rank(known)
}

function lastNameOf({ properties = {} }: JsonSchema): string | undefined {
  const last = Object.keys(properties).at(-1)
  return last === undefined ? undefined : misspelt(last)
}

/** `limit` becomes `limt`. */
function misspelt(name: string): string {
  return name.slice(0, -2) + name.slice(-1)
}

function unknownParameter(param: string, what = 'parameter'): DocumentedRefusal {
  return { code: 'unknown_parameter', param, message: `${param} is not a ${what} of this request.` }
}
