import type { FastifyInstance } from 'fastify'
import { ApiError } from '../kernel/errors.ts'
import { parseStrictJson } from '../kernel/json.ts'

export const maxBodyBytes = 1_000_000

const refusals = {
  invalid_utf8: ['invalid_json', 'The body is not valid UTF-8.'],
  syntax: ['invalid_json', 'The body is not valid JSON.'],
  duplicate_key: ['invalid_json', 'The body repeats a key within one object.'],
  too_deep: ['invalid_request', 'The body is nested too deeply.'],
} as const

/** The one kind of body that is read: JSON in UTF-8, uncompressed, each key once. An empty one counts as none. */
export function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer', bodyLimit: maxBodyBytes },
    (request, body, done) => {
      if (!isUtf8(request.headers['content-type']!))
        throw new ApiError('unsupported_media_type', 'Send the body in UTF-8; it needs no charset.')
      if (body.length === 0) return done(null, undefined)
      const parsed = parseStrictJson(body as Buffer)
      if (!parsed.ok) {
        const [code, message] = refusals[parsed.reason]
        throw new ApiError(code, message)
      }
      done(null, parsed.value)
    },
  )
  app.addHook('preParsing', (request, _reply, payload, done) => {
    const encoding = request.headers['content-encoding']
    if (request.method !== 'GET' && encoding !== undefined && encoding.toLowerCase() !== 'identity')
      throw new ApiError('unsupported_media_type', 'Send the body without Content-Encoding.')
    done(null, payload)
  })
}

function isUtf8(contentType: string): boolean {
  const [, charset] = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(contentType) ?? []
  return charset === undefined || /^utf-?8$/i.test(charset)
}
