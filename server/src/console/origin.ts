import type { FastifyRequest } from 'fastify'
import { ApiError } from '../kernel/errors.ts'

const readingMethods = new Set(['GET', 'HEAD'])

export function isReading({ method }: FastifyRequest): boolean {
  return readingMethods.has(method)
}

/**
 * Refuses a change that a page of another site has sent with this browser's cookie. Browsers say where a request comes
 * from, and pages cannot change that: in `Sec-Fetch-Site` on https and localhost, and in `Origin`. A request with
 * neither comes from no browser.
 */
export function refuseOtherSites(request: FastifyRequest, publicUrl: string): void {
  if (isReading(request) || isFromHere(request, publicUrl)) return
  throw new ApiError('cross_site_request', 'This request came from another site.')
}

function isFromHere({ headers, host }: FastifyRequest, publicUrl: string): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin' || site === 'none'
  const { origin } = headers
  if (origin === undefined) return true
  if (!URL.canParse(origin)) return false
  // A proxy may end TLS, so that the scheme that we see is not the browser's.
  return new URL(origin).host === host || origin === new URL(publicUrl).origin
}
