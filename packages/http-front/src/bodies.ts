import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { BodyBudget } from './body-budget.ts'

declare module 'fastify' {
  interface FastifyInstance {
    bodyBudget: BodyBudget
  }
}

type ContentTypeParser = (
  request: FastifyRequest,
  payload: IncomingMessage,
  done: (error: Error | null, body?: unknown) => void,
) => void

/**
 * Creates a content type parser for bodies of at most `maxBytes`, which are passed to `parse`. Unlike Fastify's
 * `parseAs`, it respects the budget for bodies in flight.
 */
export function createBodyParser(
  app: FastifyInstance,
  maxBytes: number,
  parse: (body: Buffer, request: FastifyRequest) => unknown,
): ContentTypeParser {
  return (request, payload, done) => {
    if (Number(request.headers['content-length']) > maxBytes) return done(app.bodyBudget.errors.tooLarge(maxBytes))
    app.bodyBudget.read(payload, maxBytes, (error, body) => {
      if (error) return done(error)
      let parsed: unknown
      try {
        parsed = parse(body!, request)
      } catch (error) {
        return done(error as Error)
      }
      done(null, parsed)
    })
  }
}

const maxDiscardedBytes = 16_000_000
const maxDiscardMs = 5_000

/**
 * A reply can be ready before its request has arrived completely, e.g. for an unknown route. Closing at that point
 * would cut the reply off, so the rest of the body is read and discarded, up to a bound.
 */
export function discardUnreadBodies(app: FastifyInstance): void {
  app.addHook('onResponse', (request, _reply, done) => {
    const { raw } = request
    // A request of the service to itself has no connection, and its body is complete.
    if (!isInjected(raw) && !raw.complete && !raw.destroyed) {
      const destroy = () => raw.socket.destroy()
      const timer = setTimeout(destroy, maxDiscardMs).unref()
      let left = maxDiscardedBytes
      raw.on('data', (chunk: Buffer) => {
        left -= chunk.length
        if (left < 0) destroy()
      })
      raw.once('close', () => clearTimeout(timer))
      raw.once('error', destroy)
    }
    done()
  })
}

/** Returns true if the service sent the request to itself (`app.inject`), without a connection. */
export function isInjected(raw: IncomingMessage): boolean {
  return 'isLightMyRequest' in raw
}
