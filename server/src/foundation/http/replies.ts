import { createHash } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { composeBytes, mostBytesPerCharacter, writeUtf8 } from '@storedex/fast-text'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Refusal } from '../kernel/errors.ts'
import { systemClock } from '../kernel/time.ts'
import { errorBody, errorHeaders, statusOf } from './errors.ts'

/** Writes an error to a socket when there is no request to reply to. It is the connection's last reply. */
export function sendRawError(socket: Duplex, error: Refusal, requestId: string): void {
  const body = JSON.stringify(errorBody(error, requestId))
  const headers = {
    ...defaultHeaders,
    ...errorHeaders(error),
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'x-request-id': requestId,
    date: systemClock.now().toUTCString(),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${statusOf(error)} ${STATUS_CODES[statusOf(error)]}\r\n${lines.join('')}\r\n${body}`)
}

/** Headers of every reply that does not set its own: no caching, no MIME sniffing, no framing. */
const defaultHeaders = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
} as const

export function setDefaultHeaders(app: FastifyInstance): void {
  const defaults = Object.entries(defaultHeaders)
  app.addHook('onSend', (_request, reply, payload, done) => {
    for (const [name, value] of defaults)
      if (!reply.hasHeader(name) && !reply.raw.hasHeader(name)) reply.header(name, value)
    done(null, payload)
  })
}

/** JSON, or its parts in order. */
export type JsonText = string | readonly string[]

/** Sends a body that is already JSON, without the route's serialiser; the same schema rendered it before. */
export function sendJson(reply: FastifyReply, body: JsonText): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(encodeJson(body))
}

/** Parts of a JSON text with a list of items that are JSON already. */
export function jsonWithList(start: string, items: readonly string[], end: string): string[] {
  const parts = [start]
  for (const item of items) {
    if (parts.length > 1) parts.push(',')
    parts.push(item)
  }
  parts.push(end)
  return parts
}

/** UTF-8. A text with one character beyond Latin-1 takes several times as long to encode, so parts are not joined before. */
export function encodeJson(json: JsonText): Buffer {
  const parts = typeof json === 'string' ? [json] : json
  let most = 0
  for (const part of parts) most += part.length * mostBytesPerCharacter
  return composeBytes(most, (bytes) => {
    let at = 0
    for (const part of parts) at = writeUtf8(bytes, part, at)
    return at
  })
}

/** The ETags of a representation when it is compressed: each encoding is one of its own. */
export function encodedTags(etag: string): Record<'br' | 'gzip', string> {
  const start = etag.slice(0, -1)
  return { br: `${start}-br"`, gzip: `${start}-gzip"` }
}

/** The ETag of a body: the start of its hash. */
export function etagOf(body: string | Buffer): string {
  return `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`
}

/** Whether an `If-None-Match` header contains the tag, of any encoding, in a list, as a weak tag, or as `*`. */
export function etagMatches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  if (header.trim() === '*') return true
  const { br, gzip } = encodedTags(etag)
  for (const [, tag] of header.matchAll(/(?:W\/)?("[^"]*")/g))
    if (tag === etag || tag === br || tag === gzip) return true
  return false
}
