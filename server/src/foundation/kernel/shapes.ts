import { type TProperties, type TSchema, type TSchemaOptions, type TStringOptions, Type } from 'typebox'
import type { ConsoleErrorCode, ErrorCode } from './errors.ts'

/** How a request is refused whose value does not fit a schema; not in the published documents. */
export interface ErrorAnnotations {
  /** Also of what is below the schema and names none. `invalid_request` without it. */
  errorCode?: ErrorCode | ConsoleErrorCode
  /** Replaces the sentence that is made from the schema. */
  errorMessage?: string
  /** Replaces the path of the value. */
  errorParam?: string
}

declare module 'typebox' {
  interface TSchemaOptions extends ErrorAnnotations {}
}

/** An ISO 8601 timestamp with time and offset. */
export const Timestamp = (description: string) =>
  Type.String({ format: 'date-time', maxLength: 64, description, examples: ['2026-11-01T00:00:00.000Z'] })

export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

/** One of a few texts. */
export const OneOf = <const T extends string>(values: readonly T[], options: TSchemaOptions = {}) =>
  Type.Enum([...values], { type: 'string', ...options })

/**
 * An object without additional properties: a request with others is rejected, and a reply cannot contain others. `title` is
 * its name in the API document.
 */
export const ClosedObject = <T extends TProperties>(properties: T, options: TSchemaOptions = {}) =>
  Type.Object(properties, { ...options, additionalProperties: false })

export const Count = (description: string) => Type.Integer({ minimum: 0, description })

/**
 * Patterns of text. They mean the same in JavaScript with and without the flag u, in Python and in RE2, because generated clients
 * use any of these: no classes such as \s and \p, no escapes of more than two digits. `textFault` in `text/trim.ts` has what they cannot say.
 */
const blanks = '\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff'
const printable = '[^\\x00-\\x1f\\x7f-\\x9f]*'
/** One line without control characters that is not blank. */
export const linePattern = `^${printable}[^\\x00-\\x20\\x7f-\\xa0${blanks}]${printable}$`
/** Lines without control characters. */
export const textPattern = '^[^\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f]*$'

/** A value of the taxonomy: a slug, or a country code. */
export const TaxonomyValue = (options: TStringOptions = {}) =>
  Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9_.-]*$', maxLength: 64, ...options })

export const RequestId = Type.String({
  pattern: '^req_[A-Za-z0-9]{20,}$',
  maxLength: 64,
  description: 'Names this reply; equal to the X-Request-Id header.',
  examples: ['req_8fK2mXo3QpLr7TzV1aBcD4Ef'],
})

/** A reply without data, such as that of a sign-out. */
export const DoneReply = ClosedObject({ object: Type.Literal('done'), request_id: RequestId })

export function done(requestId: string) {
  return { object: 'done', request_id: requestId } as const
}

/** The name of a list of named items in the API document. */
export const listTitle = (item: TSchema): { title?: string } => {
  const { title } = item as { title?: string }
  return title === undefined ? {} : { title: `${title}List` }
}
