import { mapSubschemas } from '../compiled-schemas.ts'
import { openReplies } from './published-schemas.ts'

type Node = Record<string, unknown>

/**
 * Moves every object schema with a title into `components.schemas` under that title, and refers to it where it stood. Generated
 * clients then have one type for each shape. Throws if two shapes have the same title.
 */
export function nameSchemas(document: { paths: object; components?: { schemas?: Record<string, unknown> } }): void {
  const schemas: Record<string, unknown> = {}
  const texts = new Map<string, string>()

  const name = (schema: unknown): unknown => {
    if (typeof schema !== 'object' || schema === null) return schema
    const { memberDescription, ...published } = withoutAnnotations(schema as Node)
    const node = mapSubschemas(published, name)
    const { title, ...rest } = node
    const words = memberDescription === undefined ? {} : { description: memberDescription }
    if (node.type !== 'object' || typeof title !== 'string') return { ...node, ...words }
    const text = JSON.stringify(rest)
    if ((texts.get(title) ?? text) !== text) throw new Error(`two shapes of the API are called ${title}`)
    texts.set(title, text)
    schemas[title] = rest
    return { $ref: `#/components/schemas/${title}`, ...words }
  }

  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    for (const [key, value] of Object.entries(node as Node)) {
      if (key === 'schema') (node as Node)[key] = name(value)
      else visit(value)
    }
  }

  visit(document.paths)
  document.components ??= {}
  const shared = mapValues(document.components.schemas ?? {}, name)
  document.components.schemas = Object.fromEntries(
    Object.entries({ ...shared, ...schemas }).sort(([a], [b]) => (a < b ? -1 : 1)),
  )
  openReplies(document)
}

/** How a wrong value is refused is said by the errors of an operation. */
function withoutAnnotations({ errorCode: _code, errorMessage: _message, errorParam: _param, ...schema }: Node): Node {
  const { published, ...rest } = schema
  if (published === undefined) return rest
  return Object.fromEntries(Object.entries({ ...rest, ...(published as Node) }).filter(([, value]) => value !== null))
}

function mapValues(object: Record<string, unknown>, map: (value: unknown) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]))
}
