import { Type } from 'typebox'
import { personContext } from '../../auth/signed-in.ts'
import { errorReplies } from '../../http/openapi/errors.ts'
import type { ApiRoutes } from '../../http/server.ts'
import { rejectBody } from '../../http/validation.ts'
import {
  type AccountServices,
  changeOperatorAccount,
  changeOperatorSuspension,
  createOperatorAccount,
  describeAccount,
  listOperatorAccounts,
} from './accounts.ts'
import {
  AccountChangesBody,
  AccountDetailsReply,
  AccountListBody,
  AccountListReply,
  AccountReply,
  NewAccountBody,
  SeeAsBody,
  SeeAsReply,
} from './accounts-schema.ts'
import { startSeeAs, stopSeeAs } from './see-as.ts'

const config = { access: { operator: true, kind: 'read' } } as const
const tags = ['operator']
// Not `:account`: an operator needs no membership.
const params = Type.Object({ id: Type.String({ maxLength: 100 }) })

export function registerOperatorAccountRoutes(api: ApiRoutes, services: AccountServices): void {
  const { ids } = services

  api.post(
    '/operator/accounts/search',
    {
      config,
      schema: {
        operationId: 'listAccounts',
        tags,
        summary: 'List accounts, the newest first',
        body: AccountListBody,
        response: { 200: AccountListReply, ...errorReplies('invalid_cursor') },
      },
    },
    (request) => listOperatorAccounts(personContext(request), services, request.body),
  )

  api.post(
    '/operator/accounts',
    {
      config,
      schema: {
        operationId: 'createAccount',
        tags,
        summary: 'Create an account with a plan granted by hand',
        body: NewAccountBody,
        response: { 200: AccountReply },
      },
    },
    (request) => createOperatorAccount(personContext(request), services, request.body),
  )

  api.get(
    '/operator/accounts/:id',
    {
      config,
      schema: {
        operationId: 'getAccount',
        tags,
        summary: 'Read an account with its usage, keys, members and last changes',
        params,
        response: { 200: AccountDetailsReply, ...errorReplies('account_not_found') },
      },
    },
    (request) => describeAccount(personContext(request), services, request.params.id),
  )

  api.patch(
    '/operator/accounts/:id',
    {
      config,
      schema: {
        operationId: 'changeAccount',
        tags,
        summary: 'Change plan, status, trial or limits of an account',
        params,
        body: AccountChangesBody,
        response: { 200: AccountReply, ...errorReplies('account_not_found') },
      },
    },
    (request) => changeOperatorAccount(personContext(request), services, request.params.id, request.body),
  )

  api.post(
    '/operator/accounts/:id/suspend',
    {
      config,
      preValidation: rejectBody,
      schema: {
        operationId: 'suspendAccount',
        tags,
        summary: 'Close the access of an account until it is resumed',
        params,
        response: { 200: AccountReply, ...errorReplies('account_not_found') },
      },
    },
    (request) => changeOperatorSuspension(personContext(request), services, request.params.id, true),
  )

  api.post(
    '/operator/accounts/:id/resume',
    {
      config,
      preValidation: rejectBody,
      schema: {
        operationId: 'resumeAccount',
        tags,
        summary: 'End the suspension of an account',
        params,
        response: { 200: AccountReply, ...errorReplies('account_not_found') },
      },
    },
    (request) => changeOperatorSuspension(personContext(request), services, request.params.id, false),
  )

  api.post(
    '/operator/see-as',
    {
      config,
      schema: {
        operationId: 'startSeeAs',
        tags,
        summary: 'Look at an account as its people see it',
        body: SeeAsBody,
        response: { 200: SeeAsReply, ...errorReplies('account_not_found') },
      },
    },
    (request) => startSeeAs(personContext(request), ids, request.body.account),
  )

  api.delete(
    '/operator/see-as',
    {
      config,
      preValidation: rejectBody,
      schema: {
        operationId: 'stopSeeAs',
        tags,
        summary: 'Stop looking at an account',
        response: { 200: SeeAsReply },
      },
    },
    (request) => stopSeeAs(personContext(request), ids),
  )
}
