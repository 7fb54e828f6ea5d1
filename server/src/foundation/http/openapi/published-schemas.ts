import { mapSubschemas } from '../compiled-schemas.ts'

type Node = Record<string, unknown>

interface Document {
  paths: object
  components?: { schemas?: Record<string, unknown> }
}

/**
 * Publishes replies as objects that can grow, whereas the service sends no other properties than those described: a client that
 * validates would refuse the first addition. Requests stay closed.
 */
export function openReplies(document: Document): void {
  const schemas = document.components?.schemas ?? {}
  const sent = schemasOfRequests(document.paths, schemas)
  for (const [name, schema] of Object.entries(schemas)) if (!sent.has(name)) schemas[name] = openReply(schema as Node)
  for (const operation of operationsOf(document.paths)) {
    for (const { content = {} } of Object.values(operation.responses ?? {}))
      for (const media of Object.values(content)) if (media.schema) media.schema = openReply(media.schema)
  }
}

interface Operation {
  parameters?: { schema?: Node }[]
  requestBody?: unknown
  responses?: Record<string, { content?: Record<string, { schema?: Node }> }>
}

function operationsOf(paths: object): Operation[] {
  return Object.values(paths).flatMap((methods) => Object.values(methods as Record<string, Operation>))
}

function openReply(schema: Node): Node {
  const { additionalProperties, ...open } = mapSubschemas(schema, openReply)
  return additionalProperties === undefined || additionalProperties === false ? open : { ...open, additionalProperties }
}

/** The names of the schemas that requests use, also within others. */
function schemasOfRequests(paths: object, schemas: Record<string, unknown>): ReadonlySet<string> {
  const names = new Set<string>()
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    for (const [key, value] of Object.entries(node)) {
      if (key !== '$ref') visit(value)
      else {
        const name = String(value).replace('#/components/schemas/', '')
        if (names.has(name)) continue
        names.add(name)
        visit(schemas[name])
      }
    }
  }
  for (const { requestBody, parameters } of operationsOf(paths)) visit([requestBody, parameters])
  return names
}
