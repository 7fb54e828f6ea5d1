import pg from 'pg'
import { isTrueWithin } from '../installation/processes.ts'
import type { Spender } from './spenders.ts'

/** How the books of accounts differ from what their clients were told, and from each other. */
export interface BooksReport {
  /** Acknowledged replies whose entries in the ledger were compared, and those that lack one or have another amount. */
  compared: number
  wrong: string[]
  /** Stores and contacts of acknowledged replies, and those that the account does not have. */
  delivered: number
  missing: number
  /** Contacts that were reported as charged more than once. */
  chargedTwice: number
  /** Accounts whose ledger does not add up to their exports, reveals and counters. */
  unequal: string[]
  credits: number
  exports: number
}

interface Totals {
  rows: number
  exports: number
  credits: number
  exported: number
  revealed: number
  counted: number
}

const maxShown = 5
const maxOutageMs = 60_000

/** Compares the ledger, the exports and the reveals with what the clients of these accounts were told. */
export async function compareBooks(client: pg.Client, spenders: readonly Spender[]): Promise<BooksReport> {
  const report: BooksReport = {
    compared: 0,
    wrong: [],
    delivered: 0,
    missing: 0,
    chargedTwice: 0,
    unequal: [],
    credits: 0,
    exports: 0,
  }
  for (const spender of spenders) {
    const accountId = await findAccount(client, spender)
    await compareReplies(client, accountId, spender, report)
    await compareDelivered(client, accountId, spender, report)
    const totals = await readTotals(client, accountId)
    report.credits += totals.credits
    report.exports += totals.exports
    if (!isEqual(totals)) report.unequal.push(`${spender.name} ${JSON.stringify(totals)}`)
  }
  return report
}

function isEqual({ rows, exports, credits, exported, revealed, counted }: Totals): boolean {
  return exports === exported && credits === revealed && counted === rows + exports + credits
}

type RunningReport = Pick<BooksReport, 'compared' | 'wrong' | 'unequal'>

/** Compares the books with what clients were told since the last time, while these go on. */
export class RunningBooks {
  readonly #url: string
  /** How many search rows and credits of a spender were compared. */
  readonly #compared = new Map<Spender, { rows: number; credits: number }>()
  readonly report: RunningReport = { compared: 0, wrong: [], unequal: [] }
  checks = 0

  constructor(url: string) {
    this.#url = url
  }

  get isSound(): boolean {
    return this.report.wrong.length + this.report.unequal.length === 0
  }

  /** Tries again while PostgreSQL recovers from a kill. */
  async compare(spenders: readonly Spender[]): Promise<void> {
    let lastError: unknown
    const isDone = await isTrueWithin(maxOutageMs, () =>
      this.#compareAll(spenders).then(
        () => true,
        (error) => {
          lastError = error
          return false
        },
      ),
    )
    if (!isDone) throw lastError
    this.checks++
  }

  async #compareAll(spenders: readonly Spender[]): Promise<void> {
    const client = new pg.Client({ connectionString: this.#url })
    // A statement reports it.
    client.on('error', () => {})
    await client.connect()
    try {
      for (const spender of spenders) await this.#compareOne(client, spender)
    } finally {
      await client.end().catch(() => {})
    }
  }

  async #compareOne(client: pg.Client, spender: Spender): Promise<void> {
    const accountId = await findAccount(client, spender)
    const seen = this.#compared.get(spender) ?? { rows: 0, credits: 0 }
    // Taken before the books are read: what was told by now must be in them.
    const rows = new Map([...spender.rows].slice(seen.rows))
    const credits = new Map([...spender.credits].slice(seen.credits))
    const found: RunningReport = { compared: 0, wrong: [], unequal: [] }
    await compareReplies(client, accountId, { rows, credits }, found)
    // One statement, so one moment: charges go on meanwhile.
    const totals = await readTotals(client, accountId)
    if (!isEqual(totals)) found.unequal.push(`${spender.name} ${JSON.stringify(totals)}`)
    this.#compared.set(spender, { rows: seen.rows + rows.size, credits: seen.credits + credits.size })
    this.report.compared += found.compared
    this.report.wrong.push(...found.wrong)
    this.report.unequal.push(...found.unequal)
  }
}

