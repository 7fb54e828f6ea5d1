import type { FastifyInstance } from 'fastify'
import { StripeError } from './errors.ts'

const loopbackNames: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * Refuses requests for any other host than this machine's own names. A page elsewhere whose name was made to lead to
 * loopback (DNS rebinding) could otherwise read the pages here as its own. The port may be another one, of a tunnel.
 */
export function refuseOtherHosts(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (isOwnHost(request.raw.headers.host)) return done()
    const refusal = new StripeError(
      421,
      'invalid_request_error',
      'The stand-in answers to localhost and 127.0.0.1 only.',
    )
    reply.code(421).headers({ 'cache-control': 'no-store', connection: 'close' }).send(refusal.body())
  })
}

function isOwnHost(host: string | undefined): boolean {
  const [, name, address] = /^(?:([^\s:@/[\]]+)|(\[[\d:a-f]+\]))(?::\d{1,5})?$/i.exec(host ?? '') ?? []
  return loopbackNames.has((name ?? address ?? '').toLowerCase())
}

/** Whether a host is this machine's own, so that nobody else can connect. */
export function isLoopbackHost(host: string): boolean {
  return host === '::1' || loopbackNames.has(host)
}
