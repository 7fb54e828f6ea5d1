import type { FastifyInstance } from 'fastify'
import { ApiError } from '../kernel/errors.ts'

interface Route {
  pattern: string
  methods: Set<string>
}

/** Which methods each path knows. A concrete path wins over one with parameters, whatever the methods of either. */
class RouteTable {
  readonly #concrete = new Map<string, Route>()
  readonly #parametric = new Map<string, Route & { shape: RegExp }>()

  add(pattern: string, method: string): void {
    if (pattern.includes('*') || pattern.includes('(')) throw new Error(`${pattern}: only :names are understood here`)
    if (!pattern.includes(':')) {
      const route = this.#concrete.get(pattern) ?? { pattern, methods: new Set() }
      this.#concrete.set(pattern, route)
      route.methods.add(method)
      return
    }
    const shape = new RegExp(`^${pattern.replaceAll('.', '\\.').replace(/:[^/]+/g, '[^/]+')}$`, 's')
    const route = this.#parametric.get(pattern) ?? { pattern, methods: new Set(), shape }
    this.#parametric.set(pattern, route)
    route.methods.add(method)
  }

  /** The route a decoded path belongs to. */
  find(path: string): Route | undefined {
    const concrete = this.#concrete.get(path)
    if (concrete) return concrete
    for (const route of this.#parametric.values()) if (route.shape.test(path)) return route
    return undefined
  }
}

/** Tells a request without a known route (404) or method (405) so, before anything else of it is looked at. */
export function rejectUnknownRoutes(app: FastifyInstance): void {
  const table = new RouteTable()
  app.addHook('onRoute', (route) => {
    for (const method of [route.method].flat()) table.add(route.url, method)
  })
  app.addHook('onRequest', (request, _reply, done) => {
    const [encodedPath = ''] = request.raw.url!.split(/[?#]/, 1)
    const route = table.find(decodeURI(encodedPath))
    if (!route) throw new ApiError('route_not_found', 'There is nothing at this path; see /docs for what there is.')
    request.record.route = route.pattern
    if (!route.methods.has(request.method)) {
      const allowed = [...route.methods].sort().join(', ')
      throw new ApiError('method_not_allowed', `This path does not know ${request.method}, but ${allowed}.`, {
        headers: { allow: allowed },
      })
    }
    done()
  })
}

/**
 * The request's target as a path that can be decoded, so that every request takes the way through all hooks: a stray
 * `%`, or escapes that are not UTF-8, stand for themselves; the absolute form loses its host.
 */
export function toDecodableTarget(target: string): string {
  const end = target.search(/[?#]/)
  const path = end === -1 ? target : target.slice(0, end)
  const withoutHost = path.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '')
  const rooted = withoutHost.startsWith('/') ? withoutHost : `/${withoutHost}`
  return rooted.replace(/(?:%[0-9a-f]{2})+|%/gi, escapeUndecodable) + target.slice(path.length)
}

function escapeUndecodable(escapes: string): string {
  try {
    decodeURIComponent(escapes)
    return escapes
  } catch {
    return escapes.replaceAll('%', '%25')
  }
}

const maxHeaders = 200

/** What Node lets through, or would refuse without a body, although it is no proper request. */
export function rejectMalformedRequests(app: FastifyInstance): void {
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
