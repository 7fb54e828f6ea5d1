import { type Static, Type } from 'typebox'
import { listParameters, RecordList } from '../../foundation/kernel/list-pages.ts'
import { ClosedObject, linePattern, Nullable, OneOf, RequestId, Timestamp } from '../../foundation/kernel/shapes.ts'
import { maxCounterValue } from '../accounts/plans.ts'
import { defaultScopes, scopes } from '../auth/caller.ts'
import { BudgetFigures } from '../usage/schema.ts'

const Scope = OneOf(scopes)
const Mode = Type.Union([Type.Literal('live'), Type.Literal('test')])

const keyFields = {
  id: Type.String({ pattern: '^key_[A-Za-z]{16}$', maxLength: 20, examples: ['key_RtWqLzXcVbNmPkJh'] }),
  name: Type.String({ maxLength: 200 }),
  mode: Mode,
  display: Type.String({ maxLength: 40, description: 'The first and last characters of the secret.' }),
  status: OneOf(['active', 'suspended', 'expired', 'revoked']),
  scopes: Type.Array(Scope, { maxItems: scopes.length }),
  created_at: Timestamp('When it was created.'),
  last_used_at: Nullable(Timestamp('Precise to the hour; null for a key that was never used.')),
  expires_at: Nullable(Timestamp('When it stops to work; null for never.')),
  suspended_at: Nullable(Timestamp('Since when it is suspended.')),
  revoked_at: Nullable(Timestamp('When it was revoked.')),
  budget: ClosedObject(
    {
      contact_credits: Nullable(BudgetFigures),
      store_exports: Nullable(BudgetFigures),
      search_rows: Nullable(BudgetFigures),
    },
    { description: 'What it may spend of its own in each period; null for what it has no budget of.' },
  ),
}

const KeyItem = ClosedObject(keyFields)
/** A key as a list of its account shows it. */
export type KeyItem = Static<typeof KeyItem>

export const KeyList = RecordList(KeyItem)
export const KeyReply = ClosedObject({ object: Type.Literal('key'), ...keyFields, request_id: RequestId })

const Secret = Type.String({ maxLength: 100, description: 'The key itself. It is shown only in this reply.' })
export const NewKeyReply = ClosedObject({
  object: Type.Literal('new_key'),
  key: KeyItem,
  secret: Secret,
  request_id: RequestId,
})
export const RotatedKeyReply = ClosedObject({
  object: Type.Literal('rotated_key'),
  key: KeyItem,
  secret: Secret,
  replaced: KeyItem,
  request_id: RequestId,
})

export const KeyListQuery = ClosedObject({
  state: Type.Optional(
    Type.Union([Type.Literal('usable'), Type.Literal('ended')], {
      description: 'usable: active or suspended; ended: expired or revoked. Default: all.',
    }),
  ),
  ...listParameters,
})
export type KeyListQuery = Static<typeof KeyListQuery>

const Budget = Type.Optional(
  Nullable(Type.Integer({ minimum: 0, maximum: maxCounterValue, description: 'The budget; null for none.' })),
)
const BudgetRequest = ClosedObject({ contact_credits: Budget, store_exports: Budget, search_rows: Budget })

export const KeyBudgetRequest = ClosedObject({
  budget: { ...BudgetRequest, description: 'New budgets; a meter that is missing keeps its own, null removes it.' },
})
export type KeyBudgetRequest = Static<typeof KeyBudgetRequest>

export const KeyScopesRequest = ClosedObject({
  scopes: Type.Array(Scope, {
    minItems: 1,
    maxItems: scopes.length,
    uniqueItems: true,
    description: 'All scopes that the key has from now on.',
  }),
})
export type KeyScopesRequest = Static<typeof KeyScopesRequest>

export const NewKeyRequest = ClosedObject({
  name: Type.String({
    minLength: 1,
    maxLength: 200,
    pattern: linePattern,
  }),
  mode: Type.Optional({ ...Mode, default: 'live' }),
  scopes: Type.Optional(
    Type.Array(Scope, {
      minItems: 1,
      maxItems: scopes.length,
      uniqueItems: true,
      description: `Default: ${defaultScopes.join(', ')}.`,
    }),
  ),
  expires_at: Type.Optional(Nullable(Timestamp('When it stops to work; null for never.'))),
  budget: Type.Optional({ ...BudgetRequest, description: 'What it may spend of each meter in a period.' }),
})
export type NewKeyRequest = Static<typeof NewKeyRequest>

const maxOverlapSeconds = 90 * 86_400
export const RotateKeyRequest = ClosedObject({
  overlap_seconds: Type.Integer({
    minimum: 0,
    maximum: maxOverlapSeconds,
    description: 'How long the old key still works.',
  }),
})
export type RotateKeyRequest = Static<typeof RotateKeyRequest>
