import { workbookMediaType } from '@storedex/workbook/write'
import type { FastifyRequest } from 'fastify'
import { userContext } from '../../customers/auth/signed-in.ts'
import { errorReplies } from '../../foundation/http/openapi/errors.ts'
import type { ApiRoutes } from '../../foundation/http/server.ts'
import { rejectBody } from '../../foundation/http/validation.ts'
import { PageQuery } from '../../foundation/kernel/list-pages.ts'
import { preparingImports, readingImports, requireImport, runningImports, takingRejects } from './context.ts'
import { describeImport, type ImportServices, importContextOf, listImports } from './describe.ts'
import type { ImportJob } from './job.ts'
import { fieldsOf } from './kinds.ts'
import { type PreviewServices, previewImport } from './preview.ts'
import { openRejects, queueRun, removeFiles, stopRun } from './runs.ts'
import {
  FieldsQuery,
  ImportFieldsReply,
  ImportListReply,
  ImportParams,
  ImportReply,
  NewImportBody,
  PartHeaders,
  PreviewReply,
  RejectsParams,
  RunBody,
} from './schema.ts'
import { appendToUpload, createImportJob } from './upload.ts'

const tags = ['operator']
const fileErrors = ['import_not_found', 'import_elsewhere', 'import_not_ready'] as const
const params = ImportParams

/** The number of the import that a request is about. */
const idOf = ({ params }: { params: { id: string } }) => Number(params.id)

/** Imports of operators: upload, preview, check, import, report. The pipeline is that of the command `import`. */
export function registerImportRoutes(api: ApiRoutes, services: ImportServices & PreviewServices): void {
  const contextOf = (request: FastifyRequest) => importContextOf(userContext(request), services)
  const describe = (request: FastifyRequest, job: ImportJob) => describeImport(userContext(request), services, job)

  api.get(
    '/operator/imports',
    {
      config: { access: readingImports },
      schema: {
        operationId: 'listImports',
        tags,
        summary: 'List imports of the console, the newest first',
        querystring: PageQuery,
        response: { 200: ImportListReply, ...errorReplies('invalid_cursor') },
      },
    },
    (request) => listImports(userContext(request), services, request.query),
  )

  api.post(
    '/operator/imports',
    {
      config: { access: preparingImports },
      schema: {
        operationId: 'createImport',
        tags,
        summary: 'Begin an import; its file follows in parts',
        body: NewImportBody,
        response: { 200: ImportReply, ...errorReplies('storage_full') },
      },
    },
    async (request) => describe(request, await createImportJob(contextOf(request), readNewUpload(request.body))),
  )

  api.get(
    '/operator/imports/fields',
    {
      config: { access: readingImports },
      schema: {
        operationId: 'listImportFields',
        tags,
        summary: 'List the fields that the columns of a file can be mapped to',
        querystring: FieldsQuery,
        response: { 200: ImportFieldsReply },
      },
    },
    (request) => ({
      object: 'import_fields' as const,
      fields: fieldsOf(request.query.kind).map(({ name, description, values, isRequired }) => ({
        ...{ name, description, values },
        required: isRequired,
      })),
      request_id: request.id,
    }),
  )

  api.get(
    '/operator/imports/:id',
    {
      config: { access: readingImports },
      schema: {
        operationId: 'getImport',
        tags,
        summary: 'Read an import: how far its upload or its run is, and its report',
        params,
        response: { 200: ImportReply, ...errorReplies('import_not_found') },
      },
    },
    async (request) => describe(request, await requireImport(userContext(request).db, idOf(request))),
  )

  api.post(
    '/operator/imports/:id/preview',
    {
      config: { access: readingImports },
      schema: {
        operationId: 'previewImport',
        tags,
        summary: 'Read the first rows of the file as an import would',
        params,
        body: RunBody,
        response: { 200: PreviewReply, ...errorReplies(...fileErrors) },
      },
    },
    async (request) => {
      const preview = await previewImport(contextOf(request), services, idOf(request), request.body.options)
      return { object: 'import_preview' as const, ...preview, request_id: request.id }
    },
  )

  for (const [run, operationId, summary, access] of [
    ['check', 'checkImport', 'Read the whole file and report, without changing the catalogue', preparingImports],
    ['import', 'runImport', 'Import the file, also again', runningImports],
  ] as const)
    api.post(
      `/operator/imports/:id/${run}`,
      {
        config: { access },
        schema: {
          operationId,
          tags,
          summary,
          params,
          body: RunBody,
          response: { 200: ImportReply, ...errorReplies(...fileErrors) },
        },
      },
      async (request) => {
        const job = await queueRun(contextOf(request), idOf(request), run, request.body.options)
        services.importRunner.wake()
        return describe(request, job)
      },
    )

  api.post(
    '/operator/imports/:id/stop',
    {
      config: { access: preparingImports },
      preValidation: rejectBody,
      schema: {
        operationId: 'stopImport',
        tags,
        summary: 'End a run after its current chunk',
        params,
        response: { 200: ImportReply, ...errorReplies('import_not_found') },
      },
    },
    async (request) => {
      const job = await stopRun(contextOf(request), idOf(request))
      services.importRunner.stop(job.id)
      return describe(request, job)
    },
  )

  api.delete(
    '/operator/imports/:id/files',
    {
      config: { access: preparingImports },
      preValidation: rejectBody,
      schema: {
        operationId: 'removeImportFiles',
        tags,
        summary: 'Remove the uploaded file and the rejects',
        params,
        response: { 200: ImportReply, ...errorReplies(...fileErrors) },
      },
    },
    async (request) => describe(request, await removeFiles(contextOf(request), idOf(request))),
  )

  api.get(
    '/operator/imports/:id/rejects/:of',
    {
      config: { access: takingRejects },
      schema: {
        operationId: 'getImportRejects',
        tags,
        summary: 'Download the rejected records with their reasons',
        description: 'The same file as the command writes. Downloading it is written to the audit log.',
        params: RejectsParams,
        response: { ...errorReplies('import_not_found', 'import_elsewhere') },
      },
    },
    async (request, reply) => {
      const { content, bytes, name } = await openRejects(contextOf(request), idOf(request), request.params.of)
      return reply
        .type(typeOfRejects(name))
        .header('content-length', bytes)
        .header('content-disposition', `attachment; filename*=UTF-8''${encodeURIComponent(name.toWellFormed())}`)
        .send(content)
    },
  )

  registerUpload(api, services)
}

