import { Ajv, type ErrorObject } from 'ajv'
import type { TSchema } from 'typebox'
import { type Fault, fault } from './faults.ts'
import type { Shape } from './fields.ts'

const options = { strict: false, strictNumbers: true }
const firstError = new Ajv(options)
const allErrors = new Ajv({ ...options, allErrors: true, verbose: true })

/** Compiles a schema into a check that returns one fault for each invalid part; none for a valid value. */
export function compileShapeCheck(schema: TSchema): (value: unknown) => Fault[] {
  const isValid = firstError.compile(schema)
  // Compiled with the first invalid value: a valid file does not need it.
  let listErrors: ReturnType<typeof allErrors.compile> | undefined
  return (value) => {
    if (isValid(value)) return []
    listErrors ??= allErrors.compile(schema)
    listErrors(value)
    return describeErrors(listErrors.errors!)
  }
}

/**
 * For a nullable field, Ajv also reports the null branch and the union, after the relevant error. So the first error of
 * a path is the relevant one, and an error of type null at the same path means that null is allowed.
 */
function describeErrors(errors: ErrorObject[]): Fault[] {
  const found = new Map<string, Fault>()
  const allowsNull = new Set(errors.filter(isOfNull).map(({ instancePath }) => instancePath))
  for (const error of errors) {
    const path = pathOf(error)
    if (isOfNull(error) || error.keyword === 'anyOf' || found.has(path)) continue
    const description = descriptions[error.keyword]?.(error.params) ?? error.message!
    const alternative = allowsNull.has(error.instancePath) && description.startsWith('must be') ? ' or null' : ''
    const isOfItem = (error.parentSchema as Shape | undefined)?.restricts ?? false
    found.set(path, fault(path, `${description}${alternative}`, { value: shownValue(error), isOfItem }))
  }
  return [...found.values()]
}

function isOfNull({ keyword, params }: ErrorObject): boolean {
  return keyword === 'type' && params.type === 'null'
}

function shownValue({ keyword, data }: ErrorObject): string | null {
  if (keyword === 'required' || keyword === 'additionalProperties' || data === null || typeof data === 'object')
    return null
  return String(data).slice(0, 200)
}

const typeNames: Record<string, string> = {
  object: 'an object',
  array: 'a list',
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
}

const descriptions: Record<string, (params: ErrorObject['params']) => string> = {
  type: ({ type }) => `must be ${typeNames[type as string]}`,
  enum: ({ allowedValues }) => `must be one of ${(allowedValues as string[]).join(', ')}`,
  additionalProperties: () => 'unknown field',
  required: () => 'missing',
  minLength: () => 'must not be empty',
  maxLength: ({ limit }) => `longer than ${limit} characters`,
  maxItems: ({ limit }) => `more than ${limit} items`,
  minimum: ({ limit }) => `must be at least ${limit}`,
  maximum: ({ limit }) => `must be at most ${limit}`,
}

/** Turns `/technologies/apps/1` into `technologies.apps[1]`; appends the name of a missing or unknown field. */
function pathOf({ instancePath, params }: ErrorObject): string {
  const steps = instancePath.split('/').slice(1).map(unescapeStep)
  const named: unknown = params.additionalProperty ?? params.missingProperty
  if (typeof named === 'string') steps.push(named)
  const path = steps.reduce((path, step) => (/^\d+$/.test(step) ? `${path}[${step}]` : `${path}.${step}`), '')
  return path.replace(/^\./, '').slice(0, 200)
}

function unescapeStep(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~')
}
