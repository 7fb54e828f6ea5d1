import type { FastifyRequest } from 'fastify'
import { errorReplies } from '../../http/openapi/openapi.ts'
import type { ApiRoutes } from '../../http/server.ts'
import { rejectBody } from '../../http/validation.ts'
import { memberContext } from '../access.ts'
import { listAudit } from './audit.ts'
import { closeAccount, renameAccount } from './close-account.ts'
import { leaveAccount } from './members/change-members.ts'
import { AccountDoneReply, AccountNameRequest, AuditListReply, AuditQuery } from './schema.ts'
import type { AccountConsoleServices } from './services.ts'

/** What concerns an account as a whole. */
export function registerAccountRoutes(api: ApiRoutes, { ids, cursors, billing }: AccountConsoleServices): void {
  const contextOf = (request: FastifyRequest) => ({ ...memberContext(request), db: request.db, ids, cursors, billing })

  api.patch(
    '/accounts/:account',
    {
      config: { console: { who: 'admin' } },
      schema: {
        operationId: 'renameAccount',
        tags: ['account'],
        summary: 'Change the name of the account',
        body: AccountNameRequest,
        response: { 200: AccountDoneReply },
      },
    },
    (request) => renameAccount(contextOf(request), request.body),
  )

  api.post(
    '/accounts/:account/leave',
    {
      config: { console: { who: 'viewer' } },
      preValidation: rejectBody,
      schema: {
        operationId: 'leaveAccount',
        tags: ['account'],
        summary: 'End the own membership',
        response: { 200: AccountDoneReply, ...errorReplies('last_owner') },
      },
    },
    (request) => leaveAccount(contextOf(request)),
  )

  api.post(
    '/accounts/:account/close',
    {
      config: { console: { who: 'owner', fresh: true } },
      preValidation: rejectBody,
      schema: {
        operationId: 'closeAccount',
        tags: ['account'],
        summary: 'Close the account for good',
        description: 'Access ends, keys and invitations are revoked. Refused while a subscription runs.',
        response: {
          200: AccountDoneReply,
          ...errorReplies('subscription_running', 'billing_provider_unavailable'),
        },
      },
    },
    (request) => closeAccount(contextOf(request)),
  )

  api.get(
    '/accounts/:account/audit',
    {
      config: { console: { who: 'admin' } },
      schema: {
        operationId: 'listAudit',
        tags: ['account'],
        summary: 'List who did what in the account, newest first',
        querystring: AuditQuery,
        response: { 200: AuditListReply, ...errorReplies('invalid_cursor', 'invalid_limit') },
      },
    },
    (request) => listAudit(contextOf(request), request.query),
  )
}
