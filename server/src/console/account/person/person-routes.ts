import type { FastifyRequest } from 'fastify'
import { personContext } from '../../../auth/signed-in.ts'
import { errorReplies } from '../../../http/openapi/openapi.ts'
import type { ApiRoutes } from '../../../http/server.ts'
import { rejectBody } from '../../../http/validation.ts'
import { clearSessionCookie } from '../../session-cookie.ts'
import { AccountDoneReply, NewPasswordRequest, ProfileRequest, SessionListReply, SessionParams } from '../schema.ts'
import type { AccountConsoleServices } from '../services.ts'
import { changePassword, renamePerson } from './profile.ts'
import { endOtherSessions, endSession, listSessions } from './sessions.ts'

const person = { access: { person: true, kind: 'read' } } as const

/** What a person sees and decides about themselves, whichever account they look at. */
export function registerPersonRoutes(api: ApiRoutes, { ids, signer, publicUrl, outbox }: AccountConsoleServices): void {
  const contextOf = (request: FastifyRequest) => ({ ...personContext(request), ids })

  api.get(
    '/sessions',
    {
      config: person,
      schema: {
        operationId: 'listSessions',
        tags: ['account'],
        summary: 'List where the person is signed in',
        response: { 200: SessionListReply },
      },
    },
    (request) => listSessions(contextOf(request)),
  )

  api.delete(
    '/sessions',
    {
      config: person,
      preValidation: rejectBody,
      schema: {
        operationId: 'endOtherSessions',
        tags: ['account'],
        summary: 'End all other sessions of the person',
        response: { 200: AccountDoneReply },
      },
    },
    (request) => endOtherSessions(contextOf(request)),
  )

  api.delete(
    '/sessions/:session',
    {
      config: person,
      preValidation: rejectBody,
      schema: {
        operationId: 'endSession',
        tags: ['account'],
        summary: 'End one session of the person',
        params: SessionParams,
        response: { 200: AccountDoneReply, ...errorReplies('session_not_found') },
      },
    },
    async (request, reply) => {
      const { isCurrent, ...done } = await endSession(contextOf(request), request.params.session)
      if (isCurrent) clearSessionCookie(reply, publicUrl)
      return done
    },
  )

  api.patch(
    '/profile',
    {
      config: person,
      schema: {
        operationId: 'changeProfile',
        tags: ['account'],
        summary: 'Change how the person is called',
        body: ProfileRequest,
        response: { 200: AccountDoneReply },
      },
    },
    (request) => renamePerson(contextOf(request), request.body),
  )

  api.post(
    '/profile/password',
    {
      config: { access: { person: true, kind: 'powerful' } },
      schema: {
        operationId: 'changePassword',
        tags: ['account'],
        summary: 'Set a new password, which ends all other sessions',
        body: NewPasswordRequest,
        response: { 200: AccountDoneReply, ...errorReplies('weak_password', 'rate_limit_exceeded') },
      },
    },
    (request) => changePassword({ ...contextOf(request), signer, publicUrl, outbox }, request.body),
  )
}
