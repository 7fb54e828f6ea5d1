import { randomBytes } from 'node:crypto'
import { mapConcurrently, roundRobin, serveParent, splitEvenly } from '@storedex/testkit'
import { readPlanFile } from '../../../server/src/customers/accounts/plan-file.ts'
import type { PlanFile } from '../../../server/src/customers/accounts/plans.ts'
import { type ConnectionPool, createPool } from '../../../server/src/foundation/db/pool.ts'
import { createPostgresEngine } from '../../../server/src/search/engines/postgres/engine.ts'
import { LiveTaxonomy } from '../../../server/src/search/taxonomy/taxonomy.ts'
import type { EngineName } from '../../../server/test/support/programs/program.ts'
import { type Figures, Stopwatch, type Timing } from '../load/stopwatch.ts'
import { contactBatches, type Operation, type RevealOperation, revealShapes, type Workload } from '../load/workload.ts'
import { type BareContactSearch, type BareStoreSearch, prepareContactSearch, prepareStoreSearch } from './searches.ts'
import { type BareCaller, BareRequests, prepareCallers } from './statements.ts'

/** The limit of PostgreSQL alone: loops over the driver send the statements of the requests, without HTTP. */
export type SqlTask =
  | { prepare: SqlPreparation }
  | 'renew callers'
  | { run: SqlRun }
  /** Of one connection and one account, one at a time. */
  | { startRequests: Operation }
  | 'send next request'
export type SqlResult = (Figures & { cpuMicros: number }) | null

interface SqlPreparation {
  databaseUrl: string
  /** The search engine of the service. */
  engine: EngineName
  plansFile: string
  keys: string[]
  workload: Workload
  /** Lengths of the replies that keyed reveals store. */
  replyBytes: Record<RevealOperation, number>
}

interface SqlRun {
  operation: Operation
  accounts: number
  connections: number
  timing: Timing
}

interface Prepared extends Pick<SqlPreparation, 'replyBytes' | 'keys'> {
  pool: ConnectionPool
  plans: PlanFile
  requests: BareRequests
  callers: BareCaller[]
  sendNext?: SendRequest | undefined
  workload: Omit<Workload, 'search' | 'contact_search'> & {
    search: BareStoreSearch[]
    contact_search: BareContactSearch[]
  }
}

let prepared: Prepared | undefined

serveParent<SqlTask, SqlResult>(async (task) => {
  if (task === 'renew callers') {
    const { pool, plans, keys } = prepared!
    prepared!.callers = await prepareCallers(pool, plans, keys)
    return null
  }
  if (task === 'send next request') {
    await prepared!.sendNext!(prepared!.callers[0]!)
    return null
  }
  if ('startRequests' in task) {
    prepared!.sendNext = requestsOfConnections(prepared!, task.startRequests, 1)[0]
    return null
  }
  if ('run' in task) return run(prepared!, task.run)
  await prepared?.pool.end()
  prepared = await prepare(task.prepare)
  return null
})

async function prepare({
  databaseUrl,
  engine,
  plansFile,
  keys,
  workload,
  replyBytes,
}: SqlPreparation): Promise<Prepared> {
  // The same pool settings as in the service.
  const pool = createPool({ url: databaseUrl, applicationName: 'storedex bench' })
  const plans = await readPlanFile(plansFile)
  const callers = await prepareCallers(pool, plans, keys)
  const requests = new BareRequests(pool, plans)
  const { vocabulary } = (await LiveTaxonomy.open(pool)).current
  const postgres = createPostgresEngine({ db: pool })
  const search = await mapConcurrently(workload.search, (item) =>
    prepareStoreSearch(postgres, engine, vocabulary, item),
  )
  const contact_search = await mapConcurrently(workload.contact_search, (item) =>
    prepareContactSearch(postgres, engine, vocabulary, item),
  )
  return { pool, plans, keys, requests, callers, workload: { ...workload, search, contact_search }, replyBytes }
}

async function run(prepared: Prepared, { operation, accounts, connections, timing }: SqlRun): Promise<SqlResult> {
  const senders = requestsOfConnections(prepared, operation, connections)
  const stopwatch = new Stopwatch(timing)
  const cpuBefore = process.cpuUsage()
  const loop = async (send: SendRequest, connection: number) => {
    const caller = prepared.callers[connection % accounts]!
    while (!stopwatch.isOver) {
      const startedAt = performance.now()
      await send(caller)
      stopwatch.take(performance.now() - startedAt)
    }
  }
  await Promise.all(senders.map(loop))
  const { user, system } = process.cpuUsage(cpuBefore)
  return { ...stopwatch.figures(), cpuMicros: user + system }
}

/** Sends the statements of a connection's next request. */
type SendRequest = (caller: BareCaller) => Promise<void>

function requestsOfConnections(
  { requests, workload, replyBytes }: Prepared,
  operation: Operation,
  connections: number,
): SendRequest[] {
  const repeat = <T>(items: readonly T[], request: (caller: BareCaller, item: T) => Promise<void>): SendRequest[] =>
    splitEvenly(items, connections).map((share) => {
      const next = roundRobin(share)
      return (caller) => request(caller, next())
    })
  if (operation === 'lookup') return repeat(workload.lookup, (caller, domain) => requests.lookup(caller, domain))
  if (operation === 'search') return repeat(workload.search, (caller, findPage) => requests.search(caller, findPage))
  if (operation === 'enrich') return repeat(workload.enrich, (caller, domains) => requests.enrich(caller, domains))
  if (operation === 'contact_search')
    return repeat(workload.contact_search, (caller, findPage) => requests.contactSearch(caller, findPage))
  // Random bytes, because sealed bytes do not compress when stored.
  const reply = randomBytes(replyBytes[operation])
  const keys = workload.contacts.map(({ key }) => key)
  return splitEvenly(keys, connections).map((share) => {
    const nextBatch = contactBatches(share, operation)
    if (!revealShapes[operation].isKeyed) return (caller) => requests.reveal(caller, nextBatch())
    return (caller) => requests.keyedReveal(caller, nextBatch(), reply)
  })
}
