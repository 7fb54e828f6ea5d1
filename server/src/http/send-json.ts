import type { FastifyReply } from 'fastify'

/** Sends a body that is JSON already, past the route's serialiser: it was rendered with the same schema before. */
export function sendJson(reply: FastifyReply, body: string): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(body)
}
