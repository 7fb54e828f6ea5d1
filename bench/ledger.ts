import { setTimeout as delay } from 'node:timers/promises'
import { type Cleanup, timed } from '@storedex/testkit'
import { noBudgets } from '../server/src/customers/auth/budgets.ts'
import { Charges } from '../server/src/customers/ledger/charges.ts'
import { checkLedger, readLedgerEntries } from '../server/src/customers/ledger/check.ts'
import { closePeriodsExclusively } from '../server/src/customers/ledger/closing/close-periods.ts'
import { KnownExports } from '../server/src/customers/ledger/exports-cache.ts'
import type { ChargeItem } from '../server/src/customers/ledger/spending.ts'
import { ensureInstallationSecret } from '../server/src/foundation/db/installation.ts'
import type { ConnectionPool, Pool } from '../server/src/foundation/db/pool.ts'
import { createIdSealer } from '../server/src/foundation/kernel/ids.ts'
import { openMigratedDatabase, type Workspace } from '../server/test/support/programs/workspace.ts'

const [accountCount, shortAccountCount] = [50, 3]
/** Half of the months are older than the detail kept as rows. */
const months = 26
const detailMonths = 13
const dayMs = 86_400_000
/** The server pauses three times as long as it works. */
const rest = 3
const [aloneMs, shortAloneMs] = [10_000, 200]

interface Sizes {
  ledger: number
  archives: number
  exports: number
}

export interface LedgerFigures {
  entries: number
  exports: number
  packed: number
  dropped: number
  /** Bytes with indexes: after filling, after closing and a vacuum, and after `vacuum full`. */
  sizes: Record<'before' | 'vacuumed' | 'rewritten', Sizes>
  bytesPerEntry: { row: number; packed: number }
  seconds: Record<'fill' | 'close' | 'checkBefore' | 'checkAfter' | 'show', number>
  /** Milliseconds of a charge on one connection, without other work and while periods are closed. */
  charge: Record<'alone' | 'besideClosing', ChargeTimes>
}

interface ChargeTimes {
  p50: number
  p99: number
  slowest: number
  count: number
}

/** Measures the savings and the cost of closing periods. Half of the entries are search rows, half are store exports. */
export async function benchLedger(
  { entries, isShort }: { entries: number; isShort: boolean },
  workspace: Workspace,
  cleanup: Cleanup,
  reportProgress: (progress: string) => void,
): Promise<LedgerFigures> {
  const db = await openMigratedDatabase(workspace.databaseUrl)
  cleanup.add(() => db.end())
  const now = new Date()
  const accounts = isShort ? shortAccountCount : accountCount
  reportProgress(`filling ${entries} entries and ${entries / 2} exports over ${months} months`)
  const fill = await secondsOf(() => fillLedger(db, accounts, entries / 2, now))
  await db.query('vacuum analyze')
  const before = await readSizes(db)
  const check = () => secondsOf(() => checkSound(db))
  const checkBefore = await check()
  reportProgress('charging alone')
  const alone = await chargeUntil(db, accounts, delay(isShort ? shortAloneMs : aloneMs))
  reportProgress('closing beside charges')
  await db.query('insert into clock_readings values ($1)', [new Date(now.getTime() - dayMs)])
  const startedAtMs = performance.now()
  const closing = closePeriodsExclusively({ db, now, detailMonths }, { rest })
  const besideClosing = await chargeUntil(db, accounts, closing)
  const close = (performance.now() - startedAtMs) / 1_000
  const closed = (await closing)!
  await db.query('vacuum analyze')
  const vacuumed = await readSizes(db)
  const checkAfter = await check()
  const ids = createIdSealer(await ensureInstallationSecret(db))
  const show = await secondsOf(() => drain(readLedgerEntries({ db, ids }, { accountId: 1 })))
  await db.query('vacuum full ledger')
  await db.query('vacuum full store_exports')
  const rewritten = await readSizes(db)
  return {
    entries,
    exports: entries / 2,
    packed: closed.entries,
    dropped: closed.exports,
    sizes: { before, vacuumed, rewritten },
    bytesPerEntry: { row: before.ledger / entries, packed: rewritten.archives / closed.entries },
    seconds: { fill, close, checkBefore, checkAfter, show },
    charge: { alone, besideClosing },
  }
}

