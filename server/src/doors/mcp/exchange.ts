import {
  createMcpHandler,
  isLegacyRequest,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import Negotiator from 'negotiator'

/** A reply of the protocol. */
export interface ExchangeReply {
  status: number
  headers: [name: string, value: string][]
  body: string
}

/** The facts of a request that the server needs. */
interface Exchange {
  /** Lower-case names. */
  headers: Record<string, string | string[] | undefined>
  body: unknown
}

const json = 'application/json'
const eventStream = 'text/event-stream'
const passedHeaders = new Set(['content-type', 'mcp-protocol-version', 'allow'])

/**
 * Answers requests at `/mcp`, of the revision 2026-07-28 and of 2025, with a server for each that `createServer` makes. A reply
 * is complete when it is sent, so it is JSON for all who take JSON; else it is sent as events. A client that takes neither
 * gets JSON all the same (RFC 9110, section 12.5.1): some send an `Accept` that they do not mean.
 */
export function createExchanges<Context>(createServer: (context: Context) => Server) {
  const contexts = new WeakMap<Request, Context>()
  const modern = createMcpHandler(({ requestInfo }) => createServer(contexts.get(requestInfo!)!), {
    legacy: 'reject',
    // The tools never change, so there is nothing to subscribe to.
    maxSubscriptions: 0,
  })

  async function serveLegacy(request: Request, parsedBody: unknown): Promise<Response> {
    const server = createServer(contexts.get(request)!)
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
    await server.connect(transport)
    try {
      return await transport.handleRequest(request, { parsedBody: withoutCancellations(parsedBody) })
    } finally {
      await server.close()
    }
  }

  return async ({ headers, body }: Exchange, context: Context): Promise<ExchangeReply> => {
    const request = toWebRequest(headers)
    contexts.set(request, context)
    const isLegacy = await isLegacyRequest(request, body)
    const response = isLegacy ? await serveLegacy(request, body) : await modern.fetch(request, { parsedBody: body })
    const reply = {
      status: response.status,
      headers: [...response.headers].filter(([name]) => passedHeaders.has(name)),
      body: await response.text(),
    }
    return takesJson(headers.accept) ? reply : toEvents(reply)
  }
}

/** The request for the library, which reads its headers; the body is parsed already. `Accept` is decided here. */
function toWebRequest(headers: Exchange['headers']): Request {
  const passed = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === 'string' && /^(content-type|mcp-.*)$/.test(name) ? [[name, value] as [string, string]] : [],
  )
  return new Request('http://storedex.invalid/mcp', {
    method: 'POST',
    headers: [...passed, ['accept', `${json}, ${eventStream}`]],
  })
}

/** Whether a reply is to be JSON, by RFC 9110: of what the client takes, it prefers JSON or does not mind. */
function takesJson(accept: string | string[] | undefined): boolean {
  const text = [accept ?? []].flat().join(', ')
  const preferred = new Negotiator({ headers: text === '' ? {} : { accept: text } }).mediaType([json, eventStream])
  return preferred !== eventStream
}

/** The same messages as a stream of events that has ended. */
function toEvents(reply: ExchangeReply): ExchangeReply {
  const isJson = reply.headers.some(([name, value]) => name === 'content-type' && value.startsWith(json))
  if (reply.status !== 200 || !isJson) return reply
  const messages = [JSON.parse(reply.body)].flat()
  return {
    status: reply.status,
    headers: [...reply.headers.filter(([name]) => name !== 'content-type'), ['content-type', eventStream]],
    body: messages.map((message) => `event: message\ndata: ${JSON.stringify(message)}\n\n`).join(''),
  }
}

/**
 * What one request begins has ended when another arrives, so there is nothing to cancel; and within one body a cancelled
 * message would never be answered.
 */
function withoutCancellations(body: unknown): unknown {
  if (!Array.isArray(body)) return body
  return body.filter((message) => message?.method !== 'notifications/cancelled')
}
