import { Marked } from 'marked'
import { plainText } from './markdown.ts'
import type { SearchEntry } from './search.ts'

interface Schema {
  $ref?: string
  description?: string
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
}
interface Operation {
  operationId?: string
  summary?: string
  description?: string
  tags?: string[]
  parameters?: { name: string; description?: string }[]
  requestBody?: { content?: Record<string, { schema?: Schema }> }
}
/** The part of an OpenAPI document that is searched. */
export interface SearchedDocument {
  servers?: { url: string }[]
  paths?: Record<string, Record<string, Operation>>
  components?: { schemas?: Record<string, Schema> }
}

/** The operations of the reference, each with the anchor that Scalar gives it. */
export function operationEntries({ paths = {}, components }: SearchedDocument): SearchEntry[] {
  const schemas = components?.schemas ?? {}
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => {
      const { summary = '', description = '', operationId = '', tags = [], parameters = [], requestBody } = operation
      const bodies = Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => schema ?? [])
      const fields = [
        ...parameters.map(({ name, description: about = '' }) => `${name}: ${about}`),
        ...bodies.flatMap((schema) => describeFields(schema, schemas)),
      ]
      return {
        id: `tag/${tags[0]}/${method.toUpperCase()}${path}`,
        heading: withoutMarks(summary),
        text: withoutMarks([description, `(${operationId})`, ...fields].join('\n\n')),
        where: `${method.toUpperCase()} ${path}`,
        path: '/docs',
      }
    }),
  )
}

/** The fields of a body with their descriptions, each schema once. */
function describeFields(schema: Schema, schemas: Record<string, Schema>, seen = new Set<Schema>()): string[] {
  const named = schema.$ref ? schemas[schema.$ref.split('/').at(-1)!] : schema
  if (!named || seen.has(named)) return []
  seen.add(named)
  const inner = [...(named.anyOf ?? []), ...(named.oneOf ?? []), ...(named.items ? [named.items] : [])]
  return [
    ...inner.flatMap((each) => describeFields(each, schemas, seen)),
    ...Object.entries(named.properties ?? {}).flatMap(([name, member]) => [
      `${name}: ${member.description ?? ''}`,
      ...describeFields(member, schemas, seen),
    ]),
  ]
}

function withoutMarks(markdown: string): string {
  return plainText(new Marked().lexer(markdown)).split(/\s+/).join(' ').trim()
}
