import { invalidRequest } from '../state/errors.ts'
import type { Metadata } from '../state/records.ts'

/**
 * Parsers from which an endpoint declares its parameters. Undeclared parameters are rejected, as at Stripe. Forms
 * contain text only, so numbers and booleans are parsed from text.
 */
interface ParamParser<T> {
  read(value: unknown, path: string): T
  readonly isRequired?: boolean
}

interface RequiredParamParser<T> extends ParamParser<T> {
  readonly isRequired: true
}

export type ParamSchema = Readonly<Record<string, ParamParser<unknown>>>

/** The parsed parameters: required ones are always present, others may be missing. */
export type ParamValues<F extends ParamSchema> = {
  readonly [K in keyof F as F[K] extends RequiredParamParser<unknown> ? K : never]: ParsedValue<F[K]>
} & {
  readonly [K in keyof F as F[K] extends RequiredParamParser<unknown> ? never : K]?: ParsedValue<F[K]>
}

type ParsedValue<K> = K extends ParamParser<infer T> ? T : never

export function required<T>(kind: ParamParser<T>): RequiredParamParser<T> {
  return { ...kind, isRequired: true }
}

/** Parses all parameters of a request, or of a hash within one. */
export function parseParams<F extends ParamSchema>(
  fields: F,
  form: Readonly<Record<string, unknown>>,
  path = '',
): ParamValues<F> {
  for (const name of Object.keys(form)) {
    if (Object.hasOwn(fields, name)) continue
    const param = paramPath(path, name)
    throw invalidRequest(`Received unknown parameter: ${param}`, { code: 'parameter_unknown', param })
  }
  const values: Record<string, unknown> = {}
  for (const [name, kind] of Object.entries(fields)) {
    const param = paramPath(path, name)
    if (Object.hasOwn(form, name)) values[name] = kind.read(form[name], param)
    else if (kind.isRequired)
      throw invalidRequest(`Missing required param: ${param}.`, { code: 'parameter_missing', param })
  }
  return values as ParamValues<F>
}

export const text: ParamParser<string> = {
  read(value, param) {
    const read = readString(value, param)
    if (read === '')
      throw invalidRequest(
        `You passed an empty string for '${param}'. We assume empty values are an attempt to unset a parameter; however '${param}' cannot be unset. You should remove '${param}' from your request or supply a non-empty value.`,
        { code: 'parameter_invalid_empty', param },
      )
    if (read.length > 5_000)
      throw invalidRequest(`Invalid string: it must be at most 5000 characters`, {
        code: 'parameter_invalid_string_too_long',
        param,
      })
    return read
  },
}

export const url: ParamParser<string> = {
  read(value, param) {
    const read = text.read(value, param)
    if (!/^https?:\/\/[^\s]+$/i.test(read) || !URL.canParse(read.replaceAll(/[{}]/g, '')))
      throw invalidRequest(`Not a valid URL`, { code: 'url_invalid', param })
    return read
  },
}

export const email: ParamParser<string> = {
  read(value, param) {
    const read = text.read(value, param)
    if (!/^[^\s@]+@[^\s@]+$/.test(read))
      throw invalidRequest(`Invalid email address: ${read}`, { code: 'email_invalid', param })
    return read
  },
}

/** An empty value clears the field. */
export function unsettable<T>(kind: ParamParser<T>): ParamParser<T | null> {
  return { read: (value, param) => (value === '' ? null : kind.read(value, param)) }
}

export const cents = integer({ max: 99_999_999 })
export const quantity = integer({ min: 1, max: 999_999 })

export function integer({ min = 0, max = 99_999_999_999 } = {}): ParamParser<number> {
  return {
    read(value, param) {
      const read = readString(value, param)
      if (!/^-?\d{1,15}$/.test(read))
        throw invalidRequest(`Invalid integer: ${read}`, { code: 'parameter_invalid_integer', param })
      const number = Number(read)
      if (number < min)
        throw invalidRequest(`This value must be greater than or equal to ${min}.`, {
          code: 'parameter_invalid_integer',
          param,
        })
      if (number > max)
        throw invalidRequest(`This value must be less than or equal to ${max}.`, {
          code: 'parameter_invalid_integer',
          param,
        })
      return number
    },
  }
}

