import { median, type Worker } from '@storedex/testkit'
import type { Service } from '../../server/test/support/programs/program.ts'
import type { CountingProxy, Traffic } from './counting-proxy.ts'
import type { BenchDatabase } from './installation.ts'
import type { SqlResult, SqlTask } from './limits/sql.worker.ts'
import { type Sample, send } from './load/load.ts'
import { firstRequests } from './load/requests.ts'
import { type Operation, operations, type Workload } from './load/workload.ts'

/** The cost of one request alone on a warm server. Medians leave out the background work of the service. */
export interface Cost extends Traffic {
  replyBytes: number
}

/** The costs, and recorded replies for the bare route. */
export interface MeasuredCosts {
  costs: Record<Operation, Cost>
  samples: Record<Operation, Sample[]>
}

const warmupRequests = 24
const measuredRequests = 64
/** Operations whose documents a warm server has in memory: their requests are sent once before they are counted. */
const deliversDocuments: ReadonlySet<Operation> = new Set(['lookup', 'search', 'enrich', 'contact_search'])

/** Serves through the proxy and counts the database traffic of each request. */
export async function measureCosts(
  serve: (environment: Record<string, string>) => Promise<Service>,
  proxy: CountingProxy,
  database: BenchDatabase,
  workload: Workload,
  key: string,
): Promise<MeasuredCosts> {
  const service = await serve({ DATABASE_URL: proxy.url })
  const { origin } = new URL(service.api)
  const costs: Partial<Record<Operation, Cost>> = {}
  const samples: Partial<Record<Operation, Sample[]>> = {}
  for (const operation of operations) {
    await database.emptyLedger()
    const requests = firstRequests(workload, operation, key, warmupRequests + measuredRequests)
    const sends = requests.map((request) => () => send(origin, request))
    if (deliversDocuments.has(operation)) for (const sendOne of sends) await sendOne()
    const { traffic, replies } = await countEach(proxy, sends)
    samples[operation] = replies
    costs[operation] = { ...traffic, replyBytes: median(replies.map(({ body }) => Buffer.byteLength(body))) }
  }
  await service.stop()
  return { costs: costs as Record<Operation, Cost>, samples: samples as Record<Operation, Sample[]> }
}

/** Sends requests one at a time. Returns the medians of their traffic and their replies, both without the warm-up. */
async function countEach<T>(
  proxy: CountingProxy,
  sends: readonly (() => Promise<T>)[],
): Promise<{ traffic: Traffic; replies: T[] }> {
  for (const sendOne of sends.slice(0, warmupRequests)) await sendOne()
  const taken: Traffic[] = []
  const replies: T[] = []
  for (const sendOne of sends.slice(warmupRequests)) {
    const before = proxy.traffic
    replies.push(await sendOne())
    taken.push(difference(before, proxy.traffic))
  }
  const middle = (read: (traffic: Traffic) => number) => median(taken.map(read))
  const traffic = {
    statements: middle((each) => each.statements),
    parsed: middle((each) => each.parsed),
    roundTrips: middle((each) => each.roundTrips),
    bytesReceived: middle((each) => each.bytesReceived),
  }
  return { traffic, replies }
}

function difference(before: Traffic, after: Traffic): Traffic {
  return {
    statements: after.statements - before.statements,
    parsed: after.parsed - before.parsed,
    roundTrips: after.roundTrips - before.roundTrips,
    bytesReceived: after.bytesReceived - before.bytesReceived,
  }
}

/**
 * Fails unless the bare loop sends the same number of statements as the service: otherwise it is no limit. Both are counted
 * alike, because both also send statements of their own now and then, such as the first look at the catalogue's changes.
 */
export async function requireSameSql(
  sql: Worker<SqlTask, SqlResult>,
  proxy: CountingProxy,
  database: BenchDatabase,
  costs: Record<Operation, Cost>,
): Promise<void> {
  for (const operation of operations) {
    await database.emptyLedger()
    await sql.call('renew callers')
    const sends = Array.from({ length: warmupRequests + measuredRequests }, () => () => sql.call('send next request'))
    if (deliversDocuments.has(operation)) {
      await sql.call({ startRequests: operation })
      for (const sendOne of sends) await sendOne()
    }
    await sql.call({ startRequests: operation })
    const { traffic: bare } = await countEach(proxy, sends)
    const { statements, roundTrips } = costs[operation]
    if (bare.statements !== statements || bare.roundTrips !== roundTrips)
      throw new Error(
        `For ${operation} the service sends ${statements} statements in ${roundTrips} round trips, the bare loop ${bare.statements} in ${bare.roundTrips}: bring bench/api/limits/statements.ts up to date.`,
      )
  }
}
