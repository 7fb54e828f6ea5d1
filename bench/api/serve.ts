import { setTimeout as delay } from 'node:timers/promises'
import type { Program, Service } from '../support/program.ts'
import type { Engine } from './limits/searches.ts'

const patienceMs = 600_000

/** Starts the service, and waits until it is this engine that answers searches. */
export async function serveWith(
  engine: Engine,
  program: Program,
  environment: Record<string, string> = {},
): Promise<Service> {
  const service = await program.serve({ ...environment, SEARCH_ENGINE: engine })
  const deadline = performance.now() + patienceMs
  while ((await servingEngine(service)) !== engine) {
    if (performance.now() > deadline) throw new Error(`searches are not answered by the engine ${engine}`)
    await delay(100)
  }
  return service
}

/** Null while the service is not ready. */
async function servingEngine({ api }: Service): Promise<string | null> {
  const response = await fetch(new URL('/readyz', api))
  const reply = (await response.json()) as { search?: { engine: string } }
  return response.ok ? (reply.search?.engine ?? null) : null
}