async function findAccount(client: pg.Client, { name }: Spender): Promise<string> {
  const { rows } = await client.query<{ id: string }>('select id from accounts where name = $1', [name])
  return rows[0]!.id
}

async function compareReplies(
  client: pg.Client,
  accountId: string,
  { rows: searchRows, credits }: Pick<Spender, 'rows' | 'credits'>,
  report: Pick<BooksReport, 'compared' | 'wrong'>,
): Promise<void> {
  const { rows } = await client.query<{ request_id: string; meter: string; amount: string }>(
    `select request_id, meter, sum(amount) as amount from ledger
     where account_id = $1 and meter in ('search_rows', 'contact_credits') and request_id = any ($2::text[]) group by 1, 2`,
    [accountId, [...searchRows.keys(), ...credits.keys()]],
  )
  const entries = new Map(rows.map(({ request_id, meter, amount }) => [`${meter} ${request_id}`, Number(amount)]))
  for (const [meter, told] of [
    ['search_rows', searchRows],
    ['contact_credits', credits],
  ] as const)
    for (const [requestId, amount] of told) {
      report.compared++
      const entered = entries.get(`${meter} ${requestId}`) ?? 0
      if (entered !== amount && report.wrong.length < maxShown)
        report.wrong.push(`${requestId} was told ${amount} ${meter}, the ledger has ${entered}`)
    }
}

async function compareDelivered(
  client: pg.Client,
  accountId: string,
  { domains, charged }: Spender,
  report: BooksReport,
): Promise<void> {
  const { rows } = await client.query<{ present: string }>(
    `select count(distinct host) as present
     from unnest($2::text[]) as delivered (host)
     join store_domains using (host)
     join store_exports as exported using (store_id)
     where exported.account_id = $1`,
    [accountId, [...domains]],
  )
  report.delivered += domains.size
  report.missing += domains.size - Number(rows[0]!.present)
  report.chargedTwice += [...charged.values()].filter((times) => times > 1).length
}

async function readTotals(client: pg.Client, accountId: string): Promise<Totals> {
  const { rows } = await client.query<Record<keyof Totals, string>>(
    `select
       (select coalesce(sum(amount), 0) from ledger where account_id = $1 and meter = 'search_rows') as rows,
       (select coalesce(sum(amount), 0) from ledger where account_id = $1 and meter = 'store_exports') as exports,
       (select coalesce(sum(amount), 0) from ledger where account_id = $1 and meter = 'contact_credits') as credits,
       (select count(*) from store_exports where account_id = $1) as exported,
       (select count(*) from reveals where account_id = $1) as revealed,
       (select coalesce(sum(used), 0) from usage_counters where account_id = $1) as counted`,
    [accountId],
  )
  const text = rows[0]!
  return Object.fromEntries(Object.entries(text).map(([name, value]) => [name, Number(value)])) as unknown as Totals
}

/** Claims of Idempotency-Keys that were committed without a reply. */
export async function countOrphanClaims(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ count: string }>('select count(*) from idempotency where reply is null')
  return Number(rows[0]!.count)
}

/** How many requests shared a transaction that charged: the mean, and the most. */
export async function measureBatches(client: pg.Client): Promise<{ mean: number; most: number; shared: number }> {
  const { rows } = await client.query<{ mean: string | null; most: string | null; shared: string }>(
    `select avg(requests) as mean, max(requests) as most, count(*) filter (where requests > 1) as shared
     from (select count(distinct request_id) as requests from ledger group by xmin::text) as transactions`,
  )
  const { mean, most, shared } = rows[0]!
  return { mean: Number(mean ?? 0), most: Number(most ?? 0), shared: Number(shared) }
}
