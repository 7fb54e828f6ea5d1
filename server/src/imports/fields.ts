import { Ajv, type ErrorObject } from 'ajv'
import { type TSchema, Type } from 'typebox'
import { normalizeDomain } from '../kernel/domain.ts'
import { Nullable } from '../kernel/shapes.ts'

/** A record that is rejected. The message becomes the reason in the rejects file; the import continues. */
export class RecordError extends Error {
  /** Whether the rejects file must omit the record itself. */
  readonly isWithheld: boolean

  constructor(reason: string, { isWithheld = false } = {}) {
    super(reason)
    this.name = 'RecordError'
    this.isWithheld = isWithheld
  }
}

/** Quotes a value for a reject's reason: at most 80 characters, on one line. */
export function quoteForReason(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)
}

export const HostText = Type.String({ maxLength: 2_048 })
export const NonEmptyText = (maxLength: number) => Type.String({ minLength: 1, maxLength })
export const TaxonomyText = Type.String({ maxLength: 200 })
/** A field that may be missing (keep the stored value) or null (clear it). */
export const OptionalNullable = <T extends TSchema>(schema: T) => Type.Optional(Nullable(schema))

/** The change that a record makes to a field: undefined keeps the stored value, null clears it. */
export type PatchField<T> = T | null | undefined

/** Converts a given value; passes undefined and null on. */
export function mapGiven<T, R>(given: T, read: (value: NonNullable<T>) => R): PatchField<R> {
  if (given === undefined || given === null) return given as null | undefined
  return read(given)
}

/** Returns the value of a field after a record was applied. */
export function patchField<T>(patch: PatchField<T>, current: T, cleared: T): T {
  if (patch === undefined) return current
  return patch === null ? cleared : patch
}

export function readHost(path: string, text: string): string {
  const host = normalizeDomain(text)
  if (host === null) throw new RecordError(`${path}: ${quoteForReason(text)} is not a domain`)
  return host
}

/** PostgreSQL cannot store NUL, and a lone surrogate is not a valid character. */
export function readText(path: string, text: string): string {
  if (text.trim() === '') throw new RecordError(`${path}: must not be blank`)
  if (!text.isWellFormed() || text.includes('\0')) throw new RecordError(`${path}: contains invalid characters`)
  return text
}

const ajv = new Ajv({ strict: false, strictNumbers: true })

/** Compiles a schema into a check that returns null, or a reason with the path of the invalid part. */
export function compileShapeCheck(schema: TSchema): (value: unknown) => string | null {
  const isValid = ajv.compile(schema)
  return (value) => (isValid(value) ? null : describeErrors(isValid.errors!))
}

/**
 * For a nullable field, Ajv also reports the null branch, after the relevant error. So the first error is the relevant
 * one, and an error of type null at the same path means that null is allowed.
 */
function describeErrors(errors: ErrorObject[]): string {
  const first = errors[0]!
  const path = pathOf(first)
  const orNull = errors.some(
    (error) => error.instancePath === first.instancePath && error.keyword === 'type' && error.params.type === 'null',
  )
  const description = descriptions[first.keyword]?.(first.params) ?? first.message!
  const alternative = orNull && description.startsWith('must be') ? ' or null' : ''
  return `${path === '' ? '' : `${path}: `}${description}${alternative}`
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
