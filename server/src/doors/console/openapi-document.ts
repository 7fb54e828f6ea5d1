import type { FastifySchema, RouteOptions } from 'fastify'
import { type Access, deedKinds, kindOf, spendsOf } from '../../customers/auth/access.ts'
import { type DocumentedCode, type DocumentedReply, errorReplies } from '../../foundation/http/openapi/errors.ts'
import { type OpenApiDocument, takesCursor } from '../../foundation/http/openapi/openapi.ts'
import { replyHeaders } from '../../foundation/http/openapi/public-document.ts'
import { meterHeaders, rowsChargedHeader } from '../../product/delivery/paid-reply.ts'

/** The document of the routes that the console's pages call. They change with the pages; other programs must not rely on them. */
export const consoleDocument: OpenApiDocument = {
  decorator: 'consoleSwagger',
  basePath: '/console/api',
  publicUrl: null,
  serverDescription: 'This installation.',
  info: {
    title: "Storedex console's own API",
    version: '1.0.0',
    description:
      'What the pages of the console call, with the cookie of a signed-in person. It changes with the pages; programs use /api/v1.',
    license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
  },
  tags: [
    { name: 'session', description: 'Signing in and out, and who is signed in.' },
    { name: 'account', description: 'Members, invitations, sessions, the profile and the audit log.' },
    { name: 'taxonomy', description: 'The values that filters accept.' },
    { name: 'stores', description: 'Looking for stores, and at them.' },
    { name: 'contacts', description: 'Looking for people, and revealing them.' },
    { name: 'exports', description: 'Files, and what the account has revealed already.' },
    { name: 'quotes', description: 'What something would cost.' },
    { name: 'lists', description: 'Stores and people that the account keeps together.' },
    { name: 'usage', description: 'Meters, days and the ledger.' },
    { name: 'keys', description: 'API keys of the account.' },
    { name: 'billing', description: 'Plans, and links to the pages of the payment provider.' },
    { name: 'operator', description: 'What operators of the installation see and do.' },
    { name: 'privacy', description: 'Requests of people about their own data.' },
  ],
  security: {
    sessionCookie: {
      type: 'apiKey',
      in: 'cookie',
      name: 'storedex_session',
      description: 'Set by signing in. Over https its name begins with `__Host-`.',
    },
  },
  headers: {
    ...pick(['X-Request-Id', 'Retry-After', 'Idempotent-Replayed', 'X-Search-End', ...Object.values(meterHeaders)]),
    [rowsChargedHeader]: {
      description:
        'Search rows that the reply was charged. Fewer than it has where the same page has shown some to the person within ten minutes.',
      schema: { type: 'integer', format: 'int64', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
      example: 25,
    },
  },
  headersOfStatus: (status) => ([409, 429, 503].includes(status) ? ['X-Request-Id', 'Retry-After'] : ['X-Request-Id']),
  headersOfSuccess: (route) => [
    ...spentBy(route).flatMap((meter) => meterHeaders[meter] ?? []),
    ...(spentBy(route).includes('search_rows') ? [rowsChargedHeader] : []),
    ...(takesCursor(route) ? ['X-Search-End'] : []),
    ...(route.config?.keepsReplies ? ['Idempotent-Replayed'] : []),
  ],
  completeSchema,
}

/** Adds the refusals of the guard, of validation and of any route to those that the route declares. */
function completeSchema(schema: FastifySchema, route: RouteOptions): FastifySchema {
  const declared = (schema.response ?? {}) as Record<string, Partial<DocumentedReply>>
  const errors = Object.keys(declared).filter((status) => Number(status) >= 400)
  const declaredCodes = errors.flatMap((status) =>
    Object.keys(declared[status]?.content?.['application/json'].examples ?? {}),
  )
  const isShared = route.config?.access?.key !== undefined
  const codes = declaredCodes.filter((code) => !(isShared && codesOfKeys.has(code)))
  const refusals = errorReplies(...new Set([...(codes as DocumentedCode[]), ...commonRefusals(schema, route)]))
  for (const [status, reply] of Object.entries(refusals))
    reply.description = reply.description.replace(/^[^:]+/, (title) => titles[status] ?? title)
  const isOpen = route.config?.door === 'anyone'
  return { ...schema, ...(isOpen && { security: [] }), response: { ...successesOf(declared), ...refusals } }
}

function successesOf(declared: Record<string, unknown>) {
  return Object.fromEntries(Object.entries(declared).filter(([status]) => Number(status) < 400))
}

/** What only a request with a key is refused for, of routes that have both doors. */
const codesOfKeys = new Set<string>([
  ...['missing_api_key', 'invalid_api_key', 'revoked_api_key', 'suspended_api_key', 'expired_api_key'],
  ...['insufficient_scope', 'rate_limit_exceeded', 'api_access_required'],
])

// The sentences of the API speak of keys.
const titles: Record<string, string> = {
  401: 'There is no session, or signing in failed',
  402: "The account's contact credits do not suffice",
  403: 'The person or the account may not do this',
}

function commonRefusals({ body, querystring }: FastifySchema, { method, config }: RouteOptions): DocumentedCode[] {
  const { access, door } = config ?? {}
  if (!access) return []
  const needsAccount = door === 'member'
  const isChange = [method].flat().some((each) => each !== 'GET' && each !== 'HEAD')
  return [
    ...when(body || querystring, 'invalid_request', 'unknown_parameter', 'missing_parameter'),
    ...when(body, 'invalid_json', 'payload_too_large', 'unsupported_media_type'),
    ...when(isChange, 'cross_site_request'),
    ...when(door !== 'anyone', 'not_signed_in'),
    ...when(needsAccount, 'account_not_found'),
    ...when(needsAccount || door === 'operator', 'insufficient_role'),
    ...when(asksForFreshSignIn(access), 'fresh_sign_in_required'),
    ...when(needsAccount && access.member?.needsAccess, 'api_access_required'),
    ...when(spendsOf(access, door).length > 0 || access.key?.billingLimit, 'rate_limit_exceeded'),
    'internal_error',
    'service_unavailable',
  ]
}

function spentBy({ config }: RouteOptions) {
  return config?.access ? spendsOf(config.access, config.door) : []
}

/** Whether a request may be asked for it: always, or with some bodies. */
function asksForFreshSignIn(access: Access): boolean {
  return typeof access.kind === 'function' || deedKinds[kindOf(access)].fresh
}

function pick(names: readonly (keyof typeof replyHeaders)[]): OpenApiDocument['headers'] {
  return Object.fromEntries(names.map((name) => [name, replyHeaders[name]]))
}

function when(condition: unknown, ...codes: DocumentedCode[]): DocumentedCode[] {
  return condition ? codes : []
}
