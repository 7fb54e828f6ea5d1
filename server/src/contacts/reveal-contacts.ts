import type { KeyedMutex } from '@storedex/work'
import type { CallerContext } from '../auth/caller.ts'
import { type Pool, type Queryable, retryConflicts } from '../db/pool.ts'
import type { PaidReply } from '../delivery/paid-reply.ts'
import type { ContactSeals } from '../encryption/keyring.ts'
import { type KeepableReply, runIdempotently } from '../idempotency/idempotency.ts'
import { ApiError } from '../kernel/errors.ts'
import type { IdSealer } from '../kernel/ids.ts'
import type { DeliverEmails } from '../search/query/vocabulary.ts'
import { payForReveals, runRevealWithRetries } from '../usage/charge-reveals.ts'
import type { TrialLinks } from '../usage/trial-links.ts'
import { holdContactsSql } from './hold-queries.ts'
import { readContacts } from './queries.ts'
import { findWanted, ReadContacts, renderReveal, type WantedContacts } from './revealable.ts'
import type { ContactRevealRequest } from './schema.ts'
import type { SharedRevealer } from './shared-reveals.ts'

/** The reply of a reveal: a new one, or the kept reply of the first request with the same Idempotency-Key. */
export type RevealResult = PaidReply & { isReplay: boolean }

export interface RevealContext extends CallerContext {
  db: Pool
  ids: IdSealer
  seals: ContactSeals
  deliverEmails: DeliverEmails
  trialLinks: TrialLinks
  inFlightRequests: KeyedMutex
  /** For requests whose admission is pending. */
  sharedRevealer: SharedRevealer | null
}

export interface RevealServices {
  ids: IdSealer
  seals: ContactSeals
  config: { deliverEmails: DeliverEmails }
  trialLinks: TrialLinks
}

export function revealContext(
  ctx: CallerContext & { db: Pool },
  services: RevealServices,
  inFlightRequests: KeyedMutex,
  sharedRevealer: SharedRevealer | null = null,
): RevealContext {
  const { ids, seals, config, trialLinks } = services
  const { deliverEmails } = config
  return { ids, seals, deliverEmails, trialLinks, inFlightRequests, sharedRevealer, ...ctx }
}

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
  const wanted = findWanted(ctx.ids, ctx.caller.mode, request)
  if (idempotencyKey !== undefined) return revealIdempotently(ctx, request, wanted, idempotencyKey)
  const shared = await shareReveal(ctx, (revealer) => revealer.reveal(ctx, wanted))
  const { body, balance } =
    shared ?? (await runRevealWithRetries(ctx, () => retryConflicts(() => reveal(ctx, ctx.db, wanted))))
  return { body, balance, isReplay: false }
}

function revealIdempotently(
  ctx: RevealContext,
  request: ContactRevealRequest,
  wanted: WantedContacts,
  idempotencyKey: string,
): Promise<RevealResult> {
  // A reply kept under another DELIVER_EMAILS setting is not replayed. A new one is free: the contacts are revealed already.
  const operation = ctx.deliverEmails === 'all' ? 'revealContacts' : `revealContacts ${ctx.deliverEmails}`
  const idempotent = { operation, key: idempotencyKey, body: request }
  const { storeIds } = wanted.keys
  return runRevealWithRetries(ctx, async () => {
    const result = await runIdempotently(ctx, idempotent, {
      run: (client) => reveal(ctx, client, wanted),
      // An erasure waits until the reply is kept.
      alongside: storeIds.length > 0 ? holdContactsSql(storeIds) : undefined,
      share: (claim) => shareReveal(ctx, (revealer) => revealer.revealAndKeep(ctx, wanted, claim)),
    })
    // A replay is a request too, and only an admitted one may have it.
    await ctx.admission?.settle()
    return result.isReplay ? { ...result, balance: {} } : result
  })
}

/**
 * Reveals together with other requests, if the admission is pending. Null if that was not done; the request is admitted by itself
 * then.
 */
async function shareReveal<Shared extends object>(
  { admission, sharedRevealer }: RevealContext,
  share: (revealer: SharedRevealer) => Promise<Shared | 'unrevealable' | 'refused'>,
): Promise<Shared | null> {
  if (!admission?.isPending || !sharedRevealer) return null
  const shared = await share(sharedRevealer)
  if (shared === 'unrevealable') throw noRevealableContacts()
  if (shared !== 'refused') return shared
  await admission.settle()
  return null
}

type Revealed = PaidReply & KeepableReply

async function reveal(ctx: RevealContext, db: Queryable, wanted: WantedContacts): Promise<Revealed> {
  const rows = wanted.idsByKey.size > 0 ? await readContacts(db, wanted.keys) : []
  const people = new ReadContacts(ctx, rows).revealable(wanted)
  if (people.length === 0) throw noRevealableContacts()
  const contactIds = people.map(({ key }) => key)
  const paid = await payForReveals(ctx, db, { contactIds, storeIds: people.map(({ storeId }) => storeId) })
  return { body: renderReveal(ctx, people, paid), balance: paid.balance, contactIds }
}

function noRevealableContacts(): ApiError {
  return new ApiError('no_revealable_contacts', 'None of these contacts can be revealed.', { param: 'contact_ids' })
}
