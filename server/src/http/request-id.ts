import type { FastifyInstance } from 'fastify'
import { randomBase62 } from '../kernel/base62.ts'

/** A fresh name for a request. A caller's own is never adopted: two callers could choose the same one. */
export function newRequestId(): string {
  return `req_${randomBase62(24)}`
}

const echoable = /^[\x20-\x7e]{1,128}$/

/** Names every reply, and gives a caller's short, printable `X-Request-Id` back beside our own. */
export function nameReplies(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    const theirs = request.headers['x-request-id']
    if (typeof theirs === 'string' && echoable.test(theirs)) reply.header('x-client-request-id', theirs)
    done()
  })
}
