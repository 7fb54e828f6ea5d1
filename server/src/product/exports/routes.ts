import type { KeyedMutex } from '@storedex/work'
import { workbookMediaType } from '@storedex/workbook/write'
import { Type } from 'typebox'
import { callerContext } from '../../customers/admission/hooks.ts'
import type { DeliverEmails } from '../../foundation/encryption/contact-facts.ts'
import type { ContactSeals } from '../../foundation/encryption/keyring.ts'
import { errorReplies } from '../../foundation/http/openapi/errors.ts'
import { sendJson } from '../../foundation/http/replies.ts'
import type { ApiRoutes } from '../../foundation/http/server.ts'
import { rejectBody } from '../../foundation/http/validation.ts'
import { listParameters, RecordList } from '../../foundation/kernel/list-pages.ts'
import type { QuoteSealer } from '../../foundation/kernel/quote.ts'
import { ClosedObject } from '../../foundation/kernel/shapes.ts'
import { ContactRevealHeaders } from '../contacts/schema.ts'
import { setBalanceHeaders } from '../delivery/paid-reply.ts'
import { type SearchServices, searchContext } from '../exclusion/exclude.ts'
import { copyingStores, copyStore, StoreCopy, StoreCopyRequest } from './copy-store.ts'
import { createExport } from './create-export.ts'
import { refusalsOfExports } from './export-query.ts'
import { exportExamples } from './format/examples.ts'
import type { DatabasePlace } from './keep-files.ts'
import {
  cancelExport,
  creatingExports,
  deleteExport,
  downloadingExports,
  endingExports,
  getExport,
  listExports,
  readingExports,
} from './manage-exports.ts'
import { openExportFile } from './open-file.ts'
import { registerRevealedRoutes } from './revealed/routes.ts'
import { Export, ExportRequest } from './schema.ts'

interface ExportServices extends SearchServices {
  seals: ContactSeals
  quotes: QuoteSealer
  exportRunner: { wake(): void }
  inFlightRequests: KeyedMutex
  config: DatabasePlace & { deliverEmails: DeliverEmails }
}

const ExportParams = ClosedObject({
  id: Type.String({
    maxLength: 1_000,
    description: 'The id of the export.',
    examples: ['exp_live_HcRwTzQbNvKyLpXm'],
    errorCode: 'invalid_export_id',
    errorMessage: 'This is not the id of an export.',
  }),
})

const ExportFileHeaders = Type.Object({
  Range: Type.Optional(
    Type.String({
      maxLength: 1_000,
      description: 'One range of bytes, such as `bytes=1000-`.',
      examples: ['bytes=0-'],
    }),
  ),
  'If-Range': Type.Optional(
    Type.String({
      maxLength: 1_000,
      description: 'The ETag for which the range is meant; another file is sent whole.',
    }),
  ),
})

const ofWholeFile = ['ETag', 'Accept-Ranges', 'Content-Disposition'] as const

const queueFull = '20 exports of this account are waiting, the most that may; try again when one has begun.'

const Content = Type.String({ format: 'binary', maxLength: 2 ** 40 })

const exportFileReply = {
  description: 'The file, or the range of it.',
  content: {
    'text/csv': { schema: Content },
    'application/x-ndjson': { schema: Content },
    'application/gzip': { schema: Content },
    [workbookMediaType]: { schema: Content },
  },
}

