import { Ajv, type ErrorObject } from 'ajv'
import type { TSchema } from 'typebox'

const ajv = new Ajv({ strict: false, strictNumbers: true })

/** Compiles a schema into a check that answers null, or which part of a value is wrong and how. */
export function compileShapeCheck(schema: TSchema): (value: unknown) => string | null {
  const isValid = ajv.compile(schema)
  return (value) => (isValid(value) ? null : reasonOf(isValid.errors!))
}

/**
 * Where null is allowed, the check of null fails too and is told of after what matters: the first error is the one that
 * was looked for, and one about null at the same place says that null would do.
 */
function reasonOf(errors: ErrorObject[]): string {
  const first = errors[0]!
  const path = pathOf(first)
  const orNull = errors.some(
    (error) => error.instancePath === first.instancePath && error.keyword === 'type' && error.params.type === 'null',
  )
  const complaint = complaints[first.keyword]?.(first.params) ?? first.message!
  const alternative = orNull && complaint.startsWith('must be') ? ' or null' : ''
  return `${path === '' ? '' : `${path}: `}${complaint}${alternative}`
}

const typeNames: Record<string, string> = {
  object: 'an object',
  array: 'a list',
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
}

const complaints: Record<string, (params: ErrorObject['params']) => string> = {
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

/** `/technologies/apps/1` is `technologies.apps[1]`; what is missing or unknown is named too. */
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
