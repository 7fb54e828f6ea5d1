import { expect, vi } from 'vitest'
import { Random } from '../../../../../catalogue/build/random.ts'
import { Storedex, type StoredexError, type StoredexOptions } from '../../../../../client/src/index.ts'
import { checkLedger } from '../../../../src/customers/ledger/check.ts'
import type { TestApp, TestKey } from '../../../support/app.ts'
import { atEnd } from '../../../support/cleanup.ts'
import { FaultProxy, type FaultProxyOptions } from './fault-proxy.ts'
import { roughNetwork } from './faults.ts'

/** Set it to repeat a run. */
export const seed = Number(process.env.STOREDEX_PROOF_SEED ?? Date.now() % 1_000_000)

/** A proxy before the app, closed after the file's tests; by default a rough network. */
export async function startFaultProxy(app: TestApp, options: Partial<FaultProxyOptions> = {}): Promise<FaultProxy> {
  const random = new Random(seed)
  const proxy = await FaultProxy.start({ origin: app.url, random, weights: roughNetwork, maxDelayMs: 20, ...options })
  atEnd(() => proxy.close())
  return proxy
}

/** The typed client with a test's key. The pauses before its retries are the shortest that its jitter can draw. */
export function connectClient(
  baseUrl: string,
  { secret: apiKey }: TestKey,
  options: Omit<Partial<StoredexOptions>, 'apiKey' | 'baseUrl'> = {},
): Storedex {
  vi.spyOn(Math, 'random').mockReturnValue(0.01)
  return new Storedex({ apiKey, baseUrl, ...options })
}

/** The error that a call must end with. */
export const failureOf = (call: PromiseLike<unknown>): Promise<StoredexError> =>
  Promise.resolve(call).then(
    () => expect.fail('it succeeded'),
    (error) => error,
  )

/** Every difference that `ledger check` would print. */
export async function ledgerDifferences(app: TestApp): Promise<unknown[]> {
  return checkLedger(app.operator, async (_totals, differences) => {
    const all: unknown[] = []
    for await (const page of differences) all.push(...page)
    return all
  })
}

/** What an account was charged, by the counter, by the ledger and by what it has received. */
export async function chargedTo(app: TestApp, key: TestKey) {
  const { rows } = await app.db.query(
    `select (select count(*)::integer from reveals where account_id = $1) as reveals,
            (select count(*)::integer from store_exports where account_id = $1) as exports,
            coalesce(sum(used) filter (where meter = 'contact_credits'), 0)::integer as credits,
            coalesce(sum(used) filter (where meter = 'search_rows'), 0)::integer as search_rows,
            coalesce(sum(used) filter (where meter = 'store_exports'), 0)::integer as store_exports,
            (select coalesce(sum(amount), 0)::integer from ledger where account_id = $1 and meter = 'contact_credits') as ledger
     from usage_counters where account_id = $1`,
    [app.accountNumber(key.account)],
  )
  return rows[0] as Record<'reveals' | 'exports' | 'credits' | 'search_rows' | 'store_exports' | 'ledger', number>
}
