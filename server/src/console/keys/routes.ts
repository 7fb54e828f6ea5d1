import { Type } from 'typebox'
import type { PlanFile } from '../../accounts/plans.ts'
import { memberContext } from '../../auth/signed-in.ts'
import { errorReplies } from '../../http/openapi/openapi.ts'
import type { ApiRoutes } from '../../http/server.ts'
import { rejectBody } from '../../http/validation.ts'
import type { CursorSealer } from '../../kernel/cursor.ts'
import type { IdSealer } from '../../kernel/ids.ts'
import { ClosedObject } from '../../kernel/shapes.ts'
import {
  resumeAccountKey,
  revokeAccountKey,
  setAccountKeyBudget,
  setAccountKeyScopes,
  suspendAccountKey,
  undoKeyRevocation,
} from './change-key.ts'
import { createAccountKey, rotateAccountKey } from './create-key.ts'
import { listAccountKeys } from './list-keys.ts'
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

export interface KeysConsoleServices {
  ids: IdSealer
  cursors: CursorSealer
  plans: PlanFile
  publicUrl: string
}

const KeyParams = ClosedObject({ key: Type.String({ maxLength: 100 }) })

const changes = [
  ['revoke', 'revokeKey', 'Revoke a key', revokeAccountKey, []],
  [
    'revoke/undo',
    'undoKeyRevocation',
    'Undo the revocation of a key within 15 seconds',
    undoKeyRevocation,
    ['revocation_final'],
  ],
  ['suspend', 'suspendKey', 'Disable a key until it is resumed', suspendAccountKey, ['key_not_active']],
  ['resume', 'resumeKey', 'Enable a suspended key', resumeAccountKey, ['key_not_active']],
] as const

export function registerKeysConsoleRoutes(
  api: ApiRoutes,
  { ids, cursors, plans, publicUrl }: KeysConsoleServices,
): void {
  const services = { ids, readPlans: async () => plans }
  api.get(
    '/keys',
    {
      config: { access: { member: { role: 'viewer' }, kind: 'read' } },
      schema: {
        operationId: 'listKeys',
        tags: ['keys'],
        summary: 'List API keys, newest first',
        querystring: KeyListQuery,
        response: { 200: KeyList, ...errorReplies('invalid_cursor', 'invalid_limit') },
      },
    },
    (request) => listAccountKeys({ ...memberContext(request), ...services, cursors }, request.query),
  )

  api.post(
    '/keys',
    {
      config: { access: { member: { role: 'admin', needsAccess: true }, kind: 'powerful' } },
      schema: {
        operationId: 'createKey',
        tags: ['keys'],
        summary: 'Create an API key',
        description: 'The reply is the only place where its secret is ever shown.',
        body: NewKeyRequest,
        response: { 200: NewKeyReply, ...errorReplies('too_many_keys') },
      },
    },
    (request) => createAccountKey({ ...memberContext(request), ...services, publicUrl }, request.body),
  )

  api.post(
    '/keys/:key/rotate',
    {
      config: { access: { member: { role: 'admin' }, kind: 'powerful' } },
      schema: {
        operationId: 'rotateKey',
        tags: ['keys'],
        summary: 'Replace an API key by a new one',
        params: KeyParams,
        body: RotateKeyRequest,
        response: { 200: RotatedKeyReply, ...errorReplies('key_not_found', 'key_not_active', 'too_many_keys') },
      },
    },
    (request) => rotateAccountKey({ ...memberContext(request), ...services }, request.params.key, request.body),
  )

  api.post(
    '/keys/:key/budget',
    {
      config: { access: { member: { role: 'admin' }, kind: 'edit' } },
      schema: {
        operationId: 'setKeyBudget',
        tags: ['keys'],
        summary: 'Change what an API key may spend in a period',
        description:
          'Keys that replaced one another share their budgets. What the key has spent in the period counts; what its running exports have reserved stays promised.',
        params: KeyParams,
        body: KeyBudgetRequest,
        response: { 200: KeyReply, ...errorReplies('key_not_found', 'key_not_active') },
      },
    },
    (request) => setAccountKeyBudget({ ...memberContext(request), ...services }, request.params.key, request.body),
  )

  api.post(
    '/keys/:key/scopes',
    {
      config: { access: { member: { role: 'admin' }, kind: 'powerful' } },
      schema: {
        operationId: 'setKeyScopes',
        tags: ['keys'],
        summary: 'Change the scopes of an API key',
        description:
          'Scopes can be taken away at any time, and added under the rules of a new key: the account needs access, and only an owner adds to a key with billing:manage. The next request of the key is decided by them.',
        params: KeyParams,
        body: KeyScopesRequest,
        response: {
          200: KeyReply,
          ...errorReplies('key_not_found', 'key_not_active'),
        },
      },
    },
    (request) =>
      setAccountKeyScopes({ ...memberContext(request), ...services, publicUrl }, request.params.key, request.body),
  )

  for (const [path, operationId, summary, change, refusals] of changes) {
    api.post(
      `/keys/:key/${path}`,
      {
        config: { access: { member: { role: 'admin' }, kind: 'edit' } },
        preHandler: rejectBody,
        schema: {
          operationId,
          tags: ['keys'],
          summary,
          params: KeyParams,
          response: { 200: KeyReply, ...errorReplies('key_not_found', ...refusals) },
        },
      },
      (request) => change({ ...memberContext(request), ...services }, request.params.key),
    )
  }
}
