import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../kernel/errors.ts'
import { exceededJsonBound } from '../kernel/json.ts'
import { checkStrictJson } from '../kernel/json-check.ts'
import { type BodyBudget, bodyTooLargeError } from './body-budget.ts'

declare module 'fastify' {
  interface FastifyInstance {
    bodyBudget: BodyBudget
  }
}

export const maxBodyBytes = 262_144

/** What looking at a body may cost. It happens before the key is known to be good. */
const jsonBounds = { maxDepth: 32, maxMarks: 20_000 }

const excesses = {
  maxDepth: `The body is nested more than ${jsonBounds.maxDepth} levels deep.`,
  maxMarks: 'The body has more than 20,000 commas, colons and brackets.',
}

const refusals = {
  invalid_utf8: ['invalid_json', 'The body is not valid UTF-8.'],
  syntax: ['invalid_json', 'The body is not valid JSON.'],
  duplicate_key: ['invalid_json', 'The body repeats a key within one object.'],
} as const

/** A body that was found to be strict JSON. */
class CheckedJson {
  readonly #bytes: Buffer

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  parse(): unknown {
    return JSON.parse(this.#bytes.toString('utf8'))
  }
}

/**
 * The one kind of body that is read: JSON in UTF-8, uncompressed, each key once. An empty one counts as none. It is checked
 * when it has arrived, and parsed once the request is admitted: making thousands of objects is most of the cost.
 */
export function registerJsonParser(app: FastifyInstance, budget: BodyBudget): void {
  app.decorate('bodyBudget', budget)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', createBodyParser(app, maxBodyBytes, checkJsonBody))
  app.addHook('onRoute', (route) => {
    // Hooks of a route run after those of the app, admission among them.
    route.preValidation = [parseCheckedBody, ...[route.preValidation ?? []].flat()]
  })
  app.addHook('preParsing', (request, _reply, payload, done) => {
    const encoding = request.headers['content-encoding']
    if (request.method !== 'GET' && encoding !== undefined && encoding.toLowerCase() !== 'identity')
      throw new ApiError('unsupported_media_type', 'Send the body without Content-Encoding.')
    done(null, payload)
  })
}

type ContentTypeParser = (
  request: FastifyRequest,
  payload: IncomingMessage,
  done: (error: Error | null, body?: unknown) => void,
) => void

/**
 * A content type parser that reads bodies of at most `maxBytes` and hands them to `parse`. Unlike Fastify's `parseAs`, it
 * keeps to the budget for bodies in flight.
 */
export function createBodyParser(
  app: FastifyInstance,
  maxBytes: number,
  parse: (body: Buffer, request: FastifyRequest) => unknown,
): ContentTypeParser {
  return (request, payload, done) => {
    if (Number(request.headers['content-length']) > maxBytes) return done(bodyTooLargeError(maxBytes))
    app.bodyBudget.read(payload, maxBytes, (error, body) => {
      if (error) return done(error)
      let parsed: unknown
      try {
        parsed = parse(body!, request)
      } catch (refusal) {
        return done(refusal as Error)
      }
      done(null, parsed)
    })
  }
}

function checkJsonBody(body: Buffer, request: FastifyRequest): CheckedJson | undefined {
  if (!isUtf8(request.headers['content-type']!))
    throw new ApiError('unsupported_media_type', 'Send the body in UTF-8; it needs no charset.')
  if (body.length === 0) return undefined
  const excess = exceededJsonBound(body, jsonBounds)
  if (excess) throw new ApiError('invalid_request', excesses[excess])
  const fault = checkStrictJson(body)
  if (fault === null) return new CheckedJson(body)
  const [code, message] = refusals[fault]
  throw new ApiError(code, message)
}

function parseCheckedBody(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  if (request.body instanceof CheckedJson) request.body = request.body.parse()
  done()
}

function isUtf8(contentType: string): boolean {
  const [, charset] = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(contentType) ?? []
  return charset === undefined || /^utf-?8$/i.test(charset)
}

const maxDroppedBytes = 16_000_000
const maxDroppingMs = 5_000

/**
 * A reply can be ready before its request has arrived whole (a body too large, an unknown route). Closing then would
 * cut the reply off, so the rest is read and dropped, up to a bound.
 */
export function discardUnreadBodies(app: FastifyInstance): void {
  app.addHook('onResponse', (request, _reply, done) => {
    const { raw } = request
    if (!raw.complete && !raw.destroyed) {
      const cut = () => raw.socket.destroy()
      const timer = setTimeout(cut, maxDroppingMs).unref()
      let left = maxDroppedBytes
      raw.on('data', (chunk: Buffer) => {
        left -= chunk.length
        if (left < 0) cut()
      })
      raw.once('close', () => clearTimeout(timer))
      raw.once('error', cut)
    }
    done()
  })
}
