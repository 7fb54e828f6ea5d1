import { fastify } from 'fastify'
import { validationOptions } from '../../server/src/http/validation.ts'
import { StoreEnrichmentRequest } from '../../server/src/stores/enrich-stores.ts'
import { StoreSearchRequest } from '../../server/src/stores/search-stores.ts'
import type { Sample } from './http.ts'
import { answerParent } from './worker.ts'
import type { Operation } from './workload.ts'

/** What HTTP alone costs: bare Fastify that parses and validates the same bodies and sends replies made beforehand. */
export type BareQuestion = { samples: Record<Operation, Sample[]> } | 'cpu'
export type BareAnswer = { origin: string; cpuMicros: number }

let origin: string | undefined

answerParent<BareQuestion, BareAnswer>(async (question) => {
  if (question !== 'cpu') origin = await listen(question.samples)
  const { user, system } = process.cpuUsage()
  return { origin: origin!, cpuMicros: user + system }
})

function listen(samples: Record<Operation, Sample[]>): Promise<string> {
  const app = fastify({ ajv: validationOptions })
  const next = { lookup: inTurn(samples.lookup), search: inTurn(samples.search), enrich: inTurn(samples.enrich) }
  app.get('/api/v1/stores/:domain', (_request, reply) => {
    const { headers, body } = next.lookup()
    return reply.headers(headers).send(body)
  })
  app.post('/api/v1/stores/search', { schema: { body: StoreSearchRequest } }, (_request, reply) => {
    const { headers, body } = next.search()
    return reply.headers(headers).send(body)
  })
  app.post('/api/v1/stores/enrich', { schema: { body: StoreEnrichmentRequest } }, (_request, reply) => {
    const { headers, body } = next.enrich()
    return reply.headers(headers).send(body)
  })
  return app.listen({ host: '127.0.0.1', port: 0 })
}

function inTurn<T>(list: readonly T[]): () => T {
  let at = 0
  return () => list[at++ % list.length]!
}
