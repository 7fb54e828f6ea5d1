import { fromJsonSchema, type StandardSchemaWithJSON } from '@modelcontextprotocol/server'

/** The part of JSON Schema that tools publish. */
export interface ToolSchema {
  [keyword: string]: unknown
}

/** What a model needs to know of a value; texts are bounded by the API. */
const kept = new Set(['type', 'enum', 'const', 'minimum', 'maximum', 'minItems', 'required'])

/**
 * A schema of the API without its titles, examples, patterns and long descriptions: the list of tools has to be short. The
 * API itself checks every call against the whole schema. `notes` are descriptions by path, such as `filters.countries`.
 */
export function compactSchema(schema: object, notes: Readonly<Record<string, string>> = {}, path = ''): ToolSchema {
  const source = schema as ToolSchema
  const result: ToolSchema = {}
  for (const [keyword, value] of Object.entries(source)) if (kept.has(keyword)) result[keyword] = value
  if (notes[path] !== undefined) result.description = notes[path]
  if (source.anyOf) return { ...result, ...compactUnion(source.anyOf as object[], notes, path) }
  if (source.items) result.items = compactSchema(source.items as object, notes, `${path}[]`)
  if (source.properties) {
    const below = path === '' ? '' : `${path}.`
    result.properties = Object.fromEntries(
      Object.entries(source.properties).map(([name, member]) => [
        name,
        compactSchema(member as object, notes, `${below}${name}`),
      ]),
    )
  }
  return result
}

/** A union of literals is an enumeration; null is one type more. */
function compactUnion(branches: object[], notes: Readonly<Record<string, string>>, path: string): ToolSchema {
  const compact = branches.map((branch) => compactSchema(branch, notes, path))
  const literals = compact.filter((branch) => 'const' in branch)
  if (literals.length === compact.length) return { enum: literals.map((branch) => branch.const) }
  const others = compact.filter((branch) => branch.type !== 'null')
  const [only] = others
  if (others.length === 1 && typeof only?.type === 'string') return { ...only, type: [only.type, 'null'] }
  return { anyOf: compact }
}

/** A published schema whose values the API checks, so that a refusal has the API's sentence. */
export function checkedByApi(schema: ToolSchema): StandardSchemaWithJSON<Record<string, unknown>> {
  return fromJsonSchema<Record<string, unknown>>(schema as never, {
    getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
  })
}

/** A published schema that the tool itself checks. */
export function checkedHere<T>(schema: ToolSchema): StandardSchemaWithJSON<T> {
  return fromJsonSchema<T>(schema as never)
}
