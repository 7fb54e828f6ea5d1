/** The only entry to what writes money: a request says what it spends, and is admitted and charged at once. */

import { type Client, type Pool, transact } from '../../foundation/db/pool.ts'
import { Refusal } from '../../foundation/kernel/errors.ts'
import type { CallerContext } from '../auth/caller.ts'
import type { TrialLinks } from '../auth/trial-links.ts'
import type { Charges } from './charges.ts'
import type { ChargeOutcome, NotPaid, Paid } from './outcome.ts'
import { chargeItemOf, type Spending } from './spending.ts'
import { isAllowanceExceeded } from './statement/charge-queries.ts'

/** The context of a request that can spend. */
export interface ChargeContext extends CallerContext {
  charges: Charges
  /** For a refusal during a trial, which links to its page. */
  trialLinks: TrialLinks
}

const maxAttempts = 25

/**
 * Charges a request before its reply is sent, and counts it in its windows, if it is not counted yet. All or nothing: a request that
 * exceeds a limit, a balance or a budget is refused with 429 or 402 and pays nothing. Throws
 * `CatalogueChanged` if what it delivers is no longer of the current version of the catalogue.
 */
export function charge(ctx: ChargeContext, spending: Spending): Promise<Paid> {
  return untilPaid(ctx, () => ctx.charges.charge(ctx.db, chargeItemOf(ctx, spending)))
}

/** What was to be delivered is of another version of the catalogue; nothing was done. */
export class CatalogueChanged extends Error {
  readonly version: string

  constructor(version: string) {
    super('the catalogue has changed')
    this.version = version
  }
}

type Refused = Extract<NotPaid, { state: 'refused' }>
type Outdated = Extract<NotPaid, { state: 'outdated' }>

/** Runs `send`, which charges, until it paid or came to a state of its own. Throws a refusal. */
export async function untilPaid<Result extends { state: string; windows?: Paid['windows'] }>(
  ctx: ChargeContext,
  send: () => Promise<Result>,
): Promise<Exclude<Result, NotPaid>> {
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    if (ctx.admission?.isPending && ctx.admission.known.isStale) await ctx.admission.refresh()
    const outcome: { state: string; windows?: Paid['windows'] } = await send()
    const { state, windows } = outcome
    if (state === 'contended' || state === 'stale') continue
    if (windows) ctx.admission?.end(windows, state !== 'refused' || (outcome as Refused).isCounted)
    if (state === 'refused') throw (outcome as Refused).refusal(ctx.trialLinks)
    if (state === 'outdated') throw new CatalogueChanged((outcome as Outdated).version)
    return outcome as Exclude<Result, NotPaid>
  }
  throw busyError()
}

/** Charges in a transaction. Call it last: it locks the counters, which every request of the account needs. */
export type Pay = (spending: Spending) => Promise<Paid>

/**
 * Runs work that pays in its transaction, for a request that was counted before. A refusal undoes the transaction; it runs again if
 * others took what was left at this moment.
 */
export async function transactPaid<Result>(
  ctx: ChargeContext & { db: Pool },
  work: (client: Client, pay: Pay) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; attempt <= maxAttempts; attempt++)
    try {
      return await transact(ctx.db, (client) => work(client, (spending) => payWithin(client, ctx, spending)))
    } catch (error) {
      if (!(error instanceof Contended) && !isAllowanceExceeded(error)) throw error
    }
  throw busyError()
}

class Contended extends Error {}

async function payWithin(client: Client, ctx: ChargeContext, spending: Spending): Promise<Paid> {
  const sent = await ctx.charges.chargeWithin(client, [chargeItemOf(ctx, spending)])
  const [outcome] = sent!.outcomes as [ChargeOutcome]
  if (outcome.state === 'refused') throw outcome.refusal(ctx.trialLinks)
  if (outcome.state !== 'paid') throw new Contended(outcome.state)
  return outcome
}

function busyError(): Refusal {
  return new Refusal('service_unavailable', 'The service is busy; try again in a moment.')
}
