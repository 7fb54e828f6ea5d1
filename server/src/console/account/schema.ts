import { type Static, Type } from 'typebox'
import { listParameters, RecordList } from '../../delivery/list-pages.ts'
import { ClosedObject, Nullable, OneOf, RequestId, Timestamp } from '../../kernel/shapes.ts'
import {
  DoneReply,
  EmailAddress,
  GivenEmailAddress,
  GivenPassword,
  NewPersonName,
  PersonId,
  RoleName,
} from '../session/schema.ts'

export const AccountDoneReply = DoneReply
export type AccountDoneReply = Static<typeof DoneReply>

/** A list that is given as a whole. */
const WholeList = <T extends Parameters<typeof Type.Array>[0]>(item: T, maxItems: number) =>
  ClosedObject({
    object: Type.Literal('list'),
    data: Type.Array(item, { maxItems }),
    has_more: Type.Literal(false),
    next_cursor: Type.Null(),
    request_id: RequestId,
  })

const DisplayName = Type.String({ maxLength: 200 })
const InvitationId = Type.String({ pattern: '^inv_[A-Za-z]{16}$', maxLength: 20 })

export const MemberListReply = WholeList(
  ClosedObject({
    object: Type.Literal('member'),
    id: PersonId,
    name: DisplayName,
    email: EmailAddress,
    role: RoleName,
    added_at: Timestamp('When the person became a member.'),
    is_you: Type.Boolean({ description: 'Whether it is the person who asks.' }),
  }),
  500,
)
export type MemberListReply = Static<typeof MemberListReply>

export const RoleRequest = ClosedObject({ role: RoleName })

export const InvitationListReply = WholeList(
  ClosedObject({
    object: Type.Literal('invitation'),
    id: InvitationId,
    email: EmailAddress,
    role: RoleName,
    created_at: Timestamp('When it was first sent.'),
    expires_at: Timestamp('Until when its link works.'),
    is_expired: Type.Boolean(),
    invited_by: Nullable(ClosedObject({ id: PersonId, name: DisplayName })),
  }),
  100,
)
export type InvitationListReply = Static<typeof InvitationListReply>

export const InvitationRequest = ClosedObject({ email: GivenEmailAddress, role: RoleName })

export const SentInvitationReply = ClosedObject({
  object: Type.Literal('invitation'),
  id: InvitationId,
  email: EmailAddress,
  role: RoleName,
  expires_at: Timestamp('Until when its link works.'),
  delivery: OneOf(['mail', 'link'], { description: 'How the link reaches the person.' }),
  link: Nullable(
    Type.String({ maxLength: 4096, description: 'Shown once, where no mail is set up: pass it on to the person.' }),
  ),
  request_id: RequestId,
})
export type SentInvitationReply = Static<typeof SentInvitationReply>

export const SessionListReply = WholeList(
  ClosedObject({
    object: Type.Literal('person_session'),
    id: Type.String({ pattern: '^ses_[A-Za-z]{16}$', maxLength: 20 }),
    device: Type.String({ maxLength: 100, description: 'What the browser says it is.' }),
    address: Type.String({ maxLength: 100, description: 'The network address at its beginning.' }),
    created_at: Timestamp('When the person signed in.'),
    last_seen_at: Timestamp('When it was last used, to the minute.'),
    is_current: Type.Boolean(),
  }),
  100,
)
export type SessionListReply = Static<typeof SessionListReply>

export const ProfileRequest = ClosedObject({ name: NewPersonName })
export const NewPasswordRequest = ClosedObject({ password: GivenPassword })
export const AccountNameRequest = ClosedObject({ name: NewPersonName })

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
        { id: PersonId, name: Nullable(DisplayName), email: Nullable(Type.String()) },
        {
          description:
            'Who did it; null for the command line and for an operator of the installation. Without a name: somebody who was removed.',
        },
      ),
    ),
    by_operator: Type.Boolean({ description: 'Whether an operator of the installation did it.' }),
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

export const MemberParams = ClosedObject({ person: Type.String({ maxLength: 100 }) })
export const InvitationParams = ClosedObject({ invitation: Type.String({ maxLength: 100 }) })
export const SessionParams = ClosedObject({ session: Type.String({ maxLength: 100 }) })
