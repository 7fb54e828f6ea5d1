import type { FastifyRequest } from 'fastify'
import { transact } from '../../db/pool.ts'
import type { ApiRoutes } from '../../http/server.ts'
import { rejectBody } from '../../http/validation.ts'
import { ApiError } from '../../kernel/errors.ts'
import { recordAudit } from '../../people/audit.ts'
import { type LinkContext, openLink, setPasswordByLink } from '../../people/links/use-link.ts'
import { reauthenticateByPassword, signInByPassword } from '../../people/passwords/sign-in.ts'
import { upsertSettings } from '../../people/queries.ts'
import { deleteSession } from '../../people/sessions/queries.ts'
import { personContext } from '../access.ts'
import type { ConsoleServices } from '../services.ts'
import { clearSessionCookie, setSessionCookie } from '../session-cookie.ts'
import { describeSession, describeSignInOptions } from './describe-session.ts'
import {
  DoneReply,
  LinkPasswordRequest,
  LinkReply,
  LinkRequest,
  ReauthenticationRequest,
  SessionReply,
  SettingsRequest,
  SignInOptionsReply,
  SignInRequest,
} from './schema.ts'

const maxSettingsBytes = 16_384
/** What JSON allows and PostgreSQL cannot store: NUL, and half of a surrogate pair. */
const unstorable = /(?<!\\)(\\\\)*\\u(0000|d[89a-f])/

/** Routes that sign people in and out, and describe who is signed in. */
export function registerSessionConsoleRoutes(api: ApiRoutes, services: ConsoleServices): void {
  const { ids, signer, publicUrl } = services
  const browserOf = (request: FastifyRequest) => ({
    address: request.ip,
    userAgent: request.headers['user-agent'] ?? '',
  })
  const linkContext = (request: FastifyRequest): LinkContext => ({
    db: request.db,
    ids,
    signer,
    now: request.now,
    browser: browserOf(request),
    replacedToken: request.sessionHash,
  })
  const done = (request: FastifyRequest) => ({ object: 'done' as const, request_id: request.id })

  api.get(
    '/session',
    {
      config: { console: { who: 'person' } },
      schema: {
        operationId: 'getSession',
        tags: ['session'],
        summary: 'Read who is signed in',
        response: { 200: SessionReply },
      },
    },
    (request) => describeSession(personContext(request), services),
  )

  api.get(
    '/sign-in-options',
    {
      config: { console: { who: 'anyone' } },
      schema: {
        operationId: 'getSignInOptions',
        tags: ['session'],
        summary: 'Read how one can sign in here',
        response: { 200: SignInOptionsReply },
      },
    },
    (request) => describeSignInOptions({ db: request.db, requestId: request.id }, services),
  )

  api.post(
    '/sign-in',
    {
      config: { console: { who: 'anyone' } },
      schema: {
        operationId: 'signIn',
        tags: ['session'],
        summary: 'Sign in by email address and password',
        body: SignInRequest,
        response: { 200: DoneReply },
      },
    },
    async (request, reply) => {
      const ctx = { db: request.db, signer, now: request.now, browser: browserOf(request) }
      const token = await signInByPassword(ctx, { ...request.body, replacedToken: request.sessionHash })
      setSessionCookie(reply, publicUrl, token)
      return done(request)
    },
  )

  api.post(
    '/sign-out',
    {
      config: { console: { who: 'person' } },
      preValidation: rejectBody,
      schema: {
        operationId: 'signOut',
        tags: ['session'],
        summary: 'End this session',
        response: { 200: DoneReply },
      },
    },
    async (request, reply) => {
      const { db, person, session, address, now } = personContext(request)
      await transact(db, async (client) => {
        await deleteSession(client, person.id, session.id)
        await recordAudit(client, { accountId: null, personId: person.id, action: 'session.ended', address, at: now })
      })
      clearSessionCookie(reply, publicUrl)
      return done(request)
    },
  )

  api.post(
    '/reauthenticate',
    {
      config: { console: { who: 'person' } },
      schema: {
        operationId: 'reauthenticate',
        tags: ['session'],
        summary: 'Confirm by password who is signed in',
        body: ReauthenticationRequest,
        response: { 200: DoneReply },
      },
    },
    async (request) => {
      const { db, now, person, session } = personContext(request)
      await reauthenticateByPassword(
        { db, signer, now, browser: browserOf(request) },
        { personId: person.id, email: person.email, sessionId: session.id, password: request.body.password },
      )
      return done(request)
    },
  )

  api.post(
    '/link',
    {
      config: { console: { who: 'anyone' } },
      schema: {
        operationId: 'openLink',
        tags: ['session'],
        summary: 'Open a single-use link',
        description: 'A link that signs in is used up. A link that sets a password stays until the password is set.',
        body: LinkRequest,
        response: { 200: LinkReply },
      },
    },
    async (request, reply) => {
      const { email, name, sessionToken } = await openLink(linkContext(request), request.body.token)
      if (sessionToken !== null) setSessionCookie(reply, publicUrl, sessionToken)
      const purpose = sessionToken === null ? ('set_password' as const) : ('sign_in' as const)
      return { object: 'link' as const, purpose, email, name, account: null, needs_name: false, request_id: request.id }
    },
  )

  api.post(
    '/link/password',
    {
      config: { console: { who: 'anyone' } },
      schema: {
        operationId: 'setPasswordByLink',
        tags: ['session'],
        summary: 'Set a password by a single-use link, and sign in',
        body: LinkPasswordRequest,
        response: { 200: DoneReply },
      },
    },
    async (request, reply) => {
      const { token, password, name = null } = request.body
      const { sessionToken } = await setPasswordByLink(linkContext(request), { token, password, name })
      setSessionCookie(reply, publicUrl, sessionToken!)
      return done(request)
    },
  )

  api.put(
    '/settings',
    {
      config: { console: { who: 'person' } },
      schema: {
        operationId: 'setSettings',
        tags: ['session'],
        summary: 'Keep what the person chose in the console',
        body: SettingsRequest,
        response: { 200: DoneReply },
      },
    },
    async (request) => {
      const { db, now, person } = personContext(request)
      const { settings } = request.body
      const text = JSON.stringify(settings)
      if (Buffer.byteLength(text) > maxSettingsBytes)
        throw new ApiError('payload_too_large', 'Settings may take 16 KB.', { param: 'settings' })
      if (unstorable.test(text))
        throw new ApiError('invalid_request', 'Settings cannot contain NUL or half a character.', { param: 'settings' })
      await upsertSettings(db, person.id, settings, now)
      return done(request)
    },
  )
}
