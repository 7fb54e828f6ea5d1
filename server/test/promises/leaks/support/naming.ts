import { Domain, StoreName } from '../../../../src/product/delivery/store-document.ts'

/** The part of an OpenAPI document that says what replies can hold. */
export interface ReplyDocument {
  paths: Record<string, Record<string, { responses?: Record<string, DocumentedReply> }>>
  components: { schemas?: Record<string, Schema> }
}

interface DocumentedReply {
  content?: Record<string, { schema?: Schema }>
}

interface Schema {
  $ref?: string
  type?: string | string[]
  pattern?: string
  maxLength?: number
  enum?: unknown[]
  const?: unknown
  format?: string
  description?: string
  examples?: unknown[]
  properties?: Record<string, Schema>
  items?: Schema
  additionalProperties?: Schema | boolean
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
}

/** Properties whose text can be what a store or a person is called; beside those with the schema of a domain or a store's name. */
const namingProperties = new Set([
  ...['domain', 'domains', 'store_domain', 'aliases', 'host', 'unknown', 'before', 'after', 'added', 'removed'],
  ...['first_name', 'last_name', 'last_name_obfuscated', 'full_name', 'profile_url', 'content'],
])

/** The operations whose replies can hold the name of a store or person, as `METHOD /path`. */
export function operationsThatCanName(document: ReplyDocument): string[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { responses = {} }]) => canName(document, responses))
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  )
}

function canName(document: ReplyDocument, responses: Record<string, DocumentedReply>): boolean {
  const successes = Object.entries(responses).filter(([status]) => /^(?:[23]\d\d|default)$/.test(status))
  // What no schema describes can hold anything.
  if (successes.length === 0) return true
  return successes.some(([status, { content }]) => {
    if (status === '204' || status.startsWith('3')) return false
    if (!content) return true
    return Object.entries(content).some(
      ([type, { schema }]) => type !== 'application/json' || !schema || schemaCanName(document, schema),
    )
  })
}

/** Whether a value of the schema can hold a name, under whatever property. */
function schemaCanName(document: ReplyDocument, schema: Schema, property = '', seen: readonly string[] = []): boolean {
  const within = (part: Schema, name = property) => schemaCanName(document, part, name, seen)
  if (schema.$ref) {
    const name = schema.$ref.split('/').at(-1)!
    if (seen.includes(name)) return false
    return schemaCanName(document, document.components.schemas![name]!, property, [...seen, name])
  }
  const { properties = {}, items, additionalProperties, anyOf = [], oneOf = [], allOf = [] } = schema
  const isOpen = typeof additionalProperties === 'object' || additionalProperties === true
  const isText = [schema.type].flat().includes('string') && !schema.enum && !schema.const && schema.format === undefined
  return (
    isOpen ||
    (isText && textCanName(schema, property)) ||
    (items !== undefined && within(items)) ||
    [...anyOf, ...oneOf, ...allOf].some((part) => within(part)) ||
    Object.entries(properties).some(([name, part]) => within(part, name))
  )
}

function textCanName(schema: Schema, property: string): boolean {
  if (schema.pattern && /^\^(?:st|ct)_/.test(schema.pattern)) return true
  const isLike = (known: object) => JSON.stringify(bare(schema)) === JSON.stringify(bare(known as Schema))
  return namingProperties.has(property) || (property !== 'message' && (isLike(Domain) || isLike(StoreName)))
}

/** The schema without what it says about itself. */
function bare({ type, maxLength, pattern }: Schema): Schema {
  return { ...(type && { type }), ...(maxLength && { maxLength }), ...(pattern && { pattern }) }
}
