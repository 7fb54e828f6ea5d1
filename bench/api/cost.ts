import type { Program } from '../program.ts'
import type { CountingProxy } from './counting-proxy.ts'
import { enrichRequest, lookupRequest, type Sample, searchRequest, send } from './http.ts'
import { median } from './percentiles.ts'
import type { Traffic } from './protocol.ts'
import { type Operation, operations, type Workload } from './workload.ts'

/** What one request uses, alone on a warm server: medians, so that what the service does by itself does not show. */
export interface Cost extends Traffic {
  replyBytes: number
}

/** The costs, and replies as they came, for the bare route to send. */
export interface Measured {
  costs: Record<Operation, Cost>
  samples: Record<Operation, Sample[]>
}

const warmupRequests = 24
const measuredRequests = 64

/** Serves through the proxy and counts, request by request, what goes to the database and back. */
export async function measureCosts(
  program: Program,
  proxy: CountingProxy,
  workload: Workload,
  key: string,
): Promise<Measured> {
  const service = await program.serve({ DATABASE_URL: proxy.url })
  const { origin } = new URL(service.api)
  const requests = {
    lookup: workload.lookup.map((domain) => lookupRequest(key, domain)),
    search: workload.search.map((item) => searchRequest(key, item, null)),
    enrich: workload.enrich.map((domains) => enrichRequest(key, domains)),
  }
  const costs: Partial<Record<Operation, Cost>> = {}
  const samples: Record<Operation, Sample[]> = { lookup: [], search: [], enrich: [] }
  for (const operation of operations) {
    for (const request of requests[operation].slice(0, warmupRequests)) await send(origin, request)
    const taken: Traffic[] = []
    for (const request of requests[operation].slice(warmupRequests, warmupRequests + measuredRequests)) {
      const before = proxy.traffic
      samples[operation].push(await send(origin, request))
      taken.push(difference(before, proxy.traffic))
    }
    const middle = (read: (traffic: Traffic) => number) => median(taken.map(read))
    costs[operation] = {
      statements: middle((traffic) => traffic.statements),
      parsed: middle((traffic) => traffic.parsed),
      roundTrips: middle((traffic) => traffic.roundTrips),
      bytesReceived: middle((traffic) => traffic.bytesReceived),
      replyBytes: median(samples[operation].map(({ body }) => Buffer.byteLength(body))),
    }
  }
  await service.stop()
  return { costs: costs as Record<Operation, Cost>, samples }
}

function difference(before: Traffic, after: Traffic): Traffic {
  return {
    statements: after.statements - before.statements,
    parsed: after.parsed - before.parsed,
    roundTrips: after.roundTrips - before.roundTrips,
    bytesReceived: after.bytesReceived - before.bytesReceived,
  }
}
