import type { FastifyRequest } from 'fastify'
import { errorReplies } from '../../../foundation/http/openapi/errors.ts'
import type { ApiRoutes } from '../../../foundation/http/server.ts'
import { rejectBody } from '../../../foundation/http/validation.ts'
import { DoneReply, done } from '../../../foundation/kernel/shapes.ts'
import { userContext } from '../../auth/signed-in.ts'
import type { MemberServices } from '../members/routes.ts'
import { NewPasswordRequest, ProfileRequest, SessionListReply, SessionParams, wholeList } from '../schema.ts'
import { clearSessionCookie } from '../sessions/session-cookie.ts'
import { changeCredentials, changePassword, changeProfile, renameUser } from './profile.ts'
import { endOtherSessions, endSession, endSessions, listSessions, readSessions } from './sessions.ts'

const tags = ['account']

/** A user's own profile, independent of the account that they look at. */
export function registerProfileRoutes(api: ApiRoutes, { ids, signer, publicUrl, outbox }: MemberServices): void {
  const contextOf = (request: FastifyRequest) => ({ ...userContext(request), ids })

  api.get(
    '/sessions',
    {
      config: { access: readSessions },
      schema: {
        operationId: 'listSessions',
        tags,
        summary: 'List where the person is signed in',
        response: { 200: SessionListReply },
      },
    },
    async (request) => wholeList(request.id, await listSessions(contextOf(request))),
  )

  api.delete(
    '/sessions',
    {
      config: { access: endSessions },
      preValidation: rejectBody,
      schema: {
        operationId: 'endOtherSessions',
        tags,
        summary: 'End all other sessions of the person',
        response: { 200: DoneReply },
      },
    },
    async (request) => {
      await endOtherSessions(contextOf(request))
      return done(request.id)
    },
  )

  api.delete(
    '/sessions/:session',
    {
      config: { access: endSessions },
      preValidation: rejectBody,
      schema: {
        operationId: 'endSession',
        tags,
        summary: 'End one session of the person',
        params: SessionParams,
        response: { 200: DoneReply, ...errorReplies('session_not_found') },
      },
    },
    async (request, reply) => {
      const { isCurrent } = await endSession(contextOf(request), request.params.session)
      if (isCurrent) clearSessionCookie(reply, publicUrl)
      return done(request.id)
    },
  )

  api.patch(
    '/profile',
    {
      config: { access: changeProfile },
      schema: {
        operationId: 'changeProfile',
        tags,
        summary: 'Change how the person is called',
        body: ProfileRequest,
        response: { 200: DoneReply },
      },
    },
    async (request) => {
      await renameUser(contextOf(request), request.body)
      return done(request.id)
    },
  )

  api.post(
    '/profile/password',
    {
      config: { access: changeCredentials },
      schema: {
        operationId: 'changePassword',
        tags,
        summary: 'Set a new password, which ends all other sessions',
        body: NewPasswordRequest,
        response: { 200: DoneReply, ...errorReplies('weak_password', 'rate_limit_exceeded') },
      },
    },
    async (request) => {
      await changePassword({ ...contextOf(request), signer, publicUrl, outbox }, request.body)
      return done(request.id)
    },
  )
}
