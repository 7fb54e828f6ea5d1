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
  /** The description of a property whose object has a name and a description of its own in the API document. */
  memberDescription?: string
  /** Keywords that differ in the published documents, such as an `enum` whose values the service takes in any letter case. */
  published?: { enum?: readonly string[]; maxLength?: number; default?: number }
}

declare module 'typebox' {
  interface TSchemaOptions extends ErrorAnnotations {}
}

/** An ISO 8601 timestamp with time and offset. */
export const Timestamp = (description: string) =>
  Type.String({ format: 'date-time', maxLength: 64, description, examples: ['2026-11-01T00:00:00.000Z'] })

/** A value or null. The description of the value is that of the whole, where readers and generators look for it. */
export const Nullable = <T extends TSchema>(schema: T, wholeDescription?: string) => {
  const { description, examples, ...value } = schema as unknown as TSchemaOptions
  // A named object keeps the description of its name.
  if ('title' in schema)
    return Type.Union([schema, Type.Null()], wholeDescription === undefined ? {} : { description: wholeDescription })
  return Type.Union([value as unknown as T, Type.Null()], {
    ...(description !== undefined && { description }),
    ...(examples !== undefined && { examples }),
  })
}

/** One of a few texts, never another. */
export const OneOf = <const T extends string>(values: readonly T[], options: TSchemaOptions = {}) =>
  Type.Enum([...values], { type: 'string', ...options })

const slugPattern = '^[A-Za-z0-9][A-Za-z0-9_.-]*$'

/**
 * One of the texts known today, in a reply; more may come. It is published without `enum`, which would make generated clients
 * refuse a new one. Each text has its meaning, or null if the text says it.
 */
export const GrowingEnum = <const T extends string>(
  description: string,
  meanings: Readonly<Record<T, string | null>>,
  pattern = slugPattern,
) => {
  const values = Object.entries(meanings) as [T, string | null][]
  const known = values.map(([value, meaning]) => (meaning === null ? value : `${value} (${meaning})`))
  return Type.Unsafe<T>({
    type: 'string',
    pattern,
    maxLength: 64,
    'x-extensible-enum': values.map(([value]) => value),
    description: `${description} More values may come. Known today: ${known.join(', ')}.`,
  })
}

/** One of several named objects, told apart by the constants of one property. */
export const Variants = <const T extends TSchema[]>(propertyName: string, schemas: [...T]) => {
  const mapping = schemas.flatMap((schema) => {
    const { title, properties } = schema as { title?: string; properties?: Record<string, Constants> }
    const { const: value, enum: values = [value] } = properties?.[propertyName] ?? {}
    return values.map((each) => [each, `#/components/schemas/${title}`])
  })
  return Type.Union(schemas, { discriminator: { propertyName, mapping: Object.fromEntries(mapping) } })
}

interface Constants {
  const?: string
  enum?: string[]
}

/** A named object as a property with a description of its own. */
export const Described = <T extends TSchema>(schema: T, memberDescription: string): T => ({
  ...schema,
  memberDescription,
})

/** A page of a list, named by its items in the API document. */
export const ListOf = <T extends TSchema>(item: T, maxItems: number) => {
  const { title } = item as { title?: string }
  return ClosedObject(pageProperties(item, maxItems), {
    ...(title !== undefined && { title: `${title}List` }),
    description: 'A page of a list.',
  })
}

const pageProperties = <T extends TSchema>(item: T, maxItems: number) => ({
  object: Type.Literal('list', { description: 'Always list.' }),
  data: Type.Array(item, { maxItems, description: 'The rows of this page.' }),
  has_more: Type.Boolean({ description: 'Whether another page follows.' }),
  next_cursor: Nullable(
    Type.String({
      pattern: '^cur_[A-Za-z0-9_-]+$',
      maxLength: 500,
      description: 'Send it as cursor for the next page; null on the last one.',
    }),
  ),
  request_id: RequestId,
})

/** What kind of object a reply is. */
export const ObjectKind = <const T extends string>(kind: T) =>
  Type.Literal(kind, { description: `What this object is: always ${kind}.` })

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
  Type.String({ pattern: slugPattern, maxLength: 64, ...options })

export const RequestId = Type.String({
  pattern: '^req_[A-Za-z0-9]{20,}$',
  maxLength: 64,
  description: 'Names this reply, as the X-Request-Id header does; quote it when you ask for help.',
  examples: ['req_8fK2mXo3QpLr7TzV1aBcD4Ef'],
})

/** A reply without data, such as that of a sign-out. */
export const DoneReply = ClosedObject({ object: ObjectKind('done'), request_id: RequestId })

export function done(requestId: string) {
  return { object: 'done', request_id: requestId } as const
}
