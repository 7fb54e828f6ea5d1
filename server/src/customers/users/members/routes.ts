import type { FastifyRequest } from 'fastify'
import { errorReplies } from '../../../foundation/http/openapi/errors.ts'
import type { ApiRoutes } from '../../../foundation/http/server.ts'
import { rejectBody } from '../../../foundation/http/validation.ts'
import type { IdSealer } from '../../../foundation/kernel/ids.ts'
import { DoneReply, done } from '../../../foundation/kernel/shapes.ts'
import type { Signer } from '../../../foundation/kernel/signer.ts'
import { memberContext } from '../../auth/signed-in.ts'
import { cancelInvitation, invite, listInvitations, sendInvitationAgain } from '../invitations/invite.ts'
import type { Outbox } from '../outbox.ts'
import {
  InvitationListReply,
  InvitationParams,
  InvitationRequest,
  MemberListReply,
  MemberParams,
  RoleRequest,
  SentInvitationReply,
  wholeList,
} from '../schema.ts'
import { endMembership, listMembers, setMemberRole } from './change-members.ts'
import { leaveMembers, manageMembers, readInvitations, readMembers } from './context.ts'

export interface MemberServices {
  ids: IdSealer
  signer: Signer
  publicUrl: string
  /** Null where no mail is set up. */
  outbox: Outbox | null
}

const tags = ['account']

/** The members of an account, and the invitations to it. */
export function registerMemberRoutes(api: ApiRoutes, { ids, signer, publicUrl, outbox }: MemberServices): void {
  const contextOf = (request: FastifyRequest) => ({ ...memberContext(request), ids, signer, publicUrl, outbox })
  const memberOf = (request: FastifyRequest, user: string) => ({
    accountId: memberContext(request).account.id,
    person: user,
  })

  api.get(
    '/members',
    {
      config: { access: readMembers },
      schema: {
        operationId: 'listMembers',
        tags,
        summary: 'List the members of the account',
        response: { 200: MemberListReply },
      },
    },
    async (request) => {
      const ctx = contextOf(request)
      return wholeList(request.id, await listMembers(ctx, ctx.account.id))
    },
  )

  api.patch(
    '/members/:person',
    {
      config: { access: manageMembers },
      schema: {
        operationId: 'changeMember',
        tags,
        summary: 'Change the role of a member',
        description: 'Admins change all but owners. The last owner stays one.',
        params: MemberParams,
        body: RoleRequest,
        response: { 200: DoneReply, ...errorReplies('person_not_found', 'last_owner') },
      },
    },
    async (request) => {
      await setMemberRole(contextOf(request), memberOf(request, request.params.person), request.body.role)
      return done(request.id)
    },
  )

  api.delete(
    '/members/:person',
    {
      config: { access: manageMembers },
      preValidation: rejectBody,
      schema: {
        operationId: 'removeMember',
        tags,
        summary: 'Remove a member',
        params: MemberParams,
        response: { 200: DoneReply, ...errorReplies('person_not_found', 'last_owner') },
      },
    },
    async (request) => {
      await endMembership(contextOf(request), memberOf(request, request.params.person))
      return done(request.id)
    },
  )

  api.post(
    '/leave',
    {
      config: { access: leaveMembers },
      preValidation: rejectBody,
      schema: {
        operationId: 'leaveAccount',
        tags,
        summary: 'End the own membership',
        response: { 200: DoneReply, ...errorReplies('last_owner') },
      },
    },
    async (request) => {
      const ctx = contextOf(request)
      await endMembership(ctx, memberOf(request, ctx.user.publicId))
      return done(request.id)
    },
  )

  api.get(
    '/invitations',
    {
      config: { access: readInvitations },
      schema: {
        operationId: 'listInvitations',
        tags,
        summary: 'List invitations that were neither accepted nor revoked',
        response: { 200: InvitationListReply },
      },
    },
    async (request) => wholeList(request.id, await listInvitations(contextOf(request))),
  )

  api.post(
    '/invitations',
    {
      config: { access: manageMembers },
      schema: {
        operationId: 'invite',
        tags,
        summary: 'Invite somebody to the account',
        description: 'Admins invite up to admins. The answer does not tell whether the address is known.',
        body: InvitationRequest,
        response: {
          200: SentInvitationReply,
          ...errorReplies('already_member', 'too_many_members', 'rate_limit_exceeded'),
        },
      },
    },
    async (request) => ({
      object: 'invitation' as const,
      ...(await invite(contextOf(request), request.body)),
      request_id: request.id,
    }),
  )

  api.post(
    '/invitations/:invitation/send-again',
    {
      config: { access: manageMembers },
      preValidation: rejectBody,
      schema: {
        operationId: 'sendInvitationAgain',
        tags,
        summary: 'Give an invitation a new link',
        params: InvitationParams,
        response: { 200: SentInvitationReply, ...errorReplies('invitation_not_found', 'rate_limit_exceeded') },
      },
    },
    async (request) => ({
      object: 'invitation' as const,
      ...(await sendInvitationAgain(contextOf(request), request.params.invitation)),
      request_id: request.id,
    }),
  )

  api.delete(
    '/invitations/:invitation',
    {
      config: { access: manageMembers },
      preValidation: rejectBody,
      schema: {
        operationId: 'revokeInvitation',
        tags,
        summary: 'Revoke an invitation',
        params: InvitationParams,
        response: { 200: DoneReply, ...errorReplies('invitation_not_found') },
      },
    },
    async (request) => {
      await cancelInvitation(contextOf(request), request.params.invitation)
      return done(request.id)
    },
  )
}
