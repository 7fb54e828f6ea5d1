import type { FastifyInstance } from 'fastify'
import { ApiError } from '../kernel/errors.ts'

const maxHeaders = 200

/** What Node lets through, or would refuse without a body, although it is no proper request. */
export function refuseOddRequests(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { raw, headers } = request
    // Small headers hardly weigh anything by Node's count of bytes.
    if (raw.rawHeaders.length > maxHeaders * 2)
      throw new ApiError('header_too_large', `There are more than ${maxHeaders} headers.`, { headers: closing })
    const fault = faultOf(raw.httpVersion, headers.host, headers['transfer-encoding']) ?? repeatedHeader(raw.rawHeaders)
    if (fault) throw new ApiError('invalid_request', fault, { headers: closing })
    done()
  })
}

// Who sends these may see the end of a request elsewhere than we do.
const closing = { connection: 'close' }

function faultOf(version: string, host: string | undefined, transferEncoding: string | undefined): string | null {
  if (version !== '1.1' && version !== '1.0') return 'The versions of HTTP understood here are 1.0 and 1.1.'
  if (version === '1.1' && host === undefined) return 'HTTP/1.1 requests need a Host header.'
  if (transferEncoding !== undefined && transferEncoding.toLowerCase() !== 'chunked')
    return 'The only transfer encoding understood here is chunked.'
  return null
}

// Node takes the first of several; something in front of us may take the last.
const singleHeaders = new Set(['host', 'authorization'])

function repeatedHeader(rawHeaders: string[]): string | null {
  const seen = new Set<string>()
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!.toLowerCase()
    if (!singleHeaders.has(name)) continue
    if (seen.has(name)) return `The header ${name} may be sent only once.`
    seen.add(name)
  }
  return null
}
