import type { KeyedMutex } from '@storedex/work'
import { type Access, authorize } from '../../customers/auth/access.ts'
import type { CallerContext } from '../../customers/auth/caller.ts'
import type { TrialLinks } from '../../customers/auth/trial-links.ts'
import { runIdempotently, waitForHolder } from '../../customers/idempotency/idempotency.ts'
import type { KeptReplyRow, ReplyClaim } from '../../customers/idempotency/queries.ts'
import { type ChargeContext, charge, untilPaid } from '../../customers/ledger/charge.ts'
import type { Charges } from '../../customers/ledger/charges.ts'
import type { Pool } from '../../foundation/db/pool.ts'
import type { DeliverEmails } from '../../foundation/encryption/contact-facts.ts'
import type { ContactSeals } from '../../foundation/encryption/keyring.ts'
import { Refusal } from '../../foundation/kernel/errors.ts'
import type { IdSealer } from '../../foundation/kernel/ids.ts'
import type { PaidReply } from '../delivery/paid-reply.ts'
import { type RevealBatches, type RevealReply, renderReply, spendingOnPeople } from './reveal-batches.ts'
import { findWanted, type WantedContacts } from './revealable.ts'
import type { ContactRevealRequest } from './schema.ts'

/** The reply of a reveal: a new one, or the kept reply of the first request with the same Idempotency-Key. */
export type RevealResult = PaidReply & { isReplay: boolean }

export interface RevealContext extends ChargeContext {
  db: Pool
  ids: IdSealer
  seals: ContactSeals
  deliverEmails: DeliverEmails
  inFlightRequests: KeyedMutex
  revealBatches: RevealBatches
}

export interface RevealServices {
  ids: IdSealer
  seals: ContactSeals
  config: { deliverEmails: DeliverEmails }
  charges: Charges
  trialLinks: TrialLinks
  inFlightRequests: KeyedMutex
  revealBatches: RevealBatches
}

export function revealContext(ctx: CallerContext & { db: Pool }, services: RevealServices): RevealContext {
  const { ids, seals, config, charges, trialLinks, inFlightRequests, revealBatches } = services
  const { deliverEmails } = config
  return { ids, seals, deliverEmails, charges, trialLinks, inFlightRequests, revealBatches, ...ctx }
}

export const revealing = {
  key: { scope: 'contacts:reveal', admitsWithCharge: true },
  member: { role: 'member', needsAccess: true },
  kind: 'spend',
  spends: ['contact_credits', 'store_exports'],
} as const satisfies Access

/**
 * Returns contacts with their channels. The first reveal of a contact by an account costs a credit, later ones are free.
 * All or nothing; contacts that cannot be revealed are left out. With an Idempotency-Key a repeated request gets the first
 * reply.
 */
export async function revealContacts(
  ctx: RevealContext,
  request: ContactRevealRequest,
  idempotencyKey: string | undefined,
): Promise<RevealResult> {
  authorize(ctx, revealing)
  const wanted = findWanted(ctx.ids, ctx.caller.mode, request)
  if (idempotencyKey !== undefined) return revealIdempotently(ctx, request, wanted, idempotencyKey)
  const people = await ctx.revealBatches.findRevealable(ctx, wanted)
  if (people.length === 0) throw noRevealableContacts()
  const paid = await charge(ctx, spendingOnPeople(people))
  return { ...renderReply(ctx, ctx.requestId, people, paid), isReplay: false }
}

async function revealIdempotently(
  ctx: RevealContext,
  request: ContactRevealRequest,
  wanted: WantedContacts,
  idempotencyKey: string,
): Promise<RevealResult> {
  // A reply kept under another DELIVER_EMAILS setting is not replayed. A new one is free: the contacts are revealed already.
  const operation = ctx.deliverEmails === 'all' ? 'revealContacts' : `revealContacts ${ctx.deliverEmails}`
  const idempotent = { operation, key: idempotencyKey, body: request }
  const result = await runIdempotently(ctx, idempotent, (claim, remainingMs) =>
    revealAndKeep(ctx, wanted, claim, remainingMs),
  )
  if (!result.isReplay) return result
  // A replay is a request too, and only an admitted one may have it.
  if (ctx.admission?.isPending) await charge(ctx, {})
  return { ...result, balance: {} }
}

async function revealAndKeep(
  ctx: RevealContext,
  wanted: WantedContacts,
  claim: ReplyClaim,
  remainingMs: () => number,
): Promise<RevealReply | { kept: KeptReplyRow }> {
  for (;;) {
    const outcome = await untilPaid(ctx, () => ctx.revealBatches.keep(ctx, wanted, claim))
    switch (outcome.state) {
      case 'revealed':
        return outcome.reply
      case 'taken':
        return outcome
      case 'unrevealable':
        throw noRevealableContacts()
      case 'held':
        // Not in the batch, where it would hold up others.
        await waitForHolder(ctx.db, claim, remainingMs())
    }
  }
}

function noRevealableContacts(): Refusal {
  return new Refusal('no_revealable_contacts', 'None of these contacts can be revealed.', { param: 'contact_ids' })
}
