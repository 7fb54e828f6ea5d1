import type pg from 'pg'
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
    const { rows } = await client.query<{ id: string }>('select id from accounts where name = $1', [spender.name])
    const accountId = rows[0]!.id
    await compareReplies(client, accountId, spender, report)
    await compareDelivered(client, accountId, spender, report)
    const totals = await readTotals(client, accountId)
    report.credits += totals.credits
    report.exports += totals.exports
    const isEqual =
      totals.exports === totals.exported &&
      totals.credits === totals.revealed &&
      totals.counted === totals.rows + totals.exports + totals.credits
    if (!isEqual) report.unequal.push(`${spender.name} ${JSON.stringify(totals)}`)
  }
  return report
}

async function compareReplies(
  client: pg.Client,
  accountId: string,
  { rows: searchRows, credits }: Spender,
  report: BooksReport,
): Promise<void> {
  const { rows } = await client.query<{ request_id: string; meter: string; amount: string }>(
    `select request_id, meter, sum(amount) as amount from ledger
     where account_id = $1 and meter in ('search_rows', 'contact_credits') group by 1, 2`,
    [accountId],
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
