import type { FastifyRequest } from 'fastify'
import { memberContext } from '../../../auth/signed-in.ts'
import { errorReplies } from '../../../http/openapi/openapi.ts'
import type { ApiRoutes } from '../../../http/server.ts'
import { rejectBody } from '../../../http/validation.ts'
import {
  AccountDoneReply,
  InvitationListReply,
  InvitationParams,
  InvitationRequest,
  MemberListReply,
  MemberParams,
  RoleRequest,
  SentInvitationReply,
} from '../schema.ts'
import type { AccountConsoleServices } from '../services.ts'
import { changeMemberRole, listMembers, removeMember } from './change-members.ts'
import { cancelInvitation, invite, listInvitations, sendInvitationAgain } from './invitations.ts'

const viewer = { access: { member: { role: 'viewer' }, kind: 'read' } } as const
const admin = { access: { member: { role: 'admin' }, kind: 'read' } } as const
const freshAdmin = { access: { member: { role: 'admin' }, kind: 'powerful' } } as const

export function registerMemberRoutes(api: ApiRoutes, services: AccountConsoleServices): void {
  const { ids, signer, publicUrl, outbox } = services
  const contextOf = (request: FastifyRequest) => ({ ...memberContext(request), ids, signer, publicUrl, outbox })

  api.get(
    '/members',
    {
      config: viewer,
      schema: {
        operationId: 'listMembers',
        tags: ['account'],
        summary: 'List the members of the account',
        response: { 200: MemberListReply },
      },
    },
    (request) => listMembers(contextOf(request)),
  )

  api.patch(
    '/members/:person',
    {
      config: freshAdmin,
      schema: {
        operationId: 'changeMember',
        tags: ['account'],
        summary: 'Change the role of a member',
        description: 'Admins change all but owners. The last owner stays one.',
        params: MemberParams,
        body: RoleRequest,
        response: { 200: AccountDoneReply, ...errorReplies('person_not_found', 'last_owner') },
      },
    },
    (request) => changeMemberRole(contextOf(request), request.params.person, request.body.role),
  )

  api.delete(
    '/members/:person',
    {
      config: freshAdmin,
      preValidation: rejectBody,
      schema: {
        operationId: 'removeMember',
        tags: ['account'],
        summary: 'Remove a member',
        params: MemberParams,
        response: { 200: AccountDoneReply, ...errorReplies('person_not_found', 'last_owner') },
      },
    },
    (request) => removeMember(contextOf(request), request.params.person),
  )

  api.get(
    '/invitations',
    {
      config: admin,
      schema: {
        operationId: 'listInvitations',
        tags: ['account'],
        summary: 'List invitations that were neither accepted nor revoked',
        response: { 200: InvitationListReply },
      },
    },
    (request) => listInvitations(contextOf(request)),
  )

  api.post(
    '/invitations',
    {
      config: freshAdmin,
      schema: {
        operationId: 'invite',
        tags: ['account'],
        summary: 'Invite somebody to the account',
        description: 'Admins invite up to admins. The answer does not tell whether the address is known.',
        body: InvitationRequest,
        response: {
          200: SentInvitationReply,
          ...errorReplies('already_member', 'too_many_members', 'rate_limit_exceeded'),
        },
      },
    },
    (request) => invite(contextOf(request), request.body),
  )

  api.post(
    '/invitations/:invitation/send-again',
    {
      config: freshAdmin,
      preValidation: rejectBody,
      schema: {
        operationId: 'sendInvitationAgain',
        tags: ['account'],
        summary: 'Give an invitation a new link',
        params: InvitationParams,
        response: { 200: SentInvitationReply, ...errorReplies('invitation_not_found', 'rate_limit_exceeded') },
      },
    },
    (request) => sendInvitationAgain(contextOf(request), request.params.invitation),
  )

  api.delete(
    '/invitations/:invitation',
    {
      config: freshAdmin,
      preValidation: rejectBody,
      schema: {
        operationId: 'revokeInvitation',
        tags: ['account'],
        summary: 'Revoke an invitation',
        params: InvitationParams,
        response: { 200: AccountDoneReply, ...errorReplies('invitation_not_found') },
      },
    },
    (request) => cancelInvitation(contextOf(request), request.params.invitation),
  )
}
