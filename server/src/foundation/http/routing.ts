import type { FastifyInstance } from 'fastify'
import { Refusal } from '../kernel/errors.ts'
import { HttpRefusal } from './errors.ts'

interface Route {
  pattern: string
  methods: Set<string>
}

/** The routes that begin with the same segments. */
interface RouteNode {
  literals: Map<string, RouteNode>
  parameter: RouteNode | null
  route: Route | null
}

/**
 * The methods of each path. Where several patterns fit a path, the one whose first differing segment is literal takes
 * precedence, whatever their methods; Fastify's router prefers the same one.
 */
class RouteTable {
  readonly #concrete = new Map<string, Route>()
  readonly #root = createRouteNode()

  add(pattern: string, method: string): void {
    if (pattern.includes('*') || pattern.includes('('))
      throw new Error(`${pattern}: only :name parameters are supported`)
    const route = pattern.includes(':') ? this.#parametricRoute(pattern) : this.#concreteRoute(pattern)
    route.methods.add(method)
  }

  /** The route of a decoded path. */
  find(path: string): Route | null {
    return this.#concrete.get(path) ?? findParametric(this.#root, path.split('/'), 0)
  }

  #concreteRoute(pattern: string): Route {
    const route = this.#concrete.get(pattern) ?? { pattern, methods: new Set() }
    this.#concrete.set(pattern, route)
    return route
  }

  #parametricRoute(pattern: string): Route {
    let node = this.#root
    for (const segment of pattern.split('/')) {
      if (segment.indexOf(':') > 0) throw new Error(`${pattern}: a parameter must be a whole segment`)
      node = segment.startsWith(':') ? parameterNode(node) : literalNode(node, segment)
    }
    node.route ??= { pattern, methods: new Set() }
    return node.route
  }
}

function createRouteNode(): RouteNode {
  return { literals: new Map(), parameter: null, route: null }
}

function parameterNode(node: RouteNode): RouteNode {
  node.parameter ??= createRouteNode()
  return node.parameter
}

function literalNode({ literals }: RouteNode, segment: string): RouteNode {
  const node = literals.get(segment) ?? createRouteNode()
  literals.set(segment, node)
  return node
}

function findParametric(node: RouteNode, segments: readonly string[], depth: number): Route | null {
  const segment = segments[depth]
  if (segment === undefined) return node.route
  const literal = node.literals.get(segment)
  const found = literal ? findParametric(literal, segments, depth + 1) : null
  if (found || !node.parameter || segment === '') return found
  return findParametric(node.parameter, segments, depth + 1)
}

/** Rejects a request to an unknown path (404) or with an unknown method (405) before anything else of it is checked. */
export function rejectUnknownRoutes(app: FastifyInstance): void {
  const table = new RouteTable()
  app.addHook('onRoute', (route) => {
    for (const method of [route.method].flat()) table.add(route.url, method)
  })
  app.addHook('onRequest', (request, _reply, done) => {
    // A route without a parameter, found with its method, is the one of this table too.
    const { url } = request.routeOptions
    if (url !== undefined && !url.includes(':') && !request.is404) {
      request.record.route = url
      return done()
    }
    const [encodedPath = ''] = request.raw.url!.split(/[?#]/, 1)
    const route = table.find(decodeURI(encodedPath))
    if (!route) throw routeNotFoundError(encodedPath, (path) => table.find(path)?.pattern.includes(':') ?? false)
    request.record.route = route.pattern
    if (!route.methods.has(request.method)) {
      const allowed = [...route.methods].sort().join(', ')
      throw new HttpRefusal('method_not_allowed', `This path does not support ${request.method}, only ${allowed}.`, {
        headers: { allow: allowed },
      })
    }
    done()
  })
}

/** A domain or URL that begins a segment, and what follows. All of it, so that no line end makes the search begin again at each slash. */
const unencodedUrl = /^(.+?\/)((?:https?:\/|[^/.]+\.).*)/is
const maxShownPath = 300

/**
 * The error of an unknown path. A URL in it that is not percent-encoded is several segments; when the path exists with the URL
 * encoded, the sentence says so.
 */
function routeNotFoundError(encodedPath: string, hasParameters: (path: string) => boolean): Refusal {
  const [, before = '', url = ''] = unencodedUrl.exec(decodeURIComponent(encodedPath)) ?? []
  const path = `${before}${encodeURIComponent(url)}`
  if (url.includes('/') && path.length <= maxShownPath && hasParameters(path))
    return new Refusal('route_not_found', `Percent-encode a URL within a path; this one is ${path} then.`)
  return new Refusal('route_not_found', 'There is nothing at this path; see /docs for what there is.')
}

/**
 * Rewrites the request target to a path that can be decoded, so that every request passes through all hooks: a stray
 * `%` and escapes that are not UTF-8 are escaped, and the absolute form loses its host.
 */
export function toDecodableTarget(target: string): string {
  if (target.startsWith('/') && !target.includes('%')) return target
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

/** Rejects malformed requests that Node accepts, or would reject without a body. */
export function rejectMalformedRequests(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { raw, headers } = request
    // Node counts only the bytes of headers, and many small ones have few.
    if (raw.rawHeaders.length > maxHeaders * 2)
      throw new HttpRefusal('header_too_large', `There are more than ${maxHeaders} headers.`, { headers: closing })
    const fault = faultOf(raw.httpVersion, headers.host, headers['transfer-encoding']) ?? repeatedHeader(raw.rawHeaders)
    if (fault) throw new HttpRefusal('invalid_request', fault, { headers: closing })
    done()
  })
}

// The sender may disagree with us about where the request ends, so the connection is closed.
const closing = { connection: 'close' }

function faultOf(version: string, host: string | undefined, transferEncoding: string | undefined): string | null {
  if (version !== '1.1' && version !== '1.0') return 'The supported HTTP versions are 1.0 and 1.1.'
  if (version === '1.1' && host === undefined) return 'HTTP/1.1 requests need a Host header.'
  if (transferEncoding !== undefined && transferEncoding.toLowerCase() !== 'chunked')
    return 'The only supported transfer encoding is chunked.'
  return null
}

// Node uses the first of repeated headers; a proxy in front of us may use the last.
const singleHeaders = ['host', 'authorization']

function repeatedHeader(rawHeaders: string[]): string | null {
  const seen = singleHeaders.map(() => false)
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const { length } = rawHeaders[index]!
    for (const [at, name] of singleHeaders.entries()) {
      if (length !== name.length || rawHeaders[index]!.toLowerCase() !== name) continue
      if (seen[at]) return `The header ${name} may be sent only once.`
      seen[at] = true
    }
  }
  return null
}
