import { type Static, Type } from 'typebox'
import { planSlugs } from '../../../customers/accounts/plans.ts'
import {
  EmailAddress,
  GivenEmailAddress,
  GivenPassword,
  NewUserName,
  RoleName,
  UserId,
  UserName,
} from '../../../customers/users/schema.ts'
import { ClosedObject, Nullable, OneOf, RequestId, Timestamp } from '../../../foundation/kernel/shapes.ts'

const AccountId = Type.String({
  pattern: '^acct_[A-Za-z]{16}$',
  maxLength: 21,
  description: 'Public id of an account.',
})
const LinkToken = Type.String({ minLength: 1, maxLength: 200, description: 'The part of a link after the #.' })
const OpenIdProvider = Nullable(ClosedObject({ name: UserName }, { description: 'The OpenID Connect provider.' }))
const SignUp = Type.Boolean({ description: 'Whether strangers may create an account.' })
const Settings = Type.Object({}, { additionalProperties: true, description: 'What the person chose; any JSON.' })

export const SessionReply = ClosedObject({
  object: Type.Literal('session'),
  person: ClosedObject({
    id: UserId,
    email: EmailAddress,
    name: UserName,
    operator: Type.Boolean({ description: 'Whether the person runs this installation.' }),
  }),
  accounts: Type.Array(
    ClosedObject({
      id: AccountId,
      name: Type.String(),
      role: RoleName,
      api_access: Type.Boolean({ description: 'Whether the plan in force gives access to data.' }),
      plan: ClosedObject({
        slug: OneOf(planSlugs),
        name: Type.String(),
        status: Type.String({ description: 'Status of the subscription.' }),
      }),
    }),
    { description: 'The accounts that the person is a member of.' },
  ),
  see_as: Nullable(
    ClosedObject(
      { account: ClosedObject({ id: AccountId, name: Type.String() }) },
      { description: 'The account that an operator looks at.' },
    ),
  ),
  signed_in_at: Timestamp('When the person last proved who they are.'),
  settings: Settings,
  features: ClosedObject({ mail: Type.Boolean(), oidc: OpenIdProvider, signup: SignUp }),
  version: Type.String({ description: 'Version of the service.' }),
  request_id: RequestId,
})
export type SessionReply = Static<typeof SessionReply>

export const SignInOptionsReply = ClosedObject({
  object: Type.Literal('sign_in_options'),
  mail: Type.Boolean({ description: 'Whether the service sends mail.' }),
  oidc: OpenIdProvider,
  signup: SignUp,
  passkeys: Type.Boolean({ description: 'Whether passkeys work at this address: they need a host name.' }),
  privacy_contact: Nullable(Type.String({ description: 'Whom to write to about personal data.' })),
  first_operator_missing: Type.Boolean({ description: 'Whether nobody can run this installation yet.' }),
  request_id: RequestId,
})
export type SignInOptionsReply = Static<typeof SignInOptionsReply>

export const SignInRequest = ClosedObject({ email: GivenEmailAddress, password: GivenPassword })
export const ReauthenticationRequest = ClosedObject({ password: GivenPassword })
export const LinkRequest = ClosedObject({ token: LinkToken })
export const LinkPasswordRequest = ClosedObject({
  token: LinkToken,
  password: GivenPassword,
  name: Type.Optional(NewUserName),
})
export const LinkReply = ClosedObject({
  object: Type.Literal('link'),
  purpose: OneOf(['sign_in', 'set_password', 'invitation', 'sign_up'], {
    description: 'What the link is for. `sign_in`: it signs the person in; once opened, it is used up.',
  }),
  email: EmailAddress,
  name: Nullable(UserName),
  account: Nullable(
    ClosedObject(
      { name: Type.String(), role: RoleName },
      { description: 'The account that an invitation is for, or that a sign-up creates.' },
    ),
  ),
  needs_name: Type.Boolean({ description: 'Whether a name has to be sent with a password.' }),
  needs_sign_in: Type.Boolean({
    description:
      'An invitation: whoever has an account signs in, and then opens the link again; others send a name and a password. Whether the address has an account is told to nobody else.',
  }),
  request_id: RequestId,
})
export type LinkReply = Static<typeof LinkReply>

export const SettingsRequest = ClosedObject({ settings: Settings })

export const PasswordLinkRequest = ClosedObject({ email: GivenEmailAddress })
export const SignUpRequest = ClosedObject({
  email: GivenEmailAddress,
  name: NewUserName,
  account_name: NewUserName,
})
