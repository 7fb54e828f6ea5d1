import type { Json } from '../client.ts'

/** The example of an operation, as its document publishes it. */
export interface ExampleRequest {
  operationId: string
  params: Readonly<Record<string, string>>
  status: number
  contentType: string
  reply: Json
  /** Whether the reply is shortened. */
  isExcerpt: boolean
  /** What is published as an example, with its schema. */
  values: readonly { where: string; schema: Json; value: Json }[]
  /** Sends the request; `params` replace those of the example. */
  send(url: string, key: string, params?: Record<string, string>): Promise<Response>
}

/** The examples of a document, in its order; operations without one are missing. */
export function readExamples(document: Json): ExampleRequest[] {
  return Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).flatMap(([method, operation]) => {
      const example = readExample(path, method, operation)
      return example ? [example] : []
    }),
  )
}

function readExample(path: string, method: string, operation: Json): ExampleRequest | undefined {
  const [shown] = Object.entries<Json>(operation.responses).flatMap(([status, { content = {} }]) =>
    Object.entries<Json>(content).flatMap(([contentType, { schema, examples }]) =>
      examples?.demonstration ? [{ status: Number(status), contentType, schema, ...examples.demonstration }] : [],
    ),
  )
  if (!shown || shown.status >= 400) return undefined
  const given: { name: string; in: string; schema: Json; value: Json }[] = (operation.parameters ?? []).flatMap(
    ({ examples, ...parameter }: Json) => (examples ? [{ ...parameter, value: examples.demonstration.value }] : []),
  )
  const ofPlace = (place: string): Record<string, string> =>
    Object.fromEntries(given.filter((each) => each.in === place).map(({ name, value }) => [name, String(value)]))
  const body = operation.requestBody?.content['application/json']
  const sent = body?.examples?.demonstration?.value
  const params = ofPlace('path')
  return {
    operationId: operation.operationId,
    params,
    status: shown.status,
    contentType: shown.contentType,
    reply: shown.value,
    isExcerpt: shown.summary.endsWith('shortened'),
    values: [
      { where: 'reply', schema: shown.schema, value: shown.value },
      ...(body ? [{ where: 'body', schema: body.schema, value: sent }] : []),
      ...given.map(({ name, schema, value }) => ({ where: name, schema, value })),
    ],
    send: (url, key, others = params) => {
      const target = path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(others[name]!))
      const query = new URLSearchParams(ofPlace('query')).toString()
      return fetch(`${url}/api/v1${target}${query && `?${query}`}`, {
        method: method.toUpperCase(),
        headers: {
          authorization: `Bearer ${key}`,
          ...ofPlace('header'),
          ...(sent && { 'content-type': 'application/json' }),
        },
        ...(sent && { body: JSON.stringify(sent) }),
      })
    },
  }
}
