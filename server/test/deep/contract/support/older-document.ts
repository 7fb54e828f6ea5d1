type Node = Record<string, unknown>

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null

/**
 * The document as OpenAPI 3.0, for a generator that knows no newer one: `null` as `nullable`, `const` as an `enum` of one,
 * examples left out. What it cannot say is left out too, which allows more.
 */
export function toOlderDocument(document: Node): Node {
  return { ...(convert(document) as Node), openapi: '3.0.3' }
}

function convert(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(convert)
  if (!isNode(value)) return value
  const { examples: _examples, example: _example, const: constant, anyOf, discriminator: _mapping, ...rest } = value
  const node = Object.fromEntries(Object.entries(rest).map(([key, child]) => [key, convert(child)]))
  if (Array.isArray(node.type)) {
    const types = node.type.filter((type) => type !== 'null')
    Object.assign(node, { type: types[0], ...(types.length < node.type.length && { nullable: true }) })
  }
  if (constant !== undefined) Object.assign(node, { type: typeof constant, enum: [constant] })
  if (!Array.isArray(anyOf)) return node
  const choices = anyOf.filter((choice) => !(isNode(choice) && choice.type === 'null')).map(convert)
  const isNullable = choices.length < anyOf.length
  if (choices.length > 1) return { ...node, anyOf: choices, ...(isNullable && { nullable: true }) }
  const [only] = choices as Node[]
  return '$ref' in only! ? { ...node, allOf: [only], nullable: true } : { ...only, ...node, nullable: true }
}
