import type { FastifyRequest } from 'fastify'
import { Refusal } from '../../foundation/kernel/errors.ts'

const readingMethods = new Set(['GET', 'HEAD'])

function isReading({ method }: FastifyRequest): boolean {
  return readingMethods.has(method)
}

/**
 * Refuses a change that a page of another site has sent with this browser's cookie. Browsers say where a request comes
 * from, and pages cannot change that: in `Origin`, and on https and localhost in `Sec-Fetch-Site`. Both have to be ours. A
 * request with neither comes from no browser.
 */
export function refuseOtherSites(request: FastifyRequest, publicUrl: string): void {
  if (isReading(request) || isFromHere(request, publicUrl)) return
  throw new Refusal(
    'cross_site_request',
    'This request came from another site. If it did not, PUBLIC_URL has to be the address that browsers use.',
  )
}

function isFromHere({ headers, host }: FastifyRequest, publicUrl: string): boolean {
  const { origin, 'sec-fetch-site': site } = headers
  if (origin !== undefined && !isOwnOrigin(origin, host, publicUrl)) return false
  return site === undefined || site === 'same-origin' || site === 'none'
}

function isOwnOrigin(origin: string, host: string, publicUrl: string): boolean {
  if (!URL.canParse(origin)) return false
  // A proxy may end TLS, so that the scheme that we see is not the browser's.
  return new URL(origin).host === host || origin === new URL(publicUrl).origin
}
