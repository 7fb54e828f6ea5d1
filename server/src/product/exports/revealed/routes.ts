import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { callerContext } from '../../../customers/admission/hooks.ts'
import type { DeliverEmails } from '../../../foundation/encryption/contact-facts.ts'
import type { ContactSeals } from '../../../foundation/encryption/keyring.ts'
import { errorReplies } from '../../../foundation/http/openapi/errors.ts'
import type { ApiRoutes } from '../../../foundation/http/server.ts'
import type { CursorSealer } from '../../../foundation/kernel/cursor-sealer.ts'
import type { IdSealer } from '../../../foundation/kernel/ids.ts'
import { ClosedObject } from '../../../foundation/kernel/shapes.ts'
import { formatDay } from '../../../foundation/kernel/time.ts'
import { columnsOfKind } from '../format/columns.ts'
import { hubspotColumns, salesforceColumns } from '../format/presets.ts'
import {
  findRevealed,
  listRevealed,
  RevealedContacts,
  RevealedContactsRequest,
  RevealedList,
  RevealedQuery,
  readingRevealed,
} from './revealed.ts'
import { openRevealedFile, RevealedFileQuery, takingRevealed } from './revealed-file.ts'

const tags = ['exports']

interface RevealedServices {
  ids: IdSealer
  seals: ContactSeals
  cursors: CursorSealer
  config: { deliverEmails: DeliverEmails }
}

/** The people that the account has revealed already: looking at them, and taking them again. Open without a plan. */
export function registerRevealedRoutes(api: ApiRoutes, services: RevealedServices): void {
  const { ids, seals, cursors, config } = services
  const contextOf = (request: FastifyRequest) => ({
    ...callerContext(request),
    ids,
    seals,
    cursors,
    deliverEmails: config.deliverEmails,
  })

  api.get(
    '/revealed',
    {
      config: { access: readingRevealed },
      schema: {
        operationId: 'listRevealed',
        tags,
        summary: 'List the people that the account has revealed, newest first',
        description:
          'With their current channels. Costs nothing, and works without access. Erased people are left out.',
        querystring: RevealedQuery,
        response: { 200: RevealedList, ...errorReplies('invalid_domain') },
      },
    },
    (request) => listRevealed(contextOf(request), request.query),
  )

  api.post(
    '/revealed/find',
    {
      config: { access: readingRevealed },
      schema: {
        operationId: 'findRevealed',
        tags,
        summary: 'Find those of the given people that the account has revealed',
        description:
          'For the people of a page, with their current channels. Costs nothing, and works without access. Others are left out.',
        body: RevealedContactsRequest,
        response: { 200: RevealedContacts },
      },
    },
    (request) => findRevealed(contextOf(request), request.body),
  )

  api.get(
    '/revealed/file',
    {
      config: { access: takingRevealed },
      schema: {
        operationId: 'getRevealedFile',
        tags,
        summary: 'Download the people that the account has revealed, newest first',
        description: 'As an export writes them. Costs nothing, and is written to the audit log.',
        querystring: RevealedFileQuery,
      },
    },
    async (request, reply) => {
      const { preset = '' } = request.query
      const { file, format } = await openRevealedFile(contextOf(request), request.query)
      const name = ['storedex-revealed', preset, formatDay(request.now)].filter(Boolean).join('-')
      return reply
        .type(format.contentType)
        .header('content-disposition', `attachment; filename="${name}.${format.extension}"`)
        .send(file)
    },
  )

  const columns = {
    stores: namesOf(columnsOfKind.stores),
    previews: namesOf(columnsOfKind.previews),
    contacts: namesOf(columnsOfKind.contacts),
    presets: { hubspot: namesOf(hubspotColumns), salesforce: namesOf(salesforceColumns) },
  }

  api.get(
    '/export-columns',
    {
      config: { access: { person: true, kind: 'read' } },
      schema: {
        operationId: 'listExportColumns',
        tags,
        summary: 'List the columns that files can have',
        response: { 200: ExportColumns },
      },
    },
    () => columns,
  )
}

const Names = Type.Array(Type.String({ maxLength: 100 }), { maxItems: 100 })
const ExportColumns = ClosedObject(
  {
    stores: Names,
    previews: Names,
    contacts: Names,
    presets: ClosedObject(
      { hubspot: Names, salesforce: Names },
      { title: 'PresetColumns', description: 'As the import of each system expects them; not to be chosen.' },
    ),
  },
  { title: 'ExportColumns', description: 'Names of columns, in their usual order.' },
)

function namesOf(columns: readonly { name: string }[]): string[] {
  return columns.map(({ name }) => name)
}