/** Each request writes an entry for rows and one for an export; accounts alternate. */
async function fillLedger(db: Pool, accounts: number, requests: number, now: Date): Promise<void> {
  const end = Date.UTC(now.getUTCFullYear(), now.getUTCMonth())
  const start = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months)
  const values = [requests, accounts, new Date(start), (end - start) / requests / 1_000]
  const made = `
select n, 1 + n % $2::integer as account_id, at, date_trunc('month', at) as period_start,
       'req_' || substr(translate(encode(sha256(n::text::bytea), 'base64'), '+/=', 'xyz'), 1, 24) as request_id
from generate_series(0, $1::integer - 1) n,
     lateral (select date_trunc('milliseconds', $3::timestamptz + n * $4::float8 * interval '1 second') as at) m`
  await db.query(
    `
insert into ledger (account_id, mode, meter, period_start, amount, request_id, spent_at)
select account_id, 'live', meter, period_start, amount, request_id, at
from (${made}) made, (values ('search_rows', 25), ('store_exports', 1)) spends (meter, amount)
order by n`,
    values,
  )
  await db.query(
    `
insert into store_exports (account_id, mode, period_start, store_id, exported_at)
select account_id, 'live', period_start, n, at from (${made}) made`,
    values,
  )
  await db.query(`
insert into usage_counters (account_id, mode, meter, period_start, used, allowance)
select account_id, mode, meter, period_start, sum(amount), 2000000000
from ledger
group by account_id, mode, meter, period_start`)
}

async function readSizes(db: Pool): Promise<Sizes> {
  const { rows } = await db.query<Sizes>(`
select pg_total_relation_size('ledger') as ledger, pg_total_relation_size('store_exports') as exports,
       pg_total_relation_size('ledger_archives') + pg_total_relation_size('ledger_rollups')
         + pg_total_relation_size('export_rollups') as archives`)
  return rows[0]!
}

async function checkSound(db: Pool): Promise<void> {
  const ids = createIdSealer(await ensureInstallationSecret(db))
  await checkLedger({ db, ids }, async (_totals, differences) => {
    for await (const page of differences) throw new Error(`the ledger does not balance: ${JSON.stringify(page[0])}`)
  })
}

/** One caller repeatedly looks up a store that is new to the account. */
async function chargeUntil(db: ConnectionPool, accounts: number, end: Promise<unknown>): Promise<ChargeTimes> {
  let isOver = false
  const ending = end.finally(() => {
    isOver = true
  })
  const charges = new Charges({ pool: db, knownExports: new KnownExports({ maxBytes: 0 }) })
  const durations: number[] = []
  for (; !isOver; lastStore++) {
    const now = new Date()
    const period = { start: new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth())), end: now }
    const limits = { store_exports: 2_000_000_000, search_rows: 2_000_000_000, contact_credits: 0 }
    const item = {
      caller: {
        ...{ accountId: 1 + (lastStore % accounts), mode: 'live', userId: null },
        key: { id: 1, counterKeyId: 1, budgets: noBudgets },
        entitlement: { limits, period, creditsPeriod: period },
      },
      ...{ admission: null, requestId: `req_bench${lastStore}`, spentAt: now },
      spending: { store_exports: { ids: [lastStore] } },
    }
    const startedAtMs = performance.now()
    await charges.chargeWithin(db, [item as unknown as ChargeItem])
    durations.push(performance.now() - startedAtMs)
  }
  await ending
  durations.sort((a, b) => a - b)
  const at = (share: number) => durations[Math.min(durations.length - 1, Math.floor(durations.length * share))]!
  return { p50: at(0.5), p99: at(0.99), slowest: at(1), count: durations.length }
}

let lastStore = 1_000_000_000

const secondsOf = async (work: () => Promise<unknown>) => (await timed(work))[1]

const drain = async (pages: AsyncIterable<unknown[]>) => {
  for await (const _page of pages);
}
