import { type Static, Type } from 'typebox'
import { listParameters, RecordList } from '../../foundation/kernel/list-pages.ts'
import { ClosedObject, Count, Nullable, OneOf, RequestId, Timestamp } from '../../foundation/kernel/shapes.ts'
import { accountStates, knownStatuses } from '../accounts/account.ts'
import { maxCounterValue, overridableMeters, planSlugs } from '../accounts/plans.ts'
import type { ActorKind } from '../auth/actor.ts'
import { roles } from '../auth/roles.ts'
import { billingIntervals } from '../billing/provider.ts'
import { NewUserName, UserId } from '../users/schema.ts'

const Id = (prefix: string) => Type.String({ pattern: `^${prefix}_[A-Za-z]{16}$`, maxLength: 24 })
const Word = Type.String({ maxLength: 64 })
const Plan = OneOf(planSlugs, { errorCode: 'invalid_plan' })
const Billing = OneOf(billingIntervals, { errorCode: 'invalid_billing' })
const Name = Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' })

/** In the body and not in the address: a part of an email address may be searched. */
export const AccountListBody = ClosedObject({
  search: Type.Optional(Type.String({ maxLength: 200, description: 'A part of the name or email address, or an id.' })),
  plan: Type.Optional(Plan),
  status: Type.Optional(OneOf([...knownStatuses, ...accountStates])),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, default: 25, description: 'Rows per page.', errorCode: 'invalid_limit' }),
  ),
  cursor: listParameters.cursor,
})
export type AccountListBody = Static<typeof AccountListBody>

const accountFields = {
  id: Id('acct'),
  name: Type.String(),
  email: Nullable(Type.String()),
  plan: Plan,
  status: Word,
  billing: Nullable(Billing),
  trial_ends_at: Nullable(Timestamp('End of its trial.')),
  period_start: Timestamp('The anchor of its monthly periods.'),
  api_access: Type.Boolean(),
  suspended_at: Nullable(Timestamp('When an operator suspended it.')),
  closed_at: Nullable(Timestamp('When it was closed.')),
  limits: Type.Record(Type.String(), Count('An override of the plan.')),
  created_at: Timestamp('When it was created.'),
}

const AccountReport = ClosedObject(accountFields)
/** An account as operators see it. */
export type AccountReport = Static<typeof AccountReport>

export const AccountListReply = RecordList(
  ClosedObject({ ...accountFields, members: Count('Its members.'), keys: Count('Its keys that were not revoked.') }),
)
export type AccountListReply = Static<typeof AccountListReply>

export const AccountReply = ClosedObject({
  object: Type.Literal('account'),
  account: AccountReport,
  request_id: RequestId,
})
export type AccountReply = Static<typeof AccountReply>

export const NewAccountBody = ClosedObject({
  name: Name,
  email: Type.Optional(Type.String({ maxLength: 254 })),
  plan: Type.Optional(Plan),
  billing: Type.Optional(Billing),
  trial_ends_at: Type.Optional(Timestamp('Starts a trial that ends then.')),
})
export type NewAccountBody = Static<typeof NewAccountBody>

export const AccountChangesBody = ClosedObject({
  plan: Type.Optional(Plan),
  status: Type.Optional(OneOf(knownStatuses)),
  billing: Type.Optional(Billing),
  trial_ends_at: Type.Optional(Nullable(Timestamp('Null ends the trial.'))),
  limits: Type.Optional(
    ClosedObject(
      Object.fromEntries(
        overridableMeters.map((meter) => [
          meter,
          Type.Optional(Nullable(Type.Integer({ minimum: 0, maximum: maxCounterValue }))),
        ]),
      ),
      { description: 'Null removes an override.' },
    ),
  ),
})
export type AccountChangesBody = Static<typeof AccountChangesBody>

const MeterLine = ClosedObject({
  mode: OneOf(['live', 'test']),
  meter: OneOf(['contact_credits', 'store_exports', 'search_rows', 'api_requests']),
  used: Count('Used in the period.'),
  limit: Count('The limit in force.'),
  remaining: Count('Left in the period.'),
  period_end: Timestamp('End of the period.'),
})

