import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { errorReplies } from '../../foundation/http/openapi/errors.ts'
import type { ApiRoutes } from '../../foundation/http/server.ts'
import { rejectBody } from '../../foundation/http/validation.ts'
import type { CursorSealer } from '../../foundation/kernel/cursor-sealer.ts'
import type { IdSealer } from '../../foundation/kernel/ids.ts'
import type { Account } from '../accounts/account.ts'
import type { PlanFile } from '../accounts/plans.ts'
import { userContext } from '../auth/signed-in.ts'
import { changeAccount, createAccount, resumeAccount, suspendAccount } from './change-account.ts'
import { manageAccounts, readAccounts, reportAccount, seeAsAccount, suspendAccounts } from './context.ts'
import { describeAccount } from './describe-account.ts'
import { listAccounts } from './list-accounts.ts'
import {
  AccountChangesBody,
  AccountDetailsReply,
  AccountListBody,
  AccountListReply,
  AccountReply,
  NewAccountBody,
  SeeAsBody,
  SeeAsReply,
} from './schema.ts'
import { startSeeAs, stopSeeAs } from './see-as.ts'

export interface AccountServices {
  ids: IdSealer
  plans: PlanFile
  cursors: CursorSealer
  publicUrl: string
}

const tags = ['operator']
// Not `:account`: an operator needs no membership.
const params = Type.Object({ id: Type.String({ maxLength: 100 }) })

/** The accounts, for operators of the installation. */
export function registerAccountRoutes(api: ApiRoutes, { ids, plans, cursors, publicUrl }: AccountServices): void {
  const contextOf = (request: FastifyRequest) => ({
    ...userContext(request),
    ...{ ids, cursors, publicUrl, readPlans: async () => plans },
  })
  const reply = async (request: FastifyRequest, account: Promise<Account>) =>
    ({ object: 'account', account: reportAccount(ids, await account), request_id: request.id }) as const

  api.post(
    '/operator/accounts/search',
    {
      config: { access: readAccounts },
      schema: {
        operationId: 'listAccounts',
        tags,
        summary: 'List accounts, the newest first',
        body: AccountListBody,
        response: { 200: AccountListReply, ...errorReplies('invalid_cursor') },
      },
    },
    async (request) => ({
      object: 'list' as const,
      ...(await listAccounts(contextOf(request), request.body)),
      request_id: request.id,
    }),
  )

  api.post(
    '/operator/accounts',
    {
      config: { access: manageAccounts },
      schema: {
        operationId: 'createAccount',
        tags,
        summary: 'Create an account with a plan granted by hand',
        body: NewAccountBody,
        response: { 200: AccountReply },
      },
    },
    (request) => {
      const { trial_ends_at: trialEnds, ...input } = request.body
      const trial = trialEnds === undefined ? {} : { trialEndsAt: new Date(trialEnds) }
      return reply(request, createAccount(contextOf(request), { ...input, ...trial }))
    },
  )

  api.get(
    '/operator/accounts/:id',
    {
      config: { access: readAccounts },
      schema: {
        operationId: 'getAccount',
        tags,
        summary: 'Read an account with its usage, keys, members and last changes',
        params,
        response: { 200: AccountDetailsReply, ...errorReplies('account_not_found') },
      },
    },
    async (request) => ({
      object: 'account_details' as const,
      ...(await describeAccount(contextOf(request), request.params.id)),
      request_id: request.id,
    }),
  )

  api.patch(
    '/operator/accounts/:id',
    {
      config: { access: manageAccounts },
      schema: {
        operationId: 'changeAccount',
        tags,
        summary: 'Change plan, status, trial or limits of an account',
        params,
        body: AccountChangesBody,
        response: {
          200: AccountReply,
          ...errorReplies('account_not_found', {
            code: 'missing_parameter',
            param: 'plan',
            message: 'Name something to change, such as plan.',
          }),
        },
      },
    },
    (request) => {
      const { trial_ends_at: trialEnds, ...changes } = request.body
      const trial = trialEnds === undefined ? {} : { trialEndsAt: trialEnds === null ? null : new Date(trialEnds) }
      return reply(request, changeAccount(contextOf(request), request.params.id, { ...changes, ...trial }))
    },
  )

  api.post(
    '/operator/accounts/:id/suspend',
    {
      config: { access: suspendAccounts },
      preValidation: rejectBody,
      schema: {
        operationId: 'suspendAccount',
        tags,
        summary: 'Close the access of an account until it is resumed',
        params,
        response: { 200: AccountReply, ...errorReplies('account_not_found') },
      },
    },
    (request) => reply(request, suspendAccount(contextOf(request), request.params.id)),
  )

  api.post(
    '/operator/accounts/:id/resume',
    {
      config: { access: suspendAccounts },
      preValidation: rejectBody,
      schema: {
        operationId: 'resumeAccount',
        tags,
        summary: 'End the suspension of an account',
        params,
        response: { 200: AccountReply, ...errorReplies('account_not_found') },
      },
    },
    (request) => reply(request, resumeAccount(contextOf(request), request.params.id)),
  )

  api.post(
    '/operator/see-as',
    {
      config: { access: seeAsAccount },
      schema: {
        operationId: 'startSeeAs',
        tags,
        summary: 'Look at an account as its people see it',
        body: SeeAsBody,
        response: { 200: SeeAsReply, ...errorReplies('account_not_found') },
      },
    },
    async (request) => ({
      object: 'see_as' as const,
      account: await startSeeAs(contextOf(request), request.body.account),
      request_id: request.id,
    }),
  )

  api.delete(
    '/operator/see-as',
    {
      config: { access: seeAsAccount },
      preValidation: rejectBody,
      schema: {
        operationId: 'stopSeeAs',
        tags,
        summary: 'Stop looking at an account',
        response: { 200: SeeAsReply },
      },
    },
    async (request) => {
      await stopSeeAs(contextOf(request))
      return { object: 'see_as' as const, account: null, request_id: request.id }
    },
  )
}
