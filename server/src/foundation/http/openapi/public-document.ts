import type { RouteOptions } from 'fastify'
import { errorReplies } from './errors.ts'
import type { OpenApiDocument } from './openapi.ts'

export interface PublicDocumentOptions {
  tags: OpenApiDocument['tags']
  /** The address of the service, if it is known: programs that keep a copy of the document need it. */
  publicUrl?: string | null
  /** Headers of a route's successful reply, beyond those of every reply. */
  headersOf?: (route: RouteOptions) => readonly ReplyHeader[]
  /** The ids of the installation that stand for those of the examples. */
  installedIds?: OpenApiDocument['installedIds']
}

/** The document of the API that keys call. */
export function createPublicDocument({
  tags,
  publicUrl = null,
  headersOf,
  installedIds,
}: PublicDocumentOptions): OpenApiDocument {
  return {
    decorator: 'swagger',
    basePath: '/api/v1',
    publicUrl,
    serverDescription: 'This installation, be it local or in production.',
    info: {
      title: 'Storedex API',
      version: '1.0.0',
      description:
        'Store and contact intelligence for e-commerce. Every request needs an API key as a bearer token; every reply carries a request id. Searches and lookups answer from the catalogue alone.',
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
      contact: { name: 'The operator of this installation', ...(publicUrl !== null && { url: `${publicUrl}/docs` }) },
    },
    tags,
    security: { bearerKey },
    headers: replyHeaders,
    headersOfStatus,
    headersOfSuccess: headersOf ?? (() => []),
    installedIds,
    completeSchema: (schema) => {
      const common = schema.body ? errorReplies(413, 415, 429, 500, 503) : errorReplies(429, 500, 503)
      return { ...schema, response: { ...common, ...(schema.response as object) } }
    },
  }
}

const bearerKey = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'Storedex API key',
  description:
    'An API key, `sdx_live_…` or `sdx_test_…`, as a bearer token (RFC 6750). It is opaque, not a JWT (RFC 8725).',
} as const

const count = (description: string, example: number) => ({
  description,
  schema: { type: 'integer' as const, format: 'int64', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  example,
})

const text = (description: string, example: string, pattern: string, maxLength = 255) => ({
  description,
  schema: { type: 'string' as const, pattern, maxLength },
  example,
})

/** The reply headers of the API, for the document's components. */
export const replyHeaders = {
  'X-Request-Id': text('Names the reply.', 'req_8fK2mXo3QpLr7TzV1aBcD4Ef', '^req_[A-Za-z0-9]{20,}$'),
  'RateLimit-Policy': text(
    'The limits in force: q requests in w seconds. On replies to an accepted key.',
    '"requests_per_minute";q=60;w=60, "requests_per_day";q=5000;w=86400',
    '^[ -~]*$',
  ),
  RateLimit: text(
    'What is left of each limit (r), and the seconds until it is whole again (t). On replies to an accepted key.',
    '"requests_per_minute";r=42;t=31, "requests_per_day";r=4211;t=39601',
    '^[ -~]*$',
  ),
  'X-RateLimit-Limit': count('Requests of the limit with the smaller share left.', 60),
  'X-RateLimit-Remaining': count('Requests left of that limit.', 42),
  'X-RateLimit-Reset': count('When that limit is whole again, in seconds since 1970.', 1_793_491_200),
  'Retry-After': count('Seconds until a retry can succeed.', 23),
  'WWW-Authenticate': text('How to authenticate.', 'Bearer', '^Bearer$', 6),
  'X-Search-Rows-Remaining': count('Search rows left in the period.', 24_975),
  'X-Store-Exports-Remaining': count('Store exports left in the period.', 4_975),
  'X-Contact-Credits-Remaining': count('Contact credits left in the period. Not on a replayed reply.', 999),
  'X-Search-End': text(
    'On the last page that a search may return, where more matches: why it ends. Then has_more is false.',
    'This search has returned 10,000 rows, the most it may; add a filter to see others.',
    '^[ -~]*$',
  ),
  'Idempotent-Replayed': text('On a reply that was stored for an earlier request with this key.', 'true', '^true$', 4),
} as const

export type ReplyHeader = keyof typeof replyHeaders

const limitHeaders: readonly ReplyHeader[] = [
  'RateLimit-Policy',
  'RateLimit',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
]

/** The headers of any reply with this status. */
function headersOfStatus(status: number): ReplyHeader[] {
  const names: ReplyHeader[] = ['X-Request-Id']
  if (status < 500) names.push(...limitHeaders)
  if (status === 401) names.push('WWW-Authenticate')
  if (status === 409 || status === 429 || status === 503) names.push('Retry-After')
  return names
}
