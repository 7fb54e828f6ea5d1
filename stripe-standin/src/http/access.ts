import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { StripeError } from '../state/errors.ts'

/** Rejects a request without the secret key, sent as bearer token or as the user name of basic authentication. */
export function checkApiKey(secretKey: string, authorization: string | undefined): void {
  const [scheme = '', credentials = ''] = (authorization ?? '').split(' ')
  let given = ''
  if (scheme.toLowerCase() === 'bearer') given = credentials
  if (scheme.toLowerCase() === 'basic') given = Buffer.from(credentials, 'base64').toString().split(':')[0] ?? ''
  if (!given) {
    throw new StripeError(
      401,
      'invalid_request_error',
      'You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth.',
    )
  }
  if (!timingSafeEqual(sha256(given), sha256(secretKey)))
    throw new StripeError(401, 'invalid_request_error', `Invalid API Key provided: ${given.slice(0, 8)}****`)
}

/** Digests have equal length, so the comparison does not reveal the key's length. */
function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

const loopbackNames: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * Rejects requests whose Host is not a loopback name. Otherwise a foreign page whose name resolves to loopback (DNS
 * rebinding) could read these pages. Any port is allowed: a tunnel may use another one.
 */
export function rejectNonLoopbackHosts(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (isLoopbackHostHeader(request.raw.headers.host)) return done()
    const refusal = new StripeError(
      421,
      'invalid_request_error',
      'The stand-in accepts requests for loopback hosts only, such as localhost or 127.0.0.1.',
    )
    reply.code(421).headers({ 'cache-control': 'no-store', connection: 'close' }).send(refusal.body())
  })
}

function isLoopbackHostHeader(host: string | undefined): boolean {
  const [, name, address] = /^(?:([^\s:@/[\]]+)|(\[[\d:a-f]+\]))(?::\d{1,5})?$/i.exec(host ?? '') ?? []
  return loopbackNames.has((name ?? address ?? '').toLowerCase())
}

/** Whether only this machine can connect to a listener on this host. */
export function isLoopbackHost(host: string): boolean {
  return host === '::1' || loopbackNames.has(host)
}
