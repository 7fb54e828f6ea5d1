import { type BodyBudget, createBodyParser } from '@storedex/http-front'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../kernel/errors.ts'
import { exceededJsonBound, parseShortJson } from '../kernel/json.ts'
import { checkStrictJson } from '../kernel/json-check.ts'

export const maxBodyBytes = 262_144

/** Bounds on the cost of checking a body, which happens before the key is verified. */
const jsonBounds = { maxDepth: 32, maxMarks: 20_000 }

const boundMessages = {
  maxDepth: `The body is nested more than ${jsonBounds.maxDepth} levels deep.`,
  maxMarks: 'The body has more than 20,000 commas, colons and brackets.',
}

const faultReplies = {
  invalid_utf8: ['invalid_json', 'The body is not valid UTF-8.'],
  syntax: ['invalid_json', 'The body is not valid JSON.'],
  duplicate_key: ['invalid_json', 'The body repeats a key within one object.'],
} as const

/** A body that passed the strict JSON check and is not parsed yet. */
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
 * Accepts one kind of body: JSON in UTF-8, uncompressed, no repeated keys; an empty body counts as none. The body is
 * checked on arrival; a long one is parsed after admission, because creating thousands of objects is most of the cost.
 */
export function registerJsonParser(app: FastifyInstance, budget: BodyBudget): void {
  app.decorate('bodyBudget', budget)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', createBodyParser(app, maxBodyBytes, checkJsonBody))
  app.addHook('onRoute', (route) => {
    // A route's hooks run after the app's, which include admission.
    route.preValidation = [parseCheckedBody, ...[route.preValidation ?? []].flat()]
  })
  app.addHook('preParsing', (request, _reply, payload, done) => {
    const encoding = request.headers['content-encoding']
    if (request.method !== 'GET' && encoding !== undefined && encoding.toLowerCase() !== 'identity')
      throw new Refusal('unsupported_media_type', 'Send the body without Content-Encoding.')
    done(null, payload)
  })
}

/** A body of this size is parsed at once: it costs less than to check it first. */
const maxShortBytes = 2_048

function checkJsonBody(body: Buffer, request: FastifyRequest): unknown {
  if (!isUtf8(request.headers['content-type']!))
    throw new Refusal('unsupported_media_type', 'Send the body in UTF-8; it needs no charset.')
  if (body.length === 0) return undefined
  // Too short for `maxMarks`.
  const value = body.length <= maxShortBytes ? parseShortJson(body, jsonBounds.maxDepth) : undefined
  if (value !== undefined) return value
  const exceeded = exceededJsonBound(body, jsonBounds)
  if (exceeded) throw new Refusal('invalid_request', boundMessages[exceeded])
  const fault = checkStrictJson(body)
  if (fault === null) return new CheckedJson(body)
  const [code, message] = faultReplies[fault]
  throw new Refusal(code, message)
}

function parseCheckedBody(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  readBody(request)
  done()
}

/** The parsed body, also before admission; its shape is not checked yet. */
export function readBody(request: FastifyRequest): unknown {
  if (request.body instanceof CheckedJson) request.body = request.body.parse()
  return request.body
}

function isUtf8(contentType: string): boolean {
  const [, charset] = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(contentType) ?? []
  return charset === undefined || /^utf-?8$/i.test(charset)
}
