import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { atEnd } from '../../../server/test/support/cleanup.ts'
import { Storedex, type StoredexOptions } from '../../src/index.ts'

export const secret = 'sdx_live_0123456789abcdefSECRET'

interface Received {
  method: string
  path: string
  query: URLSearchParams
  headers: IncomingMessage['headers']
  // biome-ignore lint/suspicious/noExplicitAny: any JSON.
  body: any
}

/** A reply to send, or what to do with the response. */
export type Answer =
  | { status?: number; headers?: Record<string, string>; body?: unknown }
  | ((response: ServerResponse, request: Received) => unknown)

export interface ScriptedServer {
  url: string
  received: Received[]
  client(options?: Partial<StoredexOptions>): Storedex
}

/** A server on loopback that gives the n-th request the n-th answer, and the last one to all that follow. */
export async function serve(...answers: Answer[]): Promise<ScriptedServer> {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://host')
    const answer = answers[Math.min(received.length, answers.length - 1)]!
    const { method = '', headers } = request
    const one: Received = { method, path: pathname, query: searchParams, headers, body: undefined }
    received.push(one)
    const sent = await text(request)
    one.body = sent === '' ? undefined : JSON.parse(sent)
    if (typeof answer === 'function') return answer(response, one)
    response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers })
    response.end(JSON.stringify(answer.body ?? {}))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, received, client: (options) => new Storedex({ apiKey: secret, baseUrl: url, ...options }) }
}

export function apiError(
  status: number,
  code: string,
  rest: object = {},
  headers: Record<string, string> = {},
): Answer {
  return { status, headers, body: { error: { type: 'x', code, message: `${code}.`, request_id: 'req_1', ...rest } } }
}

/** Breaks the connection before a reply. */
export const cut: Answer = (response) => response.destroy()

/** Sends a part of a JSON body, then breaks the connection. */
export const cutBody: Answer = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
  response.write('{"object":"contact_reveal_result","data":[{"email":"mara@aurora.example"', () => response.destroy())
}

/** Never answers. */
export const silence: Answer = () => {}
