import type { FastifySchema, RouteOptions } from 'fastify'
import {
  refusalsOfKey,
  refusalsOfRepetition,
  refusalsOfSpending,
  scopeSetsOf,
} from '../../customers/admission/access-refusals.ts'
import type { Access } from '../../customers/auth/access.ts'
import { errorReplies, failures, refusalsIn } from '../../foundation/http/openapi/errors.ts'
import { type OpenApiDocument, successesOf, takesCursor } from '../../foundation/http/openapi/openapi.ts'
import { limitHeaders, type ReplyHeader, replyHeaders } from '../../foundation/http/openapi/reply-headers.ts'
import { refusalsOfBody, refusalsOfSchema } from '../../foundation/http/openapi/schema-refusals.ts'
import { meterHeaders } from '../../product/delivery/paid-reply.ts'
import { introduction } from './introduction.ts'

/** The document of the API that keys call. */
export function publicDocument(
  publicUrl: string | null,
  installedIds?: OpenApiDocument['installedIds'],
): OpenApiDocument {
  const docsUrl = `${publicUrl ?? ''}/docs`
  return {
    decorator: 'swagger',
    basePath: '/api/v1',
    publicUrl,
    serverDescription: 'This installation: production with a live key, testing with a test key.',
    info: {
      title: 'Storedex API',
      version: '1.0.0',
      description: introduction,
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
      contact: { name: 'The operator of this installation', ...(publicUrl !== null && { url: docsUrl }) },
    },
    // A relative address is none in OpenAPI.
    ...(publicUrl !== null && { externalDocs: { description: 'The guide for developers', url: `${docsUrl}/guide` } }),
    tags,
    security: {
      bearerKey: {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: 'Storedex API key',
        description:
          'An API key, `sdx_live_…` or `sdx_test_…`, as a bearer token (RFC 6750). It is opaque, not a JWT (RFC 8725).',
      },
    },
    headers: replyHeaders,
    headersOf,
    installedIds,
    completeSchema,
  }
}

// Generated clients are named after `name`; a reader sees `x-displayName`.
const tags = [
  {
    name: 'usage',
    'x-displayName': 'Usage',
    description: 'What the account may use, has used and has left.',
  },
  {
    name: 'billing',
    'x-displayName': 'Billing',
    description: 'How the plan stands, and links to pages on which a person changes it.',
  },
  {
    name: 'taxonomy',
    'x-displayName': 'Taxonomy',
    description: 'The values that filters accept, with their labels.',
  },
  {
    name: 'stores',
    'x-displayName': 'Stores',
    description: 'Lookup, search and batch enrichment of stores.',
  },
  {
    name: 'contacts',
    'x-displayName': 'Contacts',
    description: 'People at stores: previews without channels, revealed one by one.',
  },
  {
    name: 'lists',
    'x-displayName': 'Lists',
    description: 'Stores and contacts that the account keeps together.',
  },
  {
    name: 'exports',
    'x-displayName': 'Exports',
    description: 'Files of stores or contacts, written in the background and charged row by row.',
  },
  {
    name: 'quotes',
    'x-displayName': 'Quotes',
    description: 'What something would cost, exactly, before it is done.',
  },
]

/** Adds what follows from the declaration of a route: its scopes, what it costs, and how it refuses. */
function completeSchema(schema: FastifySchema, route: RouteOptions): FastifySchema {
  const { access, costs } = route.config ?? {}
  if (!access?.key) return schema
  const { key } = access
  const lines = [schema.description, scopesInWords(key), costsInWords(access, costs)]
  return {
    ...schema,
    description: lines.filter((line) => line !== undefined).join('\n\n'),
    security: scopeSetsOf(key).map(([, scopes]) => ({ bearerKey: scopes })),
    response: { ...successesOf(schema.response), ...errorReplies(...refusalsOf(access, key, { ...route, schema })) },
  }
}

function refusalsOf({ spends = [] }: Access, key: NonNullable<Access['key']>, route: RouteOptions) {
  const asksFor = takesCursor(route) ? 'limit' : 'max'
  return [
    // Before what follows from the declaration: the route may know better how it refuses.
    ...refusalsIn(route.schema?.response),
    ...refusalsOfSchema(route),
    ...(route.method === 'GET' ? [] : refusalsOfBody(route)),
    ...refusalsOfKey(key),
    ...refusalsOfSpending(spends, asksFor),
    ...refusalsOfRepetition(route.config ?? {}),
    ...failures,
  ]
}

/** Such as "Scope: `stores:read`." */
function scopesInWords(key: NonNullable<Access['key']>): string {
  const sets = scopeSetsOf(key).map(([what, scopes]) => {
    const names = scopes.map((scope) => `\`${scope}\``).join(' and ')
    return what === '' ? names : `${names} for ${what}`
  })
  return `**${sets.length > 1 ? 'Scopes' : 'Scope'}:** ${sets.join('; ')}.`
}

/** Such as "Costs: one request; one store export for a store that is new in the period." */
function costsInWords({ key, spends }: Access, costs: string | undefined): string {
  const counted = key?.billingLimit === 'billing_status' ? 'one billing status check, and no request' : 'one request'
  if (spends && costs === undefined) throw new Error('an operation that spends says in config.costs what it costs')
  return `**Costs:** ${[counted, costs].filter((each) => each !== undefined).join('; ')}.`
}

const retried = ['idempotency_in_progress', 'export_not_ready']

function headersOf(route: RouteOptions, status: number, codes: ReadonlySet<string>): ReplyHeader[] {
  const { access, keepsReplies, sendsHeaders } = route.config ?? {}
  const names: ReplyHeader[] = ['X-Request-Id']
  // A key is accepted after the body was read, and rejected before its account's limits are known.
  const isOfAccepted = status < 500 ? ![401, 413, 415].includes(status) : codes.has('billing_provider_unavailable')
  if (isOfAccepted) names.push(...limitHeaders)
  if (status === 401) names.push('WWW-Authenticate')
  if (status === 429 || status === 503 || retried.some((code) => codes.has(code))) names.push('Retry-After')
  if (status === 200 || status === 201) {
    names.push(...(access?.spends ?? []).flatMap((meter) => meterHeaders[meter] ?? []))
    if (takesCursor(route)) names.push('X-Search-End')
    if (keepsReplies) names.push('Idempotent-Replayed')
  }
  return [...names, ...(sendsHeaders?.[status] ?? [])]
}
