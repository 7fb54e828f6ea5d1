import type { FastifyReply, FastifyRequest } from 'fastify'
import { type CountedAttempt, takeAttempt } from '../../../customers/users/attempts.ts'
import { noticeNewCredential } from '../../../customers/users/credentials/notices.ts'
import type { LinkContext, OpenedLink } from '../../../customers/users/links/link-context.ts'
import { lookAtLink, openLink, setPasswordByLink } from '../../../customers/users/links/use-link.ts'
import type { Mail } from '../../../customers/users/mail.ts'
import type { Outbox } from '../../../customers/users/outbox.ts'
import { writePasswordMail } from '../../../customers/users/passwords/request-link.ts'
import { setSessionCookie } from '../../../customers/users/sessions/session-cookie.ts'
import { requestSignUp } from '../../../customers/users/sign-up/sign-up.ts'
import { errorReplies } from '../../../foundation/http/openapi/errors.ts'
import type { ApiRoutes } from '../../../foundation/http/server.ts'
import { Refusal } from '../../../foundation/kernel/errors.ts'
import { requireUserAddress } from '../../../foundation/kernel/mail/user-address.ts'
import { DoneReply, done } from '../../../foundation/kernel/shapes.ts'
import { knownBrowserOf, rememberBrowser } from '../known-browsers.ts'
import type { ConsoleServices } from '../services.ts'
import { browserOf } from '../user-context.ts'
import { LinkPasswordRequest, LinkReply, LinkRequest, PasswordLinkRequest, SignUpRequest } from './schema.ts'

/** Routes that ask for single-use links and use them. */
export function registerLinkConsoleRoutes(api: ApiRoutes, services: ConsoleServices): void {
  const { ids, signer, publicUrl, outbox } = services
  const linkContext = (request: FastifyRequest): LinkContext => ({
    db: request.db,
    ids,
    signer,
    now: request.now,
    browser: browserOf(request),
    userId: request.consoleContext?.user.id ?? null,
    replacedToken: request.sessionHash,
  })

  // After the reply, so that its time does not tell whether the address is known. What could not be sent does not count.
  const sendAfterReply = (
    reply: FastifyReply,
    outbox: Outbox,
    attempt: CountedAttempt,
    write: () => Promise<Mail | null>,
  ) => reply.raw.once('close', () => outbox.send(write, () => attempt.undo(services.db)))
  const describe = (request: FastifyRequest, opened: OpenedLink) => {
    const { purpose, email, name, account, needsName: needs_name, needsSignIn: needs_sign_in } = opened
    return {
      object: 'link' as const,
      purpose,
      email,
      name,
      account,
      needs_name,
      needs_sign_in,
      request_id: request.id,
    }
  }

  api.post(
    '/link/look',
    {
      config: { access: { anyone: true, kind: 'session' } },
      schema: {
        operationId: 'lookAtLink',
        tags: ['session'],
        summary: 'Look at a single-use link',
        description: 'Changes nothing: a page asks before it signs somebody in.',
        body: LinkRequest,
        response: { 200: LinkReply, ...errorReplies('invalid_link', 'rate_limit_exceeded') },
      },
    },
    async (request) => describe(request, await lookAtLink(linkContext(request), request.body.token)),
  )

  api.post(
    '/link',
    {
      config: { access: { anyone: true, kind: 'session' } },
      schema: {
        operationId: 'openLink',
        tags: ['session'],
        summary: 'Open a single-use link',
        description:
          'A link that signs in is used up, and an invitation of the person who is signed in. Any other stays until the password is set.',
        body: LinkRequest,
        response: { 200: LinkReply, ...errorReplies('invalid_link', 'rate_limit_exceeded') },
      },
    },
    async (request, reply) => {
      const opened = await openLink(linkContext(request), request.body.token)
      if (opened.sessionToken !== null) {
        setSessionCookie(reply, publicUrl, opened.sessionToken)
        rememberBrowser(reply, services, opened.email)
      }
      return describe(request, opened)
    },
  )

  api.post(
    '/link/password',
    {
      config: { access: { anyone: true, kind: 'session' } },
      schema: {
        operationId: 'setPasswordByLink',
        tags: ['session'],
        summary: 'Set a password by a single-use link, and sign in',
        body: LinkPasswordRequest,
        response: { 200: DoneReply, ...errorReplies('invalid_link', 'weak_password', 'rate_limit_exceeded') },
      },
    },
    async (request, reply) => {
      const { token, password, name = null } = request.body
      outbox?.requireRoom()
      const { sessionToken, email } = await setPasswordByLink(linkContext(request), { token, password, name })
      setSessionCookie(reply, publicUrl, sessionToken!)
      rememberBrowser(reply, services, email)
      noticeNewCredential({ outbox, publicUrl, now: request.now }, email, 'password')
      return done(request.id)
    },
  )

  api.post(
    '/password-link',
    {
      config: { access: { anyone: true, kind: 'session' } },
      schema: {
        operationId: 'requestPasswordLink',
        tags: ['session'],
        summary: 'Ask for a link to set a new password, by mail',
        description: 'The reply is the same for every address.',
        body: PasswordLinkRequest,
        response: { 200: DoneReply, ...errorReplies('rate_limit_exceeded') },
      },
    },
    async (request, reply) => {
      if (!outbox) throw noMailError()
      const { db, ip: address, now, body } = request
      outbox.requireRoom()
      const email = requireUserAddress(body.email)
      const browser = knownBrowserOf(request, services, email)
      const attempts = { db, signer, now }
      const attempt =
        browser === null
          ? await takeAttempt(attempts, 'password_mail', { address, email })
          : await takeAttempt(attempts, 'known_password_mail', { browser, email })
      const ctx = { actor: { kind: 'visitor', address } as const, db: services.db, ids, now, publicUrl }
      sendAfterReply(reply, outbox, attempt, () => writePasswordMail(ctx, email))
      return done(request.id)
    },
  )

  api.post(
    '/sign-up',
    {
      config: { access: { anyone: true, kind: 'session' } },
      schema: {
        operationId: 'signUp',
        tags: ['session'],
        summary: 'Ask for a link to create an account, by mail',
        description: 'Only where strangers may sign up. The reply is the same for every address.',
        body: SignUpRequest,
        response: { 200: DoneReply, ...errorReplies('route_not_found', 'rate_limit_exceeded') },
      },
    },
    async (request, reply) => {
      if (!outbox || services.config.users.signup !== 'open')
        throw new Refusal('route_not_found', 'Ask somebody who has an account for an invitation.')
      outbox.requireRoom()
      const { db, ip: address, now, body } = request
      const { email, name, account_name: accountName } = body
      const ctx = { db, signer, now, address, publicUrl }
      const { mail, attempt } = await requestSignUp(ctx, { email, name, accountName })
      sendAfterReply(reply, outbox, attempt, async () => mail)
      return done(request.id)
    },
  )
}

function noMailError(): Refusal {
  return new Refusal('invalid_request', 'No mail is set up here; ask whoever runs this installation for a link.')
}
