import { Type } from 'typebox'
import { NewUserName } from '../../../customers/users/schema.ts'
import { ClosedObject, Nullable, RequestId, Timestamp } from '../../../foundation/kernel/shapes.ts'

const Base64Url = (maxLength: number) => Type.String({ pattern: '^[A-Za-z0-9_-]+$', maxLength })
const Attachment = Type.Optional(Type.String({ maxLength: 50 }))
const Extensions = Type.Object({}, { additionalProperties: true, description: 'What extensions said; not used.' })

const credential = {
  id: Base64Url(1_400),
  rawId: Base64Url(1_400),
  type: Type.Literal('public-key'),
  clientExtensionResults: Extensions,
  authenticatorAttachment: Attachment,
}

const transports = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const

/** As `startRegistration` of `@simplewebauthn/browser` gives it. */
export const NewPasskeyRequest = ClosedObject({
  name: NewUserName,
  response: ClosedObject({
    ...credential,
    response: ClosedObject({
      clientDataJSON: Base64Url(10_000),
      attestationObject: Base64Url(100_000),
      authenticatorData: Type.Optional(Base64Url(10_000)),
      transports: Type.Optional(Type.Array(Type.Enum([...transports]), { maxItems: 10 })),
      publicKeyAlgorithm: Type.Optional(Type.Integer()),
      publicKey: Type.Optional(Base64Url(10_000)),
    }),
  }),
})

/** As `startAuthentication` of `@simplewebauthn/browser` gives it. */
export const PasskeySignInRequest = ClosedObject({
  response: ClosedObject({
    ...credential,
    response: ClosedObject({
      clientDataJSON: Base64Url(10_000),
      authenticatorData: Base64Url(10_000),
      signature: Base64Url(10_000),
      userHandle: Type.Optional(Base64Url(200)),
    }),
  }),
})

export const PasskeyOptionsReply = ClosedObject({
  object: Type.Literal('passkey_options'),
  options: Type.Object({}, { additionalProperties: true, description: 'For the browser, as WebAuthn defines them.' }),
  request_id: RequestId,
})

const passkey = {
  id: Type.String({ pattern: '^psk_[A-Za-z]{16}$', maxLength: 20, description: 'Public id of a passkey.' }),
  name: Type.String({ description: 'What the person calls it.' }),
  created_at: Timestamp('When it was added.'),
  last_used_at: Nullable(Timestamp('When it signed in last.')),
}

export const PasskeyReply = ClosedObject({ object: Type.Literal('passkey'), ...passkey, request_id: RequestId })

export const PasskeyListReply = ClosedObject({
  object: Type.Literal('list'),
  data: Type.Array(ClosedObject({ object: Type.Literal('passkey'), ...passkey })),
  has_more: Type.Literal(false),
  next_cursor: Type.Null(),
  request_id: RequestId,
})
