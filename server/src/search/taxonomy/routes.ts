import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { etagMatches, sendJson } from '../../foundation/http/replies.ts'
import type { ApiRoutes } from '../../foundation/http/server.ts'
import { taxonomyExamples } from './examples.ts'
import { type LiveTaxonomy, renderTaxonomyReply, TaxonomyReply } from './taxonomy.ts'

export function registerTaxonomyRoutes(api: ApiRoutes, taxonomy: LiveTaxonomy): void {
  api.get(
    '/taxonomy',
    {
      // Not in the contract: a 400.
      config: {
        access: { key: { scope: 'stores:read' }, person: true, kind: 'read' },
        compresses: 'each',
        example: taxonomyExamples.getTaxonomy,
        ignoresUnknownQuery: true,
        sendsHeaders: { 200: ['ETag'], 304: ['ETag'] },
      },
      schema: {
        operationId: 'getTaxonomy',
        tags: ['taxonomy'],
        summary: 'List the values that filters accept',
        description:
          'Values with labels for people. A published value is never removed. Send the ETag of an earlier reply as If-None-Match: if nothing changed, the reply is an empty 304.',
        headers: Type.Object({
          'If-None-Match': Type.Optional(
            // Longer than the headers of a request may be together.
            Type.String({ maxLength: 16_384, description: 'The ETag of an earlier reply.' }),
          ),
        }),
        response: {
          200: TaxonomyReply,
          304: Type.Null({ description: 'The content still matches the ETag.' }),
        },
      },
    },
    async (request, reply) => sendTaxonomy(request, reply, taxonomy),
  )
}

/** Sends the taxonomy of now, or an empty 304 if the caller has it. */
function sendTaxonomy(request: FastifyRequest, reply: FastifyReply, { current }: LiveTaxonomy): FastifyReply {
  reply.headers({ etag: current.etag, 'cache-control': 'private, no-cache' })
  if (etagMatches(request.headers['if-none-match'], current.etag)) return reply.code(304).send()
  return sendJson(reply, renderTaxonomyReply(current, request.id))
}
