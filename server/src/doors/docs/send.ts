import type { FastifyReply, FastifyRequest } from 'fastify'
import { etagMatches, etagOf } from '../../foundation/http/replies.ts'
import { sitePageHeaders } from './layout.ts'

/** A text with what its caller keeps to ask whether it changed. */
export interface TaggedText {
  type: 'text/html' | 'text/javascript' | 'text/markdown' | 'text/plain'
  body: string | Buffer
  etag: string
}

export function tagText(type: TaggedText['type'], body: string | Buffer): TaggedText {
  return { type, body, etag: etagOf(body) }
}

/** Sends a text, or an empty 304 if the caller has it. */
export function sendTagged(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, body, etag }: TaggedText,
): FastifyReply {
  reply.header('etag', etag)
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-cache')
  if (etagMatches(request.headers['if-none-match'], etag)) return reply.code(304).send()
  return reply.type(`${type}; charset=utf-8`).send(body)
}

export function sendSitePage(request: FastifyRequest, reply: FastifyReply, page: string): FastifyReply {
  return sendTagged(request, reply.headers(sitePageHeaders), tagText('text/html', page))
}
