import type { Json } from '../../../support/client.ts'

const modern = '2026-07-28'

export interface RawReply {
  status: number
  headers: Headers
  text: string
  /** The message of the reply, from JSON or from an event stream. */
  body: Json
}

/** Sends one body to /mcp as it stands. */
export async function postMcp(
  url: string,
  secret: string | null,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<RawReply> {
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(secret !== null && { authorization: `Bearer ${secret}` }),
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: parseMessage(text) }
}

function parseMessage(text: string): Json {
  const data = /^data: (.*)$/m.exec(text)?.[1]
  try {
    return JSON.parse(data ?? text)
  } catch {
    return undefined
  }
}

/** A call of a tool in the revision 2026-07-28, from a client that can ask. */
export function modernCall(name: string, args: object, more: object = {}, revision = modern) {
  const prefix = 'io.modelcontextprotocol'
  const _meta = {
    [`${prefix}/protocolVersion`]: revision,
    [`${prefix}/clientInfo`]: { name: 'raw', version: '1' },
    [`${prefix}/clientCapabilities`]: { elicitation: {} },
  }
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args, _meta, ...more } }
}

export const modernHeaders = (name: string, revision = modern) => ({
  'mcp-protocol-version': revision,
  'mcp-method': 'tools/call',
  'mcp-name': name,
})

/** A call of a tool in a revision of 2025. */
export function legacyCall(name: string, args: object, id = 1) {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } }
}
