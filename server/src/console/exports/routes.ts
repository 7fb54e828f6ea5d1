import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { recordAuditEntry } from '../../auth/audit.ts'
import { memberContext } from '../../auth/signed-in.ts'
import { ContactRevealHeaders } from '../../contacts/schema.ts'
import { listParameters, RecordList } from '../../delivery/list-pages.ts'
import { searchContext } from '../../exclusion/exclude.ts'
import { createExport } from '../../exports/create-export.ts'
import { cancelExport, deleteExport, getExport, listExports } from '../../exports/manage-exports.ts'
import { openExportFile } from '../../exports/open-file.ts'
import { ExportFileHeaders, type ExportServices, exportFileReply } from '../../exports/routes.ts'
import { Export, ExportReply, ExportRequest } from '../../exports/schema.ts'
import { errorReplies } from '../../http/openapi/openapi.ts'
import { sendJson } from '../../http/replies.ts'
import type { ApiRoutes } from '../../http/server.ts'
import { rejectBody } from '../../http/validation.ts'
import { ClosedObject } from '../../kernel/shapes.ts'

const tags = ['data']
const OneExport = ClosedObject({
  id: Type.String({ maxLength: 1_000, description: 'The id of the export.' }),
})
const notFound = ['invalid_export_id', 'export_not_found'] as const

/** The account's exports, those of its keys included: as the API has them. */
export function registerExportConsoleRoutes(api: ApiRoutes, services: ExportServices): void {
  const { ids, seals, quotes, cursors, config, inFlightRequests } = services
  const contextOf = (request: FastifyRequest) => ({ ...memberContext(request), db: request.db, ids, seals, cursors })

  api.post(
    '/exports',
    {
      config: {
        access: {
          member: { role: 'member', needsAccess: true },
          kind: 'spend',
          spends: ['contact_credits', 'store_exports'],
        },
        keepsReplies: true,
      },
      schema: {
        operationId: 'createExport',
        tags,
        summary: 'Export stores or contacts as a file',
        description: 'As in the API: the file is written in the background, and paid for row by row.',
        headers: ContactRevealHeaders,
        body: ExportRequest,
        response: {
          201: ExportReply,
          ...errorReplies(
            'invalid_filter_value',
            'conflicting_filters',
            'invalid_domain',
            'invalid_list_id',
            'list_not_found',
            'invalid_column',
            'invalid_quote',
            'quote_exceeded',
            'invalid_idempotency_key',
            'idempotency_conflict',
            'idempotency_in_progress',
          ),
        },
      },
    },
    async (request, reply) => {
      const ctx = {
        ...searchContext(memberContext(request), services),
        ...{ db: request.db, ids, seals, quotes, inFlightRequests, config },
        wakeRunner: () => services.exportRunner.wake(),
      }
      const { body, isReplay } = await createExport(ctx, request.body, request.headers['idempotency-key'])
      if (isReplay) reply.header('idempotent-replayed', 'true')
      return sendJson(reply.code(201), body)
    },
  )

  api.get(
    '/exports',
    {
      config: { access: { member: { role: 'viewer' }, kind: 'read' } },
      schema: {
        operationId: 'listExports',
        tags,
        summary: 'List exports, newest first',
        description: 'Works without access.',
        querystring: ClosedObject(listParameters),
        response: { 200: RecordList(Export), ...errorReplies('invalid_cursor', 'invalid_limit') },
      },
    },
    (request) => listExports(contextOf(request), request.query),
  )

  api.get(
    '/exports/:id',
    {
      config: { access: { member: { role: 'viewer' }, kind: 'read' } },
      schema: {
        operationId: 'getExport',
        tags,
        summary: 'Read an export',
        params: OneExport,
        response: { 200: ExportReply, ...errorReplies(...notFound) },
      },
    },
    (request) => getExport(contextOf(request), request.params.id),
  )

  api.post(
    '/exports/:id/cancel',
    {
      config: { access: { member: { role: 'member' }, kind: 'edit' } },
      schema: {
        operationId: 'cancelExport',
        tags,
        summary: 'Stop an export, with a file of what was paid',
        params: OneExport,
        response: { 200: ExportReply, ...errorReplies(...notFound) },
      },
    },
    (request) => cancelExport(contextOf(request), request.params.id),
  )

  api.delete(
    '/exports/:id',
    {
      config: { access: { member: { role: 'member' }, kind: 'edit' } },
      preHandler: rejectBody,
      schema: {
        operationId: 'deleteExport',
        tags,
        summary: 'Delete the file of an export; one that still runs ends',
        description: 'Works without access.',
        params: OneExport,
        response: { 200: ExportReply, ...errorReplies(...notFound) },
      },
    },
    (request) => {
      const { account, person, address, now } = memberContext(request)
      return deleteExport(contextOf(request), request.params.id, (client, row) =>
        recordAuditEntry(client, {
          ...{ accountId: account.id, personId: person.id, address, at: now, action: 'export.deleted' },
          target: ids.seal('export', row.id, row.mode),
          details: { kind: row.kind, rows: row.rows, bytes: row.bytes },
        }),
      )
    },
  )

  api.get(
    '/exports/:id/file',
    {
      config: { access: { member: { role: 'member' }, kind: 'read' } },
      schema: {
        operationId: 'getExportFile',
        tags,
        summary: 'Download the file of an export, or a range of it',
        description: 'Costs nothing, and works without access. It is paid for.',
        params: OneExport,
        headers: ExportFileHeaders,
        response: {
          200: exportFileReply,
          206: exportFileReply,
          ...errorReplies(...notFound, 'export_not_ready', 'export_file_gone', 'invalid_range'),
        },
      },
    },
    async (request, reply) => {
      const { range, 'if-range': ifRange } = request.headers
      const conditions = { range, ifRange: ifRange as string | undefined }
      const { status, headers, content } = await openExportFile(contextOf(request), request.params.id, conditions)
      // Typed by the schema, which describes what arrives.
      return reply
        .code(status)
        .headers(headers)
        .send(content as unknown as string)
    },
  )
}
