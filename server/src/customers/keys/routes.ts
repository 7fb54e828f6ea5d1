import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { errorReplies } from '../../foundation/http/openapi/errors.ts'
import type { ApiRoutes } from '../../foundation/http/server.ts'
import { rejectBody } from '../../foundation/http/validation.ts'
import type { CursorSealer } from '../../foundation/kernel/cursor-sealer.ts'
import type { IdSealer } from '../../foundation/kernel/ids.ts'
import { ClosedObject } from '../../foundation/kernel/shapes.ts'
import type { PlanFile } from '../accounts/plans.ts'
import { memberContext } from '../auth/signed-in.ts'
import { resumeKey, revokeKey, setKeyLimits, suspendKey, undoKeyRevocation } from './change-key.ts'
import { createKeys, limitKeys, manageKeys, readKeys } from './context.ts'
import { createKey, rotateKey } from './create-key.ts'
import { listKeys } from './list-keys.ts'
import type { KeyReport } from './report-keys.ts'
import {
  KeyBudgetRequest,
  KeyList,
  KeyListQuery,
  KeyReply,
  KeyScopesRequest,
  NewKeyReply,
  NewKeyRequest,
  RotatedKeyReply,
  RotateKeyRequest,
} from './schema.ts'

export interface KeysServices {
  ids: IdSealer
  cursors: CursorSealer
  plans: PlanFile
  publicUrl: string
}

const params = ClosedObject({ key: Type.String({ maxLength: 100 }) })
const tags = ['keys']

const changes = [
  ['revoke', 'revokeKey', 'Revoke a key', revokeKey, []],
  [
    'revoke/undo',
    'undoKeyRevocation',
    'Undo the revocation of a key within 15 seconds',
    undoKeyRevocation,
    ['revocation_final'],
  ],
  ['suspend', 'suspendKey', 'Disable a key until it is resumed', suspendKey, ['key_not_active']],
  ['resume', 'resumeKey', 'Enable a suspended key', resumeKey, ['key_not_active']],
] as const

export function registerKeyRoutes(api: ApiRoutes, { ids, cursors, plans, publicUrl }: KeysServices): void {
  const contextOf = (request: FastifyRequest) => ({
    ...memberContext(request),
    ...{ ids, cursors, publicUrl, readPlans: async () => plans },
  })
  const reply = async (request: FastifyRequest, key: Promise<KeyReport>) =>
    ({ object: 'key', ...(await key), request_id: request.id }) as const

  api.get(
    '/keys',
    {
      config: { access: readKeys },
      schema: {
        operationId: 'listKeys',
        tags,
        summary: 'List API keys, newest first',
        querystring: KeyListQuery,
        response: { 200: KeyList },
      },
    },
    async (request) => {
      const ctx = contextOf(request)
      return {
        object: 'list' as const,
        ...(await listKeys(ctx, ctx.account.id, request.query)),
        request_id: request.id,
      }
    },
  )

  api.post(
    '/keys',
    {
      config: { access: createKeys },
      schema: {
        operationId: 'createKey',
        tags,
        summary: 'Create an API key',
        description: 'The reply is the only place where its secret is ever shown.',
        body: NewKeyRequest,
        response: { 200: NewKeyReply, ...errorReplies('too_many_keys') },
      },
    },
    async (request) => {
      const ctx = contextOf(request)
      return {
        object: 'new_key' as const,
        ...(await createKey(ctx, ctx.account.id, request.body)),
        request_id: request.id,
      }
    },
  )

  api.post(
    '/keys/:key/rotate',
    {
      config: { access: manageKeys },
      schema: {
        operationId: 'rotateKey',
        tags,
        summary: 'Replace an API key by a new one',
        params,
        body: RotateKeyRequest,
        response: { 200: RotatedKeyReply, ...errorReplies('key_not_found', 'key_not_active', 'too_many_keys') },
      },
    },
    async (request) => ({
      object: 'rotated_key' as const,
      ...(await rotateKey(contextOf(request), request.params.key, request.body)),
      request_id: request.id,
    }),
  )

  api.post(
    '/keys/:key/budget',
    {
      config: { access: limitKeys },
      schema: {
        operationId: 'setKeyBudget',
        tags,
        summary: 'Change what an API key may spend in a period',
        description:
          'Keys that replaced one another share their budgets. What the key has spent in the period counts; what its running exports have reserved stays promised. Raising or removing a budget needs a sign-in within ten minutes.',
        params,
        body: KeyBudgetRequest,
        response: { 200: KeyReply, ...errorReplies('key_not_found', 'key_not_active', 'fresh_sign_in_required') },
      },
    },
    (request) => reply(request, setKeyLimits(contextOf(request), request.params.key, request.body)),
  )

  api.post(
    '/keys/:key/scopes',
    {
      config: { access: limitKeys },
      schema: {
        operationId: 'setKeyScopes',
        tags,
        summary: 'Change the scopes of an API key',
        description:
          'Scopes can be taken away at any time, and added under the rules of a new key: the sign-in is within ten minutes, the account needs access, and only an owner adds to a key with billing:manage. The next request of the key is decided by them.',
        params,
        body: KeyScopesRequest,
        response: { 200: KeyReply, ...errorReplies('key_not_found', 'key_not_active', 'fresh_sign_in_required') },
      },
    },
    (request) => reply(request, setKeyLimits(contextOf(request), request.params.key, request.body)),
  )

  for (const [path, operationId, summary, change, refusals] of changes) {
    api.post(
      `/keys/:key/${path}`,
      {
        config: { access: limitKeys },
        preHandler: rejectBody,
        schema: {
          operationId,
          tags,
          summary,
          params,
          response: { 200: KeyReply, ...errorReplies('key_not_found', ...refusals) },
        },
      },
      (request) => reply(request, change(contextOf(request), request.params.key)),
    )
  }
}
