import { userContext } from '../../../customers/auth/signed-in.ts'
import {
  confirmSession,
  reauthenticateByPassword,
  signInByPassword,
} from '../../../customers/users/passwords/sign-in.ts'
import { signingOut, signOut } from '../../../customers/users/profile/sessions.ts'
import { clearSessionCookie, setSessionCookie } from '../../../customers/users/sessions/session-cookie.ts'
import { errorReplies } from '../../../foundation/http/openapi/errors.ts'
import type { ApiRoutes } from '../../../foundation/http/server.ts'
import { rejectBody } from '../../../foundation/http/validation.ts'
import { requireUserAddress } from '../../../foundation/kernel/mail/user-address.ts'
import { DoneReply, done } from '../../../foundation/kernel/shapes.ts'
import { knownBrowserOf, rememberBrowser } from '../known-browsers.ts'
import type { ConsoleServices } from '../services.ts'
import { browserOf, newSessionContext } from '../user-context.ts'
import { describeSession, describeSignInOptions } from './describe-session.ts'
import { registerLinkConsoleRoutes } from './link-routes.ts'
import { ReauthenticationRequest, SessionReply, SignInOptionsReply, SignInRequest } from './schema.ts'
import { registerSettingsConsoleRoutes } from './settings.ts'

/** Routes that sign users in and out, and describe who is signed in. */
export function registerSessionConsoleRoutes(api: ApiRoutes, services: ConsoleServices): void {
  const { ids, signer, publicUrl } = services

  api.get(
    '/session',
    {
      config: { access: { person: true, kind: 'read' } },
      schema: {
        operationId: 'getSession',
        tags: ['session'],
        summary: 'Read who is signed in',
        response: { 200: SessionReply },
      },
    },
    (request) => describeSession(userContext(request), services),
  )

  api.get(
    '/sign-in-options',
    {
      config: { access: { anyone: true, kind: 'read' } },
      schema: {
        operationId: 'getSignInOptions',
        tags: ['session'],
        summary: 'Read how one can sign in here',
        response: { 200: SignInOptionsReply },
      },
    },
    ({ db, id: requestId, hostname, socket: { localPort } }) =>
      describeSignInOptions({ db, requestId, hostname, localPort }, services),
  )

  api.post(
    '/sign-in',
    {
      config: { access: { anyone: true, kind: 'session' } },
      schema: {
        operationId: 'signIn',
        tags: ['session'],
        summary: 'Sign in by email address and password',
        body: SignInRequest,
        response: { 200: SessionReply, ...errorReplies('sign_in_failed', 'rate_limit_exceeded') },
      },
    },
    async (request, reply) => {
      const ctx = { db: request.db, signer, now: request.now, browser: browserOf(request) }
      const email = requireUserAddress(request.body.email)
      const token = await signInByPassword(ctx, {
        email,
        password: request.body.password,
        knownBrowser: knownBrowserOf(request, services, email),
        replacedToken: request.sessionHash,
      })
      setSessionCookie(reply, publicUrl, token)
      rememberBrowser(reply, services, email)
      return describeSession(await newSessionContext(request, token, ids), services)
    },
  )

  api.post(
    '/sign-out',
    {
      config: { access: signingOut },
      preValidation: rejectBody,
      schema: {
        operationId: 'signOut',
        tags: ['session'],
        summary: 'End this session',
        response: { 200: DoneReply },
      },
    },
    async (request, reply) => {
      await signOut(userContext(request))
      clearSessionCookie(reply, publicUrl)
      return done(request.id)
    },
  )

  api.post(
    '/reauthenticate',
    {
      config: { access: confirmSession },
      schema: {
        operationId: 'reauthenticate',
        tags: ['session'],
        summary: 'Confirm by password who is signed in',
        body: ReauthenticationRequest,
        response: { 200: DoneReply, ...errorReplies('sign_in_failed', 'rate_limit_exceeded') },
      },
    },
    async (request) => {
      await reauthenticateByPassword({ ...userContext(request), signer }, request.body.password)
      return done(request.id)
    },
  )

  registerLinkConsoleRoutes(api, services)
  registerSettingsConsoleRoutes(api)
}
