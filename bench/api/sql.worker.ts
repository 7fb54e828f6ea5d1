import type { Entitlement } from '../../server/src/accounts/account.ts'
import { readPlanFile } from '../../server/src/accounts/plans.ts'
import { admit } from '../../server/src/auth/admit.ts'
import { createPool, type Pool, type Queryable } from '../../server/src/db/pool.ts'
import { findStores } from '../../server/src/search/postgres/find-stores.ts'
import { normalizeStoreFilters, type StoreQuery } from '../../server/src/search/query.ts'
import { findStoreByHost, findStoresByHosts } from '../../server/src/stores/queries.ts'
import { LiveTaxonomy } from '../../server/src/taxonomy/live.ts'
import { chargeDelivery } from '../../server/src/usage/charge-queries.ts'
import { mapConcurrently, shareOut } from './http.ts'
import { type Figures, Stopwatch, type Timing } from './stopwatch.ts'
import { answerParent } from './worker.ts'
import { type Operation, type SearchItem, searchLimit, type Workload } from './workload.ts'

/** What PostgreSQL alone costs: bare loops over the driver issue the statements of the requests, with no HTTP around them. */
export type SqlQuestion =
  | { prepare: { databaseUrl: string; plansFile: string; keys: string[]; workload: Workload } }
  | { run: { operation: Operation; accounts: number; connections: number; timing: Timing } }
export type SqlAnswer = (Figures & { cpuMicros: number }) | null

/** As the service has it by default. */
const deliverEmails = 'all'

type Statement = { name?: string; text: string; values: unknown[] }

/** What the service knows of a caller when it charges, and the admissions it sends for the key. */
interface BareCaller {
  accountId: number
  entitlement: Entitlement
  admission: Statement
  searchAdmission: Statement
}

interface BareSearch {
  query: StoreQuery
  after: { negatedScore: number; storeId: number } | null
}

interface Prepared {
  pool: Pool
  callers: BareCaller[]
  workload: { lookup: string[]; search: BareSearch[]; enrich: string[][] }
}

let prepared: Prepared | undefined

answerParent<SqlQuestion, SqlAnswer>(async (question) => {
  if ('run' in question) return run(prepared!, question.run)
  await prepared?.pool.end()
  prepared = await prepare(question.prepare)
  return null
})

async function prepare(given: Extract<SqlQuestion, { prepare: unknown }>['prepare']): Promise<Prepared> {
  // A pool as the service has it.
  const pool = createPool({ url: given.databaseUrl, applicationName: 'storedex bench' })
  const plans = await readPlanFile(given.plansFile)
  const { vocabulary } = (await LiveTaxonomy.open(pool)).current

  const callers = await mapConcurrently(given.keys, async (key) => {
    const ask = async (readSearchRows: boolean) => {
      const { db, sent } = recordStatements(pool)
      const request = { authorization: `Bearer ${key}`, scope: 'stores:read' as const, readSearchRows }
      const { caller } = await admit({ db, now: new Date(), plans, publicUrl: '' }, request)
      return { caller, statement: sent[0]! }
    }
    const plain = await ask(false)
    const { accountId, entitlement } = plain.caller
    return { accountId, entitlement, admission: plain.statement, searchAdmission: (await ask(true)).statement }
  })
  const search = await mapConcurrently(given.workload.search, (item) =>
    walkTo(pool, normalizeStoreFilters(vocabulary, item.filters, deliverEmails), item),
  )
  return { pool, callers, workload: { ...given.workload, search } }
}

/** A database that passes statements on and keeps them. */
function recordStatements(pool: Pool): { db: Queryable; sent: Statement[] } {
  const sent: Statement[] = []
  const query = (statement: Statement) => {
    sent.push(statement)
    return pool.query(statement)
  }
  return { db: { query } as unknown as Queryable, sent }
}

/** The place that a cursor would hold; the first page where the search has too few. */
async function walkTo(pool: Pool, query: StoreQuery, { pagesBefore }: SearchItem): Promise<BareSearch> {
  let after: BareSearch['after'] = null
  for (let page = 0; page < pagesBefore; page++) {
    const found = await findStores(pool, { mode: 'live', query, after, limit: searchLimit + 1, deliverEmails })
    if (found.length <= searchLimit) return { query, after: null }
    const { negatedScore, id } = found[searchLimit - 1]!
    after = { negatedScore, storeId: id }
  }
  return { query, after }
}

async function run(
  { pool, callers, workload }: Prepared,
  { operation, accounts, connections, timing }: Extract<SqlQuestion, { run: unknown }>['run'],
): Promise<SqlAnswer> {
  const stopwatch = new Stopwatch(timing)
  const cpuBefore = process.cpuUsage()
  const loop = async <T>(items: readonly T[], connection: number, ask: (caller: BareCaller, item: T) => unknown) => {
    const caller = callers[connection % accounts]!
    for (let at = 0; !stopwatch.isOver; at++) {
      const startedAt = performance.now()
      await ask(caller, items[at % items.length]!)
      stopwatch.take(performance.now() - startedAt)
    }
  }
  const loops = <T>(items: readonly T[], ask: (caller: BareCaller, item: T) => unknown) =>
    Promise.all(shareOut(items, connections).map((share, connection) => loop(share, connection, ask)))

  const asks = asksOf(pool)
  if (operation === 'lookup') await loops(workload.lookup, asks.lookup)
  else if (operation === 'search') await loops(workload.search, asks.search)
  else await loops(workload.enrich, asks.enrich)
  const { user, system } = process.cpuUsage(cpuBefore)
  return { ...stopwatch.figures(), cpuMicros: user + system }
}

/** The statements of each operation, one after the other as the service sends them, through its own query functions. */
function asksOf(pool: Pool) {
  const charge = (caller: BareCaller, storeIds: number[], searchRows: number) => {
    const { limits, period } = caller.entitlement
    return chargeDelivery(pool, {
      accountId: caller.accountId,
      mode: 'live',
      periodStart: period.start,
      now: new Date(),
      requestId: 'req_00000000000000000000',
      storeIds: [...new Set(storeIds)].sort((a, b) => a - b),
      contactIds: [],
      searchRows,
      searchRowsAllowance: limits.search_rows,
      storeExportsAllowance: limits.store_exports,
    })
  }
  return {
    async lookup(caller: BareCaller, domain: string) {
      await pool.query(caller.admission)
      const found = await findStoreByHost(pool, 'live', domain, deliverEmails)
      await charge(caller, [found!.store_id], 0)
    },
    async search(caller: BareCaller, search: BareSearch) {
      await pool.query(caller.searchAdmission)
      const found = await findStores(pool, { mode: 'live', ...search, limit: searchLimit + 1, deliverEmails })
      const page = found.slice(0, searchLimit)
      await charge(
        caller,
        page.map((store) => store.id),
        page.length,
      )
    },
    async enrich(caller: BareCaller, domains: string[]) {
      await pool.query(caller.admission)
      const rows = await findStoresByHosts(pool, 'live', domains, deliverEmails)
      await charge(
        caller,
        rows.map((row) => row.store_id),
        0,
      )
    },
  }
}