function typeOfRejects(name: string): string {
  if (name.endsWith('.xlsx')) return workbookMediaType
  return name.endsWith('.csv') ? 'text/csv; charset=utf-8' : 'application/x-ndjson'
}

/**
 * Parts of files go to the disk as they arrive: they take no part in the budget for bodies in memory. The guard runs before
 * anything of them is read. No page of another site can send this media type without asking first.
 */
function registerUpload(api: ApiRoutes, services: ImportServices): void {
  api.register(async (scope) => {
    scope.addContentTypeParser(partType, (_request, payload, done) => done(null, payload))
    const upload = scope as unknown as ApiRoutes
    upload.patch(
      '/operator/imports/:id/file',
      {
        config: { access: preparingImports },
        schema: {
          operationId: 'appendToImport',
          tags,
          summary: 'Append a part to the file of an import',
          description: `A body of type ${partType} with at most 8 MB, which begins at \`Upload-Offset\`. After an interruption, \`received\` says where to continue.`,
          params,
          headers: PartHeaders,
          response: {
            200: ImportReply,
            ...errorReplies(
              ...fileErrors,
              'wrong_offset',
              'storage_full',
              'payload_too_large',
              'unsupported_media_type',
            ),
          },
        },
      },
      async (request) => {
        const ctx = userContext(request)
        const length = request.headers['content-length']
        const job = await appendToUpload(importContextOf(ctx, services), idOf(request), {
          offset: Number(request.headers['upload-offset']),
          content: request.body,
          bytes: length === undefined ? null : Number(length),
        })
        return describeImport(ctx, services, job)
      },
    )
  })
}

const partType = 'application/offset+octet-stream'

function readNewUpload({ kind, file_name: fileName, bytes, modified_at }: NewImportBody) {
  const time = modified_at === undefined ? Number.NaN : Date.parse(modified_at)
  return { kind, fileName, bytes, fileModifiedAt: Number.isNaN(time) ? null : new Date(time) }
}
