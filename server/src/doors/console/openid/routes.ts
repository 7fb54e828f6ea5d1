import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { consolePrefix } from '../../../customers/admission/doors.ts'
import { takeAttempt } from '../../../customers/users/attempts.ts'
import { OpenIdProvider } from '../../../customers/users/openid/provider.ts'
import { finishOpenIdSignIn, openIdLifeMs, startOpenIdSignIn } from '../../../customers/users/openid/sign-in.ts'
import {
  cookieNameOf,
  isSecure,
  readCookie,
  setSessionCookie,
} from '../../../customers/users/sessions/session-cookie.ts'
import { toRefusal } from '../../../foundation/http/errors.ts'
import { errorReplies } from '../../../foundation/http/openapi/errors.ts'
import type { ApiRoutes } from '../../../foundation/http/server.ts'
import { Refusal } from '../../../foundation/kernel/errors.ts'
import { rememberBrowser } from '../known-browsers.ts'
import type { ConsoleServices } from '../services.ts'
import { browserOf } from '../user-context.ts'

const baseName = 'storedex_openid'
const returnPath = `${consolePrefix}/openid/return`
const failurePath = '/sign-in?problem=provider'

/** Routes that send the browser to the OpenID Connect provider and take it back. Both answer with a redirect. */
export function registerOpenIdConsoleRoutes(api: ApiRoutes, services: ConsoleServices): void {
  const { ids, signer, publicUrl, config, outbox } = services
  const { openid, signup } = config.users
  const provider = openid && new OpenIdProvider(openid, `${publicUrl}${returnPath}`)
  const cookieOf = (request: FastifyRequest) =>
    ({ path: '/', httpOnly: true, sameSite: 'lax', secure: isSecure(request, publicUrl) }) as const
  const nameFor = (request: FastifyRequest) => cookieNameOf(baseName, request, publicUrl)
  /** A browser that comes from another site gets a page, not JSON. */
  const sendToSignIn = (request: FastifyRequest, reply: FastifyReply, error: unknown) => {
    request.record.failure = toRefusal(error)
    return reply.redirect(publicUrl + failurePath, 303)
  }

  api.get(
    '/openid/start',
    {
      config: { access: { anyone: true, kind: 'read' } },
      schema: {
        operationId: 'startOpenIdSignIn',
        tags: ['session'],
        summary: 'Go to the OpenID Connect provider',
        querystring: Type.Object({ next: Type.Optional(Type.String({ maxLength: 2_000 })) }),
        response: { 303: Type.Null({ description: 'To the provider.' }), ...errorReplies('route_not_found') },
      },
    },
    async (request, reply) => {
      const { db, now, ip: address } = request
      if (!provider) throw new Refusal('route_not_found', 'No sign-in provider is set up here.')
      try {
        await takeAttempt({ db, signer, now }, 'challenge', { address })
        const { url, token } = await startOpenIdSignIn({ db, now, provider }, localPath(request.query.next))
        reply.setCookie(nameFor(request), token, { ...cookieOf(request), maxAge: openIdLifeMs / 1000 })
        return reply.redirect(url.href, 303)
      } catch (error) {
        return sendToSignIn(request, reply, error)
      }
    },
  )

  api.get(
    '/openid/return',
    {
      config: { access: { anyone: true, kind: 'read' } },
      schema: {
        operationId: 'finishOpenIdSignIn',
        tags: ['session'],
        summary: 'Come back from the OpenID Connect provider',
        response: { 303: Type.Null({ description: 'To the console.' }), ...errorReplies('route_not_found') },
      },
    },
    async (request, reply) => {
      if (!provider) throw new Refusal('route_not_found', 'No sign-in provider is set up here.')
      const token = readCookie(request, nameFor(request)) ?? ''
      reply.clearCookie(nameFor(request), cookieOf(request))
      const { db, now, raw } = request
      const query = /\?.*$/s.exec(raw.url ?? '')?.[0] ?? ''
      const users = { signup, publicUrl, outbox }
      const ctx = { db, ids, now, browser: browserOf(request), provider, ...users, replacedToken: request.sessionHash }
      try {
        const { sessionToken, email, next } = await finishOpenIdSignIn(ctx, { token, query })
        setSessionCookie(reply, publicUrl, sessionToken)
        rememberBrowser(reply, services, email)
        return reply.redirect(publicUrl + next, 303)
      } catch (error) {
        return sendToSignIn(request, reply, error)
      }
    },
  )
}

/** A path of this site; anything else leads to the first page. */
function localPath(next: string | undefined): string {
  return next && /^\/(?![/\\])[\x21-\x7e]*$/.test(next) ? next : '/'
}
