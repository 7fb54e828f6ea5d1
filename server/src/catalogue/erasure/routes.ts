import { Type } from 'typebox'
import { userContext } from '../../customers/auth/signed-in.ts'
import type { ConnectionPool } from '../../foundation/db/pool.ts'
import type { ApiRoutes } from '../../foundation/http/server.ts'
import { Refusal } from '../../foundation/kernel/errors.ts'
import { ClosedObject, Count, RequestId } from '../../foundation/kernel/shapes.ts'
import { type ErasureContext, eraseContacts, erasing } from './erase-contacts.ts'

const ErasureBody = ClosedObject({
  email: Type.Optional(Type.String({ minLength: 3, maxLength: 320 })),
  contact: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'ct_live_…' })),
})

const ErasureReply = ClosedObject({
  object: Type.Literal('erasure'),
  erased: Count('Contacts that were erased.'),
  request_id: RequestId,
})

/** What erasing needs from the process. It reads all contacts, which may take longer than a request's other statements. */
export type ErasureServices = Omit<ErasureContext, 'db' | 'actor'> & { db: ConnectionPool }

export function registerErasureRoutes(api: ApiRoutes, services: ErasureServices): void {
  api.post(
    '/operator/erasures',
    {
      config: { access: erasing },
      schema: {
        operationId: 'erasePerson',
        tags: ['operator'],
        summary: 'Erase a person permanently',
        body: ErasureBody,
        response: { 200: ErasureReply },
      },
    },
    async (request) => {
      const { email, contact } = request.body
      if ((email === undefined) === (contact === undefined))
        throw new Refusal('invalid_request', 'Give either email or contact.', { param: 'email' })
      const ctx = { ...services, db: services.db.lane('erasure'), actor: userContext(request).actor }
      const { erased } = await eraseContacts(ctx, email === undefined ? { id: contact! } : { email })
      return { object: 'erasure' as const, erased, request_id: request.id }
    },
  )
}
