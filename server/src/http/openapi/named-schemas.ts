type Node = Record<string, unknown>

/** Keywords with one schema, with a list of schemas, and with schemas by name. */
const single = ['items', 'additionalProperties', 'not'] as const
const several = ['anyOf', 'oneOf', 'allOf'] as const
const byName = ['properties', 'patternProperties'] as const

/**
 * Moves every object schema with a title into `components.schemas` under that title, and refers to it where it stood. Generated
 * clients then have one type for each shape. Throws if two shapes have the same title.
 */
export function nameSchemas(document: { paths: object; components?: { schemas?: Record<string, unknown> } }): void {
  const schemas: Record<string, unknown> = {}
  const texts = new Map<string, string>()

  const name = (schema: unknown): unknown => {
    if (typeof schema !== 'object' || schema === null) return schema
    const node = { ...schema } as Node
    for (const keyword of single) if (keyword in node) node[keyword] = name(node[keyword])
    for (const keyword of several)
      if (Array.isArray(node[keyword])) node[keyword] = (node[keyword] as unknown[]).map(name)
    for (const keyword of byName) if (node[keyword]) node[keyword] = mapValues(node[keyword] as Node, name)
    const { title, ...rest } = node
    if (node.type !== 'object' || typeof title !== 'string') return node
    const text = JSON.stringify(rest)
    if ((texts.get(title) ?? text) !== text) throw new Error(`two shapes of the API are called ${title}`)
    texts.set(title, text)
    schemas[title] = rest
    return { $ref: `#/components/schemas/${title}` }
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
}

function mapValues(object: Record<string, unknown>, map: (value: unknown) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]))
}
