import type { FastifyRequest } from 'fastify'
import { userContext } from '../../customers/auth/signed-in.ts'
import type { Outbox } from '../../customers/users/outbox.ts'
import type { UsersSettings } from '../../customers/users/settings.ts'
import type { ConnectionPool } from '../../foundation/db/pool.ts'
import type { ContactSeals } from '../../foundation/encryption/keyring.ts'
import { errorReplies } from '../../foundation/http/openapi/errors.ts'
import type { ApiRoutes } from '../../foundation/http/server.ts'
import type { CursorSealer } from '../../foundation/kernel/cursor-sealer.ts'
import { Refusal } from '../../foundation/kernel/errors.ts'
import type { IdSealer } from '../../foundation/kernel/ids.ts'
import { PageQuery } from '../../foundation/kernel/list-pages.ts'
import type { Signer } from '../../foundation/kernel/signer.ts'
import type { Clock } from '../../foundation/kernel/time.ts'
import { askForLink } from './ask.ts'
import { copyPrivacyData, eraseByPrivacyLink, openPrivacyLink, type PrivacyLinkContext, ScanLimiter } from './link.ts'
import { listPrivacyRequests, readingRequests } from './list-requests.ts'
import { mailPrivacyLink } from './outbox.ts'
import {
  PrivacyDataReply,
  PrivacyErasureReply,
  PrivacyFileReply,
  PrivacyRequestBody,
  PrivacyRequestListReply,
  PrivacyRequestReply,
  PrivacyTokenBody,
} from './schema.ts'

export interface PrivacyServices {
  db: ConnectionPool
  ids: IdSealer
  clock: Clock
  seals: ContactSeals
  cursors: CursorSealer
  /** Makes keyed hashes of what bounds attempts. */
  signer: Signer
  publicUrl: string
  config: { users: UsersSettings }
  /** Null where no mail is set up. */
  outbox: Outbox | null
}

/**
 * Routes on which a visitor sees and erases the data about their email address, without signing in. The link that is
 * mailed to the address is the proof that it is theirs.
 */
export function registerPrivacyRoutes(api: ApiRoutes, services: PrivacyServices): void {
  const { outbox } = services
  const scans = new ScanLimiter()
  const contextOf = (request: FastifyRequest): PrivacyLinkContext => ({
    db: request.db,
    pool: services.db,
    ids: services.ids,
    clock: services.clock,
    seals: services.seals,
    scans,
    address: request.ip,
    requestId: request.id,
  })

  api.post(
    '/privacy/requests',
    {
      config: { access: { anyone: true, kind: 'session' } },
      schema: {
        operationId: 'askForPrivacyLink',
        tags: ['privacy'],
        summary: 'Ask for a link to what is held about an email address',
        description:
          'The reply is the same for every address. If mail is set up and neither the address nor the mailbox asked too often, a link that works for an hour is mailed afterwards.',
        body: PrivacyRequestBody,
        response: { 202: PrivacyRequestReply },
      },
    },
    async (request, reply) => {
      const { db, now, ip: address, id } = request
      if (!outbox) throw noMailError(services.config.users.privacyContact)
      outbox.requireRoom()
      const link = await askForLink({ db, signer: services.signer, now, address }, request.body.email)
      if (link) reply.raw.once('close', () => mailPrivacyLink(outbox, services, link))
      return reply.code(202).send({ object: 'privacy_request', request_id: id })
    },
  )

  api.post(
    '/privacy/open',
    {
      config: { access: { anyone: true, kind: 'session' } },
      schema: {
        operationId: 'openPrivacyLink',
        tags: ['privacy'],
        summary: 'Show what is held about the address of a link',
        body: PrivacyTokenBody,
        response: { 200: PrivacyDataReply, ...errorReplies('invalid_link', 'rate_limit_exceeded') },
      },
    },
    (request) => openPrivacyLink(contextOf(request), request.body.token),
  )

  api.post(
    '/privacy/file',
    {
      config: { access: { anyone: true, kind: 'session' } },
      schema: {
        operationId: 'copyPrivacyData',
        tags: ['privacy'],
        summary: 'The same as a file',
        body: PrivacyTokenBody,
        response: { 200: PrivacyFileReply, ...errorReplies('invalid_link', 'rate_limit_exceeded') },
      },
    },
    (request) => copyPrivacyData(contextOf(request), request.body.token),
  )

  api.post(
    '/privacy/erase',
    {
      config: { access: { anyone: true, kind: 'session' } },
      schema: {
        operationId: 'eraseByPrivacyLink',
        tags: ['privacy'],
        summary: 'Erase everybody with the address of a link, and end the link',
        body: PrivacyTokenBody,
        response: { 200: PrivacyErasureReply, ...errorReplies('invalid_link', 'rate_limit_exceeded') },
      },
    },
    (request) => eraseByPrivacyLink(contextOf(request), request.body.token),
  )

  api.get(
    '/operator/privacy-requests',
    {
      config: { access: readingRequests },
      schema: {
        operationId: 'listPrivacyRequests',
        tags: ['operator'],
        summary: 'List the requests of the privacy page, the newest first',
        querystring: PageQuery,
        response: { 200: PrivacyRequestListReply, ...errorReplies('invalid_cursor') },
      },
    },
    (request) => listPrivacyRequests({ ...userContext(request), cursors: services.cursors }, request.query),
  )
}

function noMailError(contact: string | null): Refusal {
  const whom = contact === null ? 'the operator of this address' : contact
  return new Refusal('invalid_request', `No mail is set up here; ask ${whom} about your data.`)
}
