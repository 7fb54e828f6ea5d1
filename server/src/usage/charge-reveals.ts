import type { CallerContext } from '../auth/caller.ts'
import type { Queryable } from '../db/pool.ts'
import type { ApiError } from '../kernel/errors.ts'
import { type Balance, left, runChargeWithRetries } from './charge.ts'
import { isAllowanceExceeded, readMeterBalances } from './charge-queries.ts'
import { creditsRefusal, exportsRefusal, type TrialContext } from './charge-refusals.ts'
import * as queries from './charge-reveals-queries.ts'

/** Whom a reply is about to reveal, and of which stores; each once. */
export interface RevealDelivery {
  contactIds: readonly number[]
  storeIds: readonly number[]
}

export interface PaidReveals {
  /** When each contact was revealed to the account, and whether it was now. */
  reveals: ReadonlyMap<number, { revealedAt: Date; isNew: boolean }>
  /** Credits. */
  spent: number
  balance: Balance & { contact_credits: number }
}

/**
 * Pays for a reveal before it is sent: a credit for each contact at its first reveal by the account, and each store once a
 * period. All or nothing. What it runs on may be a transaction, which a refusal breaks; so the reason of a refusal is found
 * outside of it, by `runRevealWithRetries`.
 */
export async function payForReveals(ctx: CallerContext, db: Queryable, delivery: RevealDelivery): Promise<PaidReveals> {
  const charge = chargeOf(ctx, delivery)
  const charged = await queries.chargeReveals(db, charge).catch((cause) => {
    throw isAllowanceExceeded(cause) ? new AllowanceExceeded(charge, { cause }) : cause
  })
  const fresh = charged.filter((row) => row.is_new)
  // Others may have revealed one of them at the same moment. Their rows are there by now: the charge waited for them.
  const isAllSeen = charged.every((row) => row.revealed_at !== null)
  const rows = isAllSeen ? charged : [...(await queries.readReveals(db, charge)), ...fresh]
  // Who paid knows the balance from the payment itself, who did not from the moment at which all was paid for.
  const [counted] = fresh.length > 0 ? fresh : rows
  const { contact_credits, store_exports } = ctx.caller.entitlement.limits
  return {
    reveals: new Map(rows.map((row) => [row.contact_id, { revealedAt: row.revealed_at!, isNew: row.is_new }])),
    spent: fresh.length,
    balance: {
      contact_credits: left(contact_credits, counted!.credits_taken),
      store_exports: left(store_exports, counted!.exports_taken),
    },
  }
}

/** A reveal that would pass an allowance. Its transaction can tell no more. */
class AllowanceExceeded extends Error {
  readonly charge: queries.RevealCharge

  constructor(charge: queries.RevealCharge, options: ErrorOptions) {
    super('an allowance would be passed', options)
    this.charge = charge
  }
}

/** Does `work` that pays for reveals, and tells what a refused payment lacked. */
export function runRevealWithRetries<T>(ctx: TrialContext, work: () => Promise<T>): Promise<T> {
  return runChargeWithRetries(work, (error) => {
    if (!(error instanceof AllowanceExceeded)) throw error
    return explainRefusal(ctx, error.charge)
  })
}

/** What a reveal lacks as things stand now; null when it fits. */
async function explainRefusal(ctx: TrialContext, charge: queries.RevealCharge): Promise<ApiError | null> {
  const standing = await readMeterBalances(ctx.db, charge)
  const creditsLeft = left(charge.creditsAllowance, standing.credits_taken)
  if (standing.new_contacts > creditsLeft) return creditsRefusal(ctx, standing.new_contacts, creditsLeft)
  const exportsLeft = left(charge.storeExportsAllowance, standing.exports_taken)
  return standing.new_stores > exportsLeft ? exportsRefusal(ctx, exportsLeft) : null
}

function chargeOf(ctx: CallerContext, { contactIds, storeIds }: RevealDelivery): queries.RevealCharge {
  const { accountId, mode, entitlement } = ctx.caller
  return {
    accountId,
    mode,
    now: ctx.now,
    requestId: ctx.requestId,
    periodStart: entitlement.period.start,
    storeIds: [...new Set(storeIds)],
    storeExportsAllowance: entitlement.limits.store_exports,
    contactIds: ascending(contactIds),
    creditsPeriodStart: entitlement.creditsPeriod.start,
    creditsAllowance: entitlement.limits.contact_credits,
  }
}

/** Each id once, in the order in which every request locks them. */
function ascending(ids: readonly number[]): number[] {
  return [...new Set(ids)].sort((a, b) => a - b)
}
