import { roundRobin, serveParent } from '@storedex/testkit'
import { type FastifyReply, fastify } from 'fastify'
import { validationOptions } from '../../../server/src/foundation/http/validation.ts'
import { ContactRevealHeaders, ContactRevealRequest } from '../../../server/src/product/contacts/schema.ts'
import { ContactSearchRequest } from '../../../server/src/product/contacts/search-contacts.ts'
import { StoreEnrichmentRequest } from '../../../server/src/product/stores/enrich-stores.ts'
import { StoreSearchRequest } from '../../../server/src/product/stores/search-stores.ts'
import type { Sample } from '../load/load.ts'
import { paths } from '../load/requests.ts'
import { type Operation, operations, revealOperationOf } from '../load/workload.ts'

/** The limit of HTTP alone: a bare Fastify that parses and validates the same bodies and sends recorded replies. */
export type RouteTask = { samples: Record<Operation, Sample[]> } | 'cpu'
export type RouteResult = { origin: string; cpuMicros: number }

let origin: string | undefined

serveParent<RouteTask, RouteResult>(async (task) => {
  if (task !== 'cpu') origin = await listen(task.samples)
  const { user, system } = process.cpuUsage()
  return { origin: origin!, cpuMicros: user + system }
})

function listen(samples: Record<Operation, Sample[]>): Promise<string> {
  const app = fastify({ ajv: validationOptions })
  const next = new Map(operations.map((operation) => [operation, roundRobin(samples[operation])]))
  const answer = (reply: FastifyReply, operation: Operation) => {
    const { headers, body } = next.get(operation)!()
    return reply.headers(headers).send(body)
  }
  app.get(paths.lookup, (_request, reply) => answer(reply, 'lookup'))
  app.post(paths.search, { schema: { body: StoreSearchRequest } }, (_request, reply) => answer(reply, 'search'))
  app.post(paths.enrich, { schema: { body: StoreEnrichmentRequest } }, (_request, reply) => answer(reply, 'enrich'))
  app.post(paths.contact_search, { schema: { body: ContactSearchRequest } }, (_request, reply) =>
    answer(reply, 'contact_search'),
  )
  app.post<{ Body: ContactRevealRequest }>(
    paths.reveal,
    { schema: { body: ContactRevealRequest, headers: ContactRevealHeaders } },
    ({ body, headers }, reply) =>
      answer(reply, revealOperationOf(body.contact_ids.length, headers['idempotency-key'] !== undefined)),
  )
  return app.listen({ host: '127.0.0.1', port: 0 })
}
