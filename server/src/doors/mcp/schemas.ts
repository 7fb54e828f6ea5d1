import type { FastifySchemaValidationError } from 'fastify'
import { compilersFactory } from '../../foundation/http/compiled-schemas.ts'
import { toValidationError, validationOptions } from '../../foundation/http/validation.ts'

/** A JSON schema. */
export interface ToolSchema {
  [keyword: string]: unknown
}

/** The parameters of a tool: the schema that lists show, and the one that reads arguments. */
export interface ToolInput {
  /** In the subset that every host takes. */
  published: ToolSchema
  full: ToolSchema
  /** Throws `Refusal` for arguments that the tool itself uses; the API checks those of the others. */
  check(args: unknown): void
}

/** The body of an operation of the API, which checks it. */
export function apiInput(schema: object, notes: Notes = {}): ToolInput {
  return { published: publishSchema(schema, notes), full: schema as ToolSchema, check: () => {} }
}

/** Arguments that the tool itself uses. */
export function ownInput(schema: ToolSchema): ToolInput {
  return { published: publishSchema(schema), full: schema, check: (args) => checkArguments(schema, args) }
}

function checkArguments(schema: ToolSchema, args: unknown): void {
  const validate = compilersFactory.buildValidator({}, validationOptions)({ schema, httpPart: 'body' })
  if (!validate(args)) throw toValidationError(validate.errors as FastifySchemaValidationError[], 'body')
}

/** Descriptions by path, such as `filters.countries`. */
type Notes = Readonly<Record<string, string>>

/**
 * A schema of the API as tools publish it: without titles, examples, patterns, bounds and long descriptions, since the list of
 * tools has to be short, and in the subset of JSON Schema that every host passes on to its model. A host that cannot pass on one
 * schema refuses every message. So each node has one type, a list has its items, only strings are enumerated, and there is no
 * constant, union, reference or null: what may be null may be left out. The API checks each call against the whole schema.
 */
export function publishSchema(schema: object, notes: Notes = {}, path = ''): ToolSchema {
  const source = schema as ToolSchema
  const note = notes[path] ?? (path === '' || Object.keys(notes).length > 0 ? undefined : source.description)
  const described = note === undefined ? {} : { description: note }
  if (source.anyOf) return { ...publishUnion(source.anyOf as ToolSchema[], notes, path), ...described }
  const { type, items, properties, required } = source
  const result: ToolSchema = { type, ...described }
  if (source.enum) result.enum = source.enum
  if (items) result.items = publishSchema(items as object, notes, `${path}[]`)
  if (properties) {
    const below = path === '' ? '' : `${path}.`
    const published = Object.entries(properties as Record<string, ToolSchema>)
      // What can only be false tells a model nothing.
      .filter(([, member]) => member.const !== false)
      .map(([name, member]) => [name, publishSchema(member, notes, `${below}${name}`)] as const)
    result.properties = Object.fromEntries(published)
  }
  if (required) result.required = required
  return result
}

/** A union of literals is an enumeration of strings; of a value that may be null, the value. */
function publishUnion(branches: readonly ToolSchema[], notes: Notes, path: string): ToolSchema {
  if (branches.every((branch) => typeof branch.const === 'string'))
    return { type: 'string', enum: branches.map((branch) => branch.const) }
  const [only, ...more] = branches.filter((branch) => branch.type !== 'null')
  if (!only || more.length > 0) throw new Error(`${path} has a union that hosts would refuse`)
  return publishSchema(only, notes, path)
}
