import type { FastifyRequest } from 'fastify'
import { memberContext } from '../../auth/signed-in.ts'
import { errorReplies } from '../../http/openapi/openapi.ts'
import type { ApiRoutes } from '../../http/server.ts'
import { rejectBody } from '../../http/validation.ts'
import { listAudit } from './audit.ts'
import { closeAccount, renameAccount } from './close-account.ts'
import { leaveAccount } from './members/change-members.ts'
import { AccountDoneReply, AccountNameRequest, AuditListReply, AuditQuery } from './schema.ts'
import type { AccountConsoleServices } from './services.ts'

/** What concerns an account as a whole. */
export function registerAccountRoutes(api: ApiRoutes, { ids, cursors, billing }: AccountConsoleServices): void {
  const contextOf = (request: FastifyRequest) => ({ ...memberContext(request), db: request.db, ids, cursors, billing })

  api.patch(
    '/',
    {
      config: { access: { member: { role: 'admin' }, kind: 'edit' } },
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
    '/leave',
    {
      config: { access: { member: { role: 'viewer' }, kind: 'edit' } },
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
    '/close',
    {
      config: { access: { member: { role: 'owner' }, kind: 'powerful' } },
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
    '/audit',
    {
      config: { access: { member: { role: 'admin' }, kind: 'read' } },
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