export const boolean: ParamParser<boolean> = {
  read(value, param) {
    const read = readString(value, param)
    if (read !== 'true' && read !== 'false')
      throw invalidRequest(`Invalid boolean: ${read}`, { code: 'parameter_invalid_boolean', param })
    return read === 'true'
  },
}

export function oneOf<const T extends string>(...words: readonly T[]): ParamParser<T> {
  return {
    read(value, param) {
      const read = readString(value, param)
      if (!(words as readonly string[]).includes(read))
        throw invalidRequest(`Invalid ${param}: must be one of ${joinWithOr(words)}`, { param })
      return read as T
    },
  }
}

/** A literal such as `now`, or a value. */
export function literalOr<const W extends string, T>(word: W, kind: ParamParser<T>): ParamParser<W | T> {
  return { read: (value, param) => (value === word ? word : kind.read(value, param)) }
}

/** Either of two shapes; `isFirst` decides which. */
function eitherOf<T, U>(
  isFirst: (value: unknown) => boolean,
  first: ParamParser<T>,
  second: ParamParser<U>,
): ParamParser<T | U> {
  return { read: (value, param) => (isFirst(value) ? first.read(value, param) : second.read(value, param)) }
}

export function hash<F extends ParamSchema>(fields: F): ParamParser<ParamValues<F>> {
  return {
    read(value, param) {
      if (!isHash(value)) throw invalidRequest('Invalid object', { param })
      return parseParams(fields, value, param)
    },
  }
}

export function list<T>(kind: ParamParser<T>, { max = 100 } = {}): ParamParser<readonly T[]> {
  return {
    read(value, param) {
      const values = Array.isArray(value) ? value : indexedValues(value)
      if (!values) throw invalidRequest('Invalid array', { param })
      if (values.length > max)
        throw invalidRequest(`Array ${param} exceeded maximum ${max} allowed elements.`, { param })
      return values.map((item, index) => kind.read(item, `${param}[${index}]`))
    },
  }
}

/** A change of metadata: null removes a key, or, for the whole change, all keys. */
export type MetadataChange = Readonly<Record<string, string | null>> | null

export const metadata: ParamParser<MetadataChange> = {
  read(value, param) {
    if (value === '') return null
    if (!isHash(value)) throw invalidRequest('Invalid object', { param })
    const entries = Object.entries(value)
    if (entries.length > 50) throw invalidRequest('Metadata can have up to 50 keys.', { param })
    return Object.fromEntries(
      entries.map(([key, item]) => {
        const read = readString(item, `${param}[${key}]`)
        if (key.length > 40 || read.length > 500)
          throw invalidRequest('Metadata keys have up to 40 characters and values up to 500.', { param })
        return [key, read === '' ? null : read]
      }),
    )
  },
}

export function applyMetadataChange(before: Metadata, change: MetadataChange | undefined): Metadata {
  if (change === undefined) return before
  if (change === null) return {}
  const after = { ...before, ...change }
  return Object.fromEntries(Object.entries(after).filter((entry): entry is [string, string] => entry[1] !== null))
}

/** A parameter that Stripe accepts and that has no effect here. */
export const ignored: ParamParser<unknown> = { read: (value) => value }

/** A timestamp or bounds: `created=…`, `created[gte]=…`. */
export const timeFilter = eitherOf(
  isHash,
  hash({ gt: integer(), gte: integer(), lt: integer(), lte: integer() }),
  integer(),
)

type TimeFilter = ParsedValue<typeof timeFilter>

export function matchesTimeFilter(moment: number, bounds: TimeFilter | undefined): boolean {
  if (bounds === undefined) return true
  if (typeof bounds === 'number') return moment === bounds
  const { gt = -Infinity, gte = -Infinity, lt = Infinity, lte = Infinity } = bounds
  return moment > gt && moment >= gte && moment < lt && moment <= lte
}

function readString(value: unknown, param: string): string {
  if (typeof value === 'string') return value
  throw invalidRequest(`Invalid string: ${JSON.stringify(value)}`, { param })
}

/** qs parses a list with gaps in its indices as a hash of numbers. */
function indexedValues(value: unknown): unknown[] | undefined {
  if (!isHash(value)) return undefined
  const keys = Object.keys(value)
  return keys.every((key) => /^\d+$/.test(key)) ? keys.map((key) => value[key]) : undefined
}

function isHash(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function paramPath(path: string, name: string): string {
  return path ? `${path}[${name}]` : name
}

function joinWithOr(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')}, or ${words.at(-1)}`
}
