import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { userContext } from '../../../customers/auth/signed-in.ts'
import { noticeNewCredential } from '../../../customers/users/credentials/notices.ts'
import {
  finishRegistration,
  type PasskeyContext,
  passkeySiteOf,
  removePasskey,
  removePasskeys,
  signInByPasskey,
  startPasskeySignIn,
  startRegistration,
} from '../../../customers/users/passkeys/passkeys.ts'
import { type PasskeyRow, selectPasskeys } from '../../../customers/users/passkeys/queries.ts'
import { wholeList } from '../../../customers/users/schema.ts'
import { setSessionCookie } from '../../../customers/users/sessions/session-cookie.ts'
import { errorReplies } from '../../../foundation/http/openapi/errors.ts'
import type { ApiRoutes } from '../../../foundation/http/server.ts'
import { rejectBody } from '../../../foundation/http/validation.ts'
import { ClosedObject, DoneReply, done } from '../../../foundation/kernel/shapes.ts'
import { rememberBrowser } from '../known-browsers.ts'
import type { ConsoleServices } from '../services.ts'
import { describeSession } from '../session/describe-session.ts'
import { SessionReply } from '../session/schema.ts'
import { browserOf, newSessionContext } from '../user-context.ts'
import {
  NewPasskeyRequest,
  PasskeyListReply,
  PasskeyOptionsReply,
  PasskeyReply,
  PasskeySignInRequest,
} from './schema.ts'

/** Routes that sign in by passkey, and manage the passkeys of the user who is signed in. */
export function registerPasskeyConsoleRoutes(api: ApiRoutes, services: ConsoleServices): void {
  const { ids, signer, publicUrl, outbox } = services
  const contextOf = (request: FastifyRequest): PasskeyContext => ({
    db: request.db,
    ids,
    signer,
    now: request.now,
    browser: browserOf(request),
    site: passkeySiteOf(publicUrl, request.socket.localPort),
  })
  const holderOf = (request: FastifyRequest) => {
    const { user, session } = userContext(request)
    return { ...user, sessionId: session.id }
  }
  const describe = (row: PasskeyRow) => ({
    object: 'passkey' as const,
    id: ids.seal('passkey', row.id),
    name: row.name,
    created_at: row.created_at.toISOString(),
    last_used_at: row.last_used_at?.toISOString() ?? null,
  })

  api.post(
    '/passkeys/sign-in-options',
    {
      config: { access: { anyone: true, kind: 'session' } },
      preValidation: rejectBody,
      schema: {
        operationId: 'startPasskeySignIn',
        tags: ['session'],
        summary: 'Begin to sign in by passkey',
        response: { 200: PasskeyOptionsReply, ...errorReplies('rate_limit_exceeded') },
      },
    },
    async (request) => ({
      object: 'passkey_options' as const,
      options: await startPasskeySignIn(contextOf(request)),
      request_id: request.id,
    }),
  )

  api.post(
    '/passkeys/sign-in',
    {
      config: { access: { anyone: true, kind: 'session' } },
      schema: {
        operationId: 'signInByPasskey',
        tags: ['session'],
        summary: 'Sign in by passkey',
        body: PasskeySignInRequest,
        response: { 200: SessionReply, ...errorReplies('sign_in_failed', 'rate_limit_exceeded') },
      },
    },
    async (request, reply) => {
      const { authenticatorAttachment: _, ...response } = request.body.response
      const token = await signInByPasskey(contextOf(request), { response, replacedToken: request.sessionHash })
      setSessionCookie(reply, publicUrl, token)
      const session = await newSessionContext(request, token, ids)
      rememberBrowser(reply, services, session.user.email)
      return describeSession(session, services)
    },
  )

  api.get(
    '/passkeys',
    {
      config: { access: { person: true, kind: 'read' } },
      schema: {
        operationId: 'listPasskeys',
        tags: ['account'],
        summary: 'List the passkeys of the person who is signed in',
        response: { 200: PasskeyListReply },
      },
    },
    async (request) => {
      const { db, user, requestId } = userContext(request)
      return wholeList(requestId, (await selectPasskeys(db, user.id)).map(describe))
    },
  )

  api.post(
    '/passkeys/registration-options',
    {
      config: { access: { person: true, kind: 'powerful' } },
      preValidation: rejectBody,
      schema: {
        operationId: 'startPasskeyRegistration',
        tags: ['account'],
        summary: 'Begin to add a passkey',
        response: { 200: PasskeyOptionsReply },
      },
    },
    async (request) => ({
      object: 'passkey_options' as const,
      options: await startRegistration(contextOf(request), holderOf(request)),
      request_id: request.id,
    }),
  )

  api.post(
    '/passkeys',
    {
      config: { access: { person: true, kind: 'powerful' } },
      schema: {
        operationId: 'addPasskey',
        tags: ['account'],
        summary: 'Add a passkey that the browser has created',
        body: NewPasskeyRequest,
        response: { 200: PasskeyReply, ...errorReplies('sign_in_failed') },
      },
    },
    async (request) => {
      const { name, response } = request.body
      outbox?.requireRoom()
      const holder = holderOf(request)
      const { authenticatorAttachment: _, response: attested, ...rest } = response
      const { clientDataJSON, attestationObject, transports = [] } = attested
      const passkey = await finishRegistration(contextOf(request), holder, {
        name: name.trim(),
        response: { ...rest, response: { clientDataJSON, attestationObject, transports } },
      })
      noticeNewCredential({ outbox, publicUrl, now: request.now }, holder.email, 'passkey')
      return { ...describe(passkey), request_id: request.id }
    },
  )

  api.delete(
    '/passkeys/:passkey',
    {
      config: { access: removePasskeys },
      preValidation: rejectBody,
      schema: {
        operationId: 'removePasskey',
        tags: ['account'],
        summary: 'Remove a passkey',
        params: ClosedObject({ passkey: Type.String({ maxLength: 100, description: 'Public id of a passkey.' }) }),
        response: { 200: DoneReply, ...errorReplies('passkey_not_found') },
      },
    },
    async (request) => {
      await removePasskey({ ...userContext(request), ids }, request.params.passkey)
      return done(request.id)
    },
  )
}
