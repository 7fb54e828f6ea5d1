import { Ajv, type ErrorObject } from 'ajv'
import { type TSchema, Type } from 'typebox'
import { normalizeDomain } from '../kernel/domain.ts'
import { Nullable } from '../kernel/shapes.ts'

/** Why one record cannot be taken. It ends in the rejects file; the import goes on. */
export class RecordError extends Error {
  /** Whether the rejects file must not repeat the record. */
  readonly isWithheld: boolean

  constructor(reason: string, { isWithheld = false } = {}) {
    super(reason)
    this.name = 'RecordProblem'
    this.isWithheld = isWithheld
  }
}

/** A value in quotes, for a reason: short, and on one line. */
export function quoteForReason(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)
}

/** What the fields of a record have in common, whatever it tells of. */

export const HostText = Type.String({ maxLength: 2_048 })
export const NonEmptyText = (maxLength: number) => Type.String({ minLength: 1, maxLength })
export const TaxonomyText = Type.String({ maxLength: 200 })
/** A field that may be missing, and may be null. */
export const OptionalNullable = <T extends TSchema>(schema: T) => Type.Optional(Nullable(schema))

/** What a record says of a field: undefined keeps what is there, null clears it. */
export type PatchField<T> = T | null | undefined

/** Reads a field that was given a value. */
export function mapGiven<T, R>(given: T, read: (value: NonNullable<T>) => R): PatchField<R> {
  if (given === undefined || given === null) return given as null | undefined
  return read(given)
}

/** A field after a record. */
export function patchField<T>(patch: PatchField<T>, current: T, cleared: T): T {
  if (patch === undefined) return current
  return patch === null ? cleared : patch
}

export function readHost(path: string, text: string): string {
  const host = normalizeDomain(text)
  if (host === null) throw new RecordError(`${path}: ${quoteForReason(text)} is not a domain`)
  return host
}

/** PostgreSQL keeps no NUL, and a lone surrogate is no character. */
export function readText(path: string, text: string): string {
  if (text.trim() === '') throw new RecordError(`${path}: must not be blank`)
  if (!text.isWellFormed() || text.includes('\0'))
    throw new RecordError(`${path}: holds characters that are not valid text`)
  return text
}

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
