import type { FastifyInstance } from 'fastify'

/** Headers of every reply that did not choose its own: nothing is stored, guessed at, or shown in a frame. */
export const defaultHeaders = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
} as const

export function setDefaultHeaders(app: FastifyInstance): void {
  app.addHook('onSend', (_request, reply, payload, done) => {
    for (const [name, value] of Object.entries(defaultHeaders))
      if (!reply.hasHeader(name) && !reply.raw.hasHeader(name)) reply.header(name, value)
    done(null, payload)
  })
}