export function registerExportRoutes(api: ApiRoutes, services: ExportServices): void {
  const { ids, seals, quotes, cursors, config, inFlightRequests } = services

  api.post(
    '/exports',
    {
      config: {
        access: creatingExports,
        example: exportExamples.createExport,
        keepsReplies: true,
        costs:
          'one store export for each store that is new in the period and one contact credit for each newly revealed contact, as the rows of the file are written; no search rows',
      },
      schema: {
        operationId: 'createExport',
        tags: ['exports'],
        summary: 'Export stores or contacts as a file',
        description:
          'Writes a file in the background, in the order of a search: of stores, of contact previews, or of revealed contacts with their channels. What matches filters, or the members of a list. It stops at max_rows, max_credits or when nothing is left, with a file of what was paid. One export of an account runs at a time, 20 more may wait. An account keeps as many files, and bytes of files, as its plan says; then 429 with param exports, until one is deleted or expires.',
        headers: ContactRevealHeaders,
        body: ExportRequest,
        response: {
          201: Export,
          ...errorReplies(...refusalsOfExports, { code: 'rate_limit_exceeded', param: 'exports', message: queueFull }),
        },
      },
    },
    async (request, reply) => {
      const ctx = {
        ...searchContext(callerContext(request), services),
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
      config: { access: readingExports, example: exportExamples.listExports },
      schema: {
        operationId: 'listExports',
        tags: ['exports'],
        summary: 'List exports',
        description: 'The exports of the account in the mode of the key, the newest first.',
        querystring: ClosedObject(listParameters),
        response: { 200: RecordList(Export) },
      },
    },
    (request) => listExports({ ...callerContext(request), ids, cursors }, request.query),
  )

  api.get(
    '/exports/:id',
    {
      config: { access: readingExports, example: exportExamples.getExport },
      schema: {
        operationId: 'getExport',
        tags: ['exports'],
        summary: 'Read an export',
        description: 'Its state, how far it is and what it has cost.',
        params: ExportParams,
        response: {
          200: Export,
          ...errorReplies('export_not_found'),
        },
      },
    },
    (request) => getExport({ ...callerContext(request), ids }, request.params.id),
  )

  api.post(
    '/exports/:id/cancel',
    {
      config: { access: endingExports, example: exportExamples.cancelExport },
      preValidation: rejectBody,
      schema: {
        operationId: 'cancelExport',
        tags: ['exports'],
        summary: 'Cancel an export',
        description:
          'Stops it at once and leaves a file of what was paid. One that has ended stays as it is. Takes no body.',
        params: ExportParams,
        response: {
          200: Export,
          ...errorReplies('export_not_found'),
        },
      },
    },
    (request) => cancelExport({ ...callerContext(request), ids }, request.params.id),
  )

  api.delete(
    '/exports/:id',
    {
      config: { access: endingExports, example: exportExamples.deleteExport },
      preHandler: rejectBody,
      schema: {
        operationId: 'deleteExport',
        tags: ['exports'],
        summary: 'Delete the file of an export',
        description:
          'Removes the file at once, which makes room for another; one that still runs ends. The export stays in the list as `expired`, with what it has cost: what was paid stays paid. Takes no body.',
        params: ExportParams,
        response: {
          200: Export,
          ...errorReplies('export_not_found'),
        },
      },
    },
    (request) => deleteExport({ ...callerContext(request), ids }, request.params.id),
  )

  api.get(
    '/exports/:id/file',
    {
      config: {
        access: downloadingExports,
        example: exportExamples.getExportFile,
        sendsHeaders: {
          200: ofWholeFile,
          206: [...ofWholeFile, 'Content-Range'],
          416: ['Content-Range'],
        },
      },
      schema: {
        operationId: 'getExportFile',
        tags: ['exports'],
        summary: 'Download the file of an export',
        description:
          'Also a part of it, with Range. The ETag is the SHA-256 of the whole file. A file can be downloaded for 72 hours; erasing a person removes the files that have the person at once.',
        params: ExportParams,
        headers: ExportFileHeaders,
        response: {
          200: exportFileReply,
          206: exportFileReply,
          ...errorReplies('export_not_found', 'export_not_ready', 'export_file_gone', 'invalid_range'),
        },
      },
    },
    async (request, reply) => {
      const { range, 'if-range': ifRange } = request.headers
      const { status, headers, content } = await openExportFile(
        { ...callerContext(request), ids, seals },
        request.params.id,
        { range, ifRange: ifRange as string | undefined },
      )
      // Typed by the schema, which describes what arrives.
      return reply
        .code(status)
        .headers(headers)
        .send(content as unknown as string)
    },
  )

  api.post(
    '/stores/:domain/copy',
    {
      config: { access: copyingStores },
      schema: {
        operationId: 'copyStore',
        tags: ['exports'],
        summary: 'Copy a store as JSON or CSV',
        description: 'The store counts as one store export per period, as in a lookup with the API.',
        params: ClosedObject({
          domain: Type.String({
            description: 'A domain, or a percent-encoded URL with one.',
            maxLength: 16_000,
            errorCode: 'invalid_domain',
          }),
        }),
        body: StoreCopyRequest,
        response: { 200: StoreCopy, ...errorReplies('store_not_found') },
      },
    },
    async (request, reply) => {
      const ctx = searchContext(callerContext(request), services)
      const { copy, balance } = await copyStore(ctx, request.params.domain, request.body)
      setBalanceHeaders(reply, balance)
      return copy
    },
  )

  registerRevealedRoutes(api, services)
}
