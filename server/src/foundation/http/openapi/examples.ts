import type { RouteOptions } from 'fastify'

/** A request that works with the key of the demonstration, and its reply. */
export interface OperationExample {
  request?: {
    params?: Readonly<Record<string, string>>
    query?: Readonly<Record<string, string | number>>
    headers?: Readonly<Record<string, string>>
    body?: object
  }
  reply: {
    status: number
    /** A text stands for a file. */
    body: object | string
    /** Whether the body shows only the beginning of each list. */
    isExcerpt?: true
  }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The example of the operation in the API's document. */
    example?: OperationExample
  }
}

/**
 * The ids in examples, as the published document shows them. The document of a service with the demonstration shows the ids of
 * that installation instead, so that the examples can be sent as they are.
 */
export const exampleIds = {
  store: 'st_live_KcWqVnTzRbLmPxHd',
  contact: 'ct_live_BzRmQwKxTnVcLpHd',
  list: 'lst_live_TvRbNqWzKcXmLpHd',
  deletedList: 'lst_live_MxLpHdTvRbNqWzKc',
  export: 'exp_live_WzKcXmLpHdTvRbNq',
  canceledExport: 'exp_live_NqWzKcXmLpHdTvRb',
  deletedExport: 'exp_live_RbNqWzKcXmLpHdTv',
} as const

export type ExampleName = keyof typeof exampleIds

/** The ids of an installation that stand for those of the examples; what is missing does not exist there. */
export type InstalledIds = Partial<Record<ExampleName, string>>

/** The request id in replies of examples. */
export const demonstrationRequestId = 'req_8fK2mXo3QpLr7TzV1aBcD4Ef'

/** The name of the examples in the document. */
const exampleKey = 'demonstration'
const requestSummary = 'A request to the demonstration'

interface Described {
  content?: Record<string, { examples?: Record<string, { summary: string; value: unknown }> }>
}

interface DescribedOperation {
  parameters?: { name: string; in: string; example?: unknown; examples?: object }[]
  requestBody?: unknown
  responses: Record<string, unknown>
}

/** Adds a route's example to its operation. The routes of other doors, such as the console's, have none. */
export function addExample(operation: DescribedOperation, { config }: Pick<RouteOptions, 'config'>): void {
  if (!config?.example || config.door !== 'api') return
  const { request = {}, reply } = config.example
  const given: Record<string, Readonly<Record<string, unknown>> | undefined> = {
    path: request.params,
    query: request.query,
    header: request.headers,
  }
  for (const parameter of operation.parameters ?? []) {
    const value = given[parameter.in]?.[parameter.name]
    // The reference page fills a request from `examples` alone.
    delete parameter.example
    if (value === undefined) continue
    // The reference page leaves optional headers out of its samples unless they are declared enabled.
    const enabled = parameter.in === 'header' ? { 'x-disabled': false } : {}
    parameter.examples = { [exampleKey]: { summary: requestSummary, value, ...enabled } }
  }
  if (request.body) setExample(operation.requestBody, 'application/json', requestSummary, request.body)
  const contentType = typeof reply.body === 'string' ? 'text/csv' : 'application/json'
  const summary = reply.isExcerpt ? 'A reply of the demonstration, shortened' : 'A reply of the demonstration'
  setExample(operation.responses[reply.status], contentType, summary, reply.body)
}

/** In `examples`: the reference page ignores `example`. */
function setExample(described: unknown, contentType: string, summary: string, value: unknown): void {
  const { content } = described as Described
  const media = content?.[contentType]
  if (!media) throw new Error(`an example has no place: ${contentType} is not described`)
  media.examples = { ...media.examples, [exampleKey]: { summary, value } }
}

/** Replaces the ids of examples in a document's text by those of this installation. */
export function withInstalledIds(text: string, installed: InstalledIds): string {
  return Object.entries(installed).reduce(
    (replaced, [name, id]) => replaced.replaceAll(exampleIds[name as ExampleName], id),
    text,
  )
}
