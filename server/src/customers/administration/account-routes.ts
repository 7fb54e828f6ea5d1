import type { FastifyRequest } from 'fastify'
import { errorReplies } from '../../foundation/http/openapi/errors.ts'
import type { ApiRoutes } from '../../foundation/http/server.ts'
import { rejectBody } from '../../foundation/http/validation.ts'
import type { CursorSealer } from '../../foundation/kernel/cursor-sealer.ts'
import type { IdSealer } from '../../foundation/kernel/ids.ts'
import { DoneReply, done } from '../../foundation/kernel/shapes.ts'
import { memberContext } from '../auth/signed-in.ts'
import type { BillingProvider } from '../billing/provider.ts'
import { closeAccount, renameAccount } from './close-account.ts'
import { closeAccounts, readAudit, renameAccounts } from './context.ts'
import { listAudit } from './list-audit.ts'
import { AccountNameRequest, AuditListReply, AuditQuery } from './schema.ts'

export interface OwnAccountServices {
  ids: IdSealer
  cursors: CursorSealer
  billing: BillingProvider
}

const tags = ['account']

/** What its members decide about an account as a whole. */
export function registerOwnAccountRoutes(api: ApiRoutes, { ids, cursors, billing }: OwnAccountServices): void {
  const contextOf = (request: FastifyRequest) => ({ ...memberContext(request), db: request.db, ids, cursors, billing })

  api.patch(
    '',
    {
      config: { access: renameAccounts },
      schema: {
        operationId: 'renameAccount',
        tags,
        summary: 'Change the name of the account',
        body: AccountNameRequest,
        response: { 200: DoneReply },
      },
    },
    async (request) => {
      await renameAccount(contextOf(request), request.body)
      return done(request.id)
    },
  )

  api.post(
    '/close',
    {
      config: { access: closeAccounts },
      preValidation: rejectBody,
      schema: {
        operationId: 'closeAccount',
        tags,
        summary: 'Close the account for good',
        description: 'Access ends, keys and invitations are revoked. Refused while a subscription runs.',
        response: {
          200: DoneReply,
          ...errorReplies('subscription_running', 'billing_provider_unavailable'),
        },
      },
    },
    async (request) => {
      await closeAccount(contextOf(request))
      return done(request.id)
    },
  )

  api.get(
    '/audit',
    {
      config: { access: readAudit },
      schema: {
        operationId: 'listAudit',
        tags,
        summary: 'List who did what in the account, newest first',
        querystring: AuditQuery,
        response: { 200: AuditListReply },
      },
    },
    async (request) => ({
      object: 'list' as const,
      ...(await listAudit(contextOf(request), request.query)),
      request_id: request.id,
    }),
  )
}
