import type { FastifySchema, RouteOptions } from 'fastify'
import { refusalsOfRepetition, refusalsOfSpending } from '../../customers/admission/access-refusals.ts'
import { type Access, deedKinds, kindOf, spendsOf } from '../../customers/auth/access.ts'
import { type DocumentedRefusal, errorReplies, failures, refusalsIn } from '../../foundation/http/openapi/errors.ts'
import { type OpenApiDocument, successesOf, takesCursor } from '../../foundation/http/openapi/openapi.ts'
import { replyHeaders } from '../../foundation/http/openapi/reply-headers.ts'
import { refusalsOfBody, refusalsOfSchema } from '../../foundation/http/openapi/schema-refusals.ts'
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
  headersOf: (route, status) => [
    'X-Request-Id',
    ...([409, 429, 503].includes(status) ? ['Retry-After'] : []),
    ...(status === 200 ? headersOfSuccess(route) : []),
  ],
  completeSchema,
}

function headersOfSuccess(route: RouteOptions): string[] {
  return [
    ...spentBy(route).flatMap((meter) => meterHeaders[meter] ?? []),
    ...(spentBy(route).includes('search_rows') ? [rowsChargedHeader] : []),
    ...(takesCursor(route) ? ['X-Search-End'] : []),
    ...(route.config?.keepsReplies ? ['Idempotent-Replayed'] : []),
  ]
}

/** Adds the refusals of the guard, of validation and of any route to those that the route declares. */
function completeSchema(schema: FastifySchema, route: RouteOptions): FastifySchema {
  const refusals = errorReplies(...refusalsIn(schema.response), ...commonRefusals(schema, route), ...failures)
  for (const [status, reply] of Object.entries(refusals))
    reply.description = reply.description.replace(/^[^:]+/, (title) => titles[status] ?? title)
  const isOpen = route.config?.door === 'anyone'
  return { ...schema, ...(isOpen && { security: [] }), response: { ...successesOf(schema.response), ...refusals } }
}

// The sentences of the API speak of keys.
const titles: Record<string, string> = {
  401: 'There is no session, or signing in failed',
  402: "The account's contact credits do not suffice",
  403: 'The person or the account may not do this',
}

function commonRefusals(schema: FastifySchema, route: RouteOptions): DocumentedRefusal[] {
  const { method, config = {} } = route
  const { access, door } = config
  if (!access) return []
  const needsAccount = door === 'member'
  const isChange = [method].flat().some((each) => each !== 'GET' && each !== 'HEAD')
  const requested = { ...route, schema }
  // An export ends where the credits end; only a reveal is refused for want of them.
  const spent = spentBy(route).filter((meter) => meter !== 'contact_credits' || access.spends?.includes(meter))
  return [
    ...refusalsOfSchema(requested),
    // What keys can call too refuses a body that it does not take.
    ...(schema.body || (access.key && isChange) ? refusalsOfBody(requested) : []),
    ...when(isChange, 'cross_site_request'),
    ...when(door !== 'anyone', 'not_signed_in'),
    ...when(needsAccount, 'account_not_found'),
    ...when(needsAccount || door === 'operator', 'insufficient_role'),
    ...when(asksForFreshSignIn(access), 'fresh_sign_in_required'),
    ...when(needsAccount && access.member?.needsAccess, 'api_access_required'),
    ...refusalsOfSpending(spent).filter(({ param }) => !param?.startsWith('key_budget.')),
    ...when(access.key?.billingLimit, 'rate_limit_exceeded'),
    ...refusalsOfRepetition(config),
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

function when(condition: unknown, ...codes: DocumentedRefusal['code'][]): DocumentedRefusal[] {
  return condition ? codes.map((code) => ({ code })) : []
}
