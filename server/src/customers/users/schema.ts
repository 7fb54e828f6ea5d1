import { type Static, Type } from 'typebox'
import { ClosedObject, Nullable, OneOf, RequestId, Timestamp } from '../../foundation/kernel/shapes.ts'
import { roles } from '../auth/roles.ts'

export const UserId = Type.String({
  pattern: '^per_[A-Za-z]{16}$',
  maxLength: 20,
  description: 'Public id of a person.',
})
export const UserName = Type.String({ maxLength: 200, description: 'How the person is called.' })
/** The address of a user as given; `requireUserAddress` reads it. */
export const GivenEmailAddress = Type.String({
  minLength: 3,
  maxLength: 254,
  pattern: "^\\s*[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9.-]+\\s*$",
  description: 'A plain email address, without a name or brackets; upper and lower case are the same.',
  examples: ['mara@aurora.example'],
})
export const EmailAddress = Type.String({
  minLength: 3,
  maxLength: 254,
  pattern: '^\\s*[^\\s@\\u0000-\\u001f]+@[^\\s@\\u0000-\\u001f]+\\s*$',
  description: 'Email address; upper and lower case are the same.',
  examples: ['mara@aurora.example'],
})
export const NewUserName = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '^[^\\u0000-\\u001f]*[^\\s\\u0000-\\u001f][^\\u0000-\\u001f]*$',
  description: 'How the person is called.',
})
export const GivenPassword = Type.String({ minLength: 1, maxLength: 1000, description: 'A password.' })
export const RoleName = OneOf(roles, { description: 'What the person may do in the account.' })

/** A list that is given as a whole. */
const WholeList = <T extends Parameters<typeof Type.Array>[0]>(item: T, maxItems: number) =>
  ClosedObject({
    object: Type.Literal('list'),
    data: Type.Array(item, { maxItems }),
    has_more: Type.Literal(false),
    next_cursor: Type.Null(),
    request_id: RequestId,
  })

/** The reply of such a list. */
export function wholeList<T>(requestId: string, data: T[]) {
  return { object: 'list', data, has_more: false, next_cursor: null, request_id: requestId } as const
}

const DisplayName = Type.String({ maxLength: 200 })
const InvitationId = Type.String({ pattern: '^inv_[A-Za-z]{16}$', maxLength: 20 })

export const MemberListReply = WholeList(
  ClosedObject({
    object: Type.Literal('member'),
    id: UserId,
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
    invited_by: Nullable(ClosedObject({ id: UserId, name: DisplayName })),
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

export const ProfileRequest = ClosedObject({ name: NewUserName })
export const NewPasswordRequest = ClosedObject({ password: GivenPassword })

export const MemberParams = ClosedObject({ person: Type.String({ maxLength: 100 }) })
export const InvitationParams = ClosedObject({ invitation: Type.String({ maxLength: 100 }) })
export const SessionParams = ClosedObject({ session: Type.String({ maxLength: 100 }) })
