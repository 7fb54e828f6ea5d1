import { type Static, Type } from 'typebox'
import { userContext } from '../../../customers/auth/signed-in.ts'
import type { ApiRoutes } from '../../../foundation/http/server.ts'
import { ClosedObject, Count, OneOf, RequestId, Timestamp } from '../../../foundation/kernel/shapes.ts'
import { type ErasureContext, erasing } from '../../erasure/erase-contacts.ts'
import { countSuppressions } from '../../erasure/queries.ts'
import type { ErasureServices } from '../../erasure/routes.ts'
import { LineSplitter } from '../source/lines.ts'
import { isBlankOrComment } from './read-suppression.ts'
import { readSuppressions, suppress } from './suppress.ts'

const SuppressionsBody = ClosedObject({
  text: Type.String({
    minLength: 1,
    maxLength: 200_000,
    description: 'One email address, phone number, profile or domain per line.',
  }),
})

const maxShownRejects = 100

const SuppressionsReply = ClosedObject({
  object: Type.Literal('suppressions_added'),
  read: Count('Lines.'),
  added: Count('New ones.'),
  unchanged: Count('Those known before.'),
  rejected: Count('Lines that are nothing to suppress.'),
  rejects: Type.Array(ClosedObject({ line: Count('Number of the line.'), reason: Type.String() }), {
    maxItems: maxShownRejects,
  }),
  erased: Count('Contacts that were erased.'),
  request_id: RequestId,
})
type SuppressionsReply = Static<typeof SuppressionsReply>

const SuppressionCountsReply = ClosedObject({
  object: Type.Literal('suppressions'),
  kinds: Type.Array(
    ClosedObject({
      kind: OneOf(['email', 'phone', 'profile', 'domain', 'record']),
      total: Count('How many.'),
      last_added_at: Timestamp('The newest.'),
    }),
  ),
  request_id: RequestId,
})

const tags = ['operator']

export function registerSuppressionRoutes(api: ApiRoutes, services: ErasureServices): void {
  api.get(
    '/operator/suppressions',
    {
      config: { access: { operator: true, kind: 'read' } },
      schema: {
        operationId: 'getSuppressions',
        tags,
        summary: 'Count the people and sites that imports skip',
        response: { 200: SuppressionCountsReply },
      },
    },
    async (request) => {
      const kinds = await countSuppressions(request.db)
      return {
        object: 'suppressions' as const,
        kinds: kinds.map(({ last_added_at, ...kind }) => ({ ...kind, last_added_at: last_added_at.toISOString() })),
        request_id: request.id,
      }
    },
  )

  api.post(
    '/operator/suppressions',
    {
      config: { access: erasing },
      schema: {
        operationId: 'addSuppressions',
        tags,
        summary: 'Suppress people and sites, and erase those on file',
        body: SuppressionsBody,
        response: { 200: SuppressionsReply },
      },
    },
    async (request) => {
      const ctx = { ...services, db: services.db.lane('erasure'), actor: userContext(request).actor }
      return { ...(await suppressText(ctx, request.body.text)), request_id: request.id }
    },
  )
}

/** Suppresses the people and sites of a text as those of a file. */
async function suppressText(ctx: ErasureContext, text: string): Promise<Omit<SuppressionsReply, 'request_id'>> {
  const splitter = new LineSplitter()
  const lines = [...splitter.push(Buffer.from(text)), ...splitter.end()].filter((line) => !isBlankOrComment(line))
  const { suppressions, rejects } = readSuppressions(ctx, lines)
  const { inserted, erased } =
    suppressions.length === 0 ? { inserted: 0, erased: 0 } : await suppress(ctx, suppressions)
  return {
    object: 'suppressions_added',
    read: lines.length,
    added: inserted,
    unchanged: suppressions.length - inserted,
    rejected: rejects.length,
    rejects: rejects.slice(0, maxShownRejects).map(({ line, reason }) => ({ line, reason })),
    erased,
  }
}