const KeyLine = ClosedObject({
  id: Id('key'),
  name: Type.String(),
  mode: OneOf(['live', 'test']),
  display: Type.String({ description: 'The first and last characters.' }),
  status: OneOf(['active', 'suspended', 'expired', 'revoked']),
  scopes: Type.Array(Word),
  created_at: Timestamp('When it was created.'),
  last_used_at: Nullable(Timestamp('Precise to the hour.')),
})

const MemberLine = ClosedObject({
  id: Id('per'),
  email: Type.String(),
  name: Type.String(),
  role: OneOf(roles),
  added_at: Timestamp('Since when.'),
})

const AuditLine = ClosedObject({
  entry: Count('Number of the entry.'),
  at: Timestamp('When.'),
  person: Nullable(ClosedObject({ id: Id('per'), name: Type.String() })),
  action: Word,
  target: Nullable(Type.String()),
  details: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()])),
  address: Nullable(Type.String({ description: 'The network address.' })),
})

export const AccountDetailsReply = ClosedObject({
  object: Type.Literal('account_details'),
  account: AccountReport,
  /** The limits in force. */
  limits: Type.Record(Type.String(), Count('A limit in force.')),
  billing: ClosedObject({
    has_customer: Type.Boolean(),
    has_subscription: Type.Boolean(),
    cancel_at_period_end: Type.Boolean(),
    current_period_end: Nullable(Timestamp('End of the paid period.')),
    problem: Nullable(Word),
  }),
  usage: Type.Array(MeterLine),
  keys: Type.Array(KeyLine),
  members: Type.Array(MemberLine),
  audit: Type.Array(AuditLine),
  request_id: RequestId,
})
export type AccountDetailsReply = Static<typeof AccountDetailsReply>

export const SeeAsBody = ClosedObject({ account: Type.String({ maxLength: 100 }) })

export const SeeAsReply = ClosedObject({
  object: Type.Literal('see_as'),
  account: Nullable(ClosedObject({ id: Id('acct'), name: Type.String() })),
  request_id: RequestId,
})
export type SeeAsReply = Static<typeof SeeAsReply>

const DisplayName = Type.String({ maxLength: 200 })
export const AccountNameRequest = ClosedObject({ name: NewUserName })

export const AuditQuery = ClosedObject({
  ...listParameters,
  person: Type.Optional(Type.String({ maxLength: 20, description: 'Only what this person did.' })),
  subject: Type.Optional(
    Type.String({ pattern: '^[a-z_]+$', maxLength: 40, description: 'Only actions on this kind of thing: `key`.' }),
  ),
})
export type AuditQuery = Static<typeof AuditQuery>

export const AuditListReply = RecordList(
  ClosedObject({
    object: Type.Literal('audit_entry'),
    id: Type.String({ pattern: '^\\d+$', maxLength: 20 }),
    at: Timestamp('When it happened.'),
    action: Type.String({ maxLength: 100, description: '`noun.past_verb`, such as `key.created`.' }),
    person: Nullable(
      ClosedObject(
        { id: UserId, name: Nullable(DisplayName), email: Nullable(Type.String()) },
        {
          description:
            'Who did it; null for the command line and for an operator of the installation. Without a name: somebody who was removed.',
        },
      ),
    ),
    by_operator: Type.Boolean({ description: 'Whether an operator of the installation did it.' }),
    actor: Nullable(
      OneOf(['key', 'member', 'person', 'operator', 'visitor', 'command', 'system'] satisfies ActorKind[], {
        description: 'Through which door it came; null for entries from before this was recorded.',
      }),
    ),
    key: Nullable(
      ClosedObject(
        { id: Id('key'), name: Nullable(DisplayName) },
        { description: 'The API key that did it; null for all others.' },
      ),
    ),
    target: Nullable(ClosedObject({ id: Type.String({ maxLength: 100 }), name: Nullable(DisplayName) })),
    details: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()])),
    address: Nullable(
      Type.String({
        maxLength: 100,
        description:
          'The network address, after thirty days its network; null for an operator and for somebody who was removed.',
      }),
    ),
  }),
)
export type AuditListReply = Static<typeof AuditListReply>
