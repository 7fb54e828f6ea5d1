import buildSerializer from 'fast-json-stringify'
import type { CallerContext } from '../auth/caller.ts'
import { type Pool, type Queryable, retryConflicts } from '../db/pool.ts'
import type { PaidReply } from '../delivery/paid-reply.ts'
import { isRevealable } from '../encryption/contact-facts.ts'
import type { ContactSeals } from '../encryption/keyring.ts'
import { type InFlightRequests, runIdempotently } from '../idempotency/idempotency.ts'
import { ApiError } from '../kernel/errors.ts'
import { contactKey, type IdSealer } from '../kernel/ids.ts'
import type { DeliverEmails } from '../search/query/vocabulary.ts'
import { type PaidReveals, payForReveals, runRevealWithRetries } from '../usage/charge-reveals.ts'
import type { TrialLinks } from '../usage/trial-links.ts'
import { contactKeysOf, describeContact, type OpenedContact, openContactRow } from './contact.ts'
import { lockContacts, readContacts } from './queries.ts'
import { ContactRevealReply, type ContactRevealRequest } from './schema.ts'

/** The reply of a reveal: a new one, or the kept reply of the first request with the same Idempotency-Key. */
export type RevealResult = PaidReply & { isReplay: boolean }

export interface RevealContext extends CallerContext {
  db: Pool
  ids: IdSealer
  seals: ContactSeals
  deliverEmails: DeliverEmails
  trialLinks: TrialLinks
  inFlightRequests: InFlightRequests
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
  inFlightRequests: InFlightRequests,
): RevealContext {
  const { ids, seals, config, trialLinks } = services
  const { deliverEmails } = config
  return { ...ctx, ids, seals, deliverEmails, trialLinks, inFlightRequests }
}

const serialize = buildSerializer(ContactRevealReply as object)

/**
 * Returns contacts with their channels. The first reveal of a contact by an account costs a credit, later ones are free.
 * All or nothing; contacts that cannot be revealed are left out. With an Idempotency-Key a repeated request gets the first
 * reply.
 */
export function revealContacts(
  ctx: RevealContext,
  request: ContactRevealRequest,
  idempotencyKey: string | undefined,
): Promise<RevealResult> {
  return runRevealWithRetries(ctx, async () => {
    if (idempotencyKey === undefined) {
      const { body, balance } = await retryConflicts(() => reveal(ctx, ctx.db, readContacts, request))
      return { body, balance, isReplay: false }
    }
    // A reply kept under another DELIVER_EMAILS setting is not replayed. A new one is free: the contacts are revealed already.
    const operation = ctx.deliverEmails === 'all' ? 'revealContacts' : `revealContacts ${ctx.deliverEmails}`
    const idempotent = { operation, key: idempotencyKey, body: request }
    const result = await runIdempotently(ctx, idempotent, (client) => reveal(ctx, client, lockContacts, request))
    return result.isReplay ? { ...result, balance: {} } : result
  })
}

interface RevealablePerson extends OpenedContact {
  /** The public id. */
  id: string
}

interface Revealed extends PaidReply {
  contactIds: number[]
}

async function reveal(
  ctx: RevealContext,
  db: Queryable,
  read: typeof readContacts,
  request: ContactRevealRequest,
): Promise<Revealed> {
  const people = await findRevealable(ctx, db, read, request.contact_ids)
  if (people.length === 0)
    throw new ApiError('no_revealable_contacts', 'None of these contacts can be revealed.', { param: 'contact_ids' })
  const contactIds = people.map(({ key }) => key)
  const paid = await payForReveals(ctx, db, { contactIds, storeIds: people.map(({ storeId }) => storeId) })
  return { body: renderReply(ctx, people, paid), balance: paid.balance, contactIds }
}

/** The revealable contacts among the ids, each once, in the order of first appearance. */
async function findRevealable(
  ctx: RevealContext,
  db: Queryable,
  read: typeof readContacts,
  ids: readonly string[],
): Promise<RevealablePerson[]> {
  const { mode } = ctx.caller
  const idsByKey = new Map<number, string>()
  for (const [index, key] of ctx.ids.openMany('contact', ids, mode).entries())
    if (key !== null) idsByKey.set(key, ids[index]!)
  if (idsByKey.size === 0) return []
  const rows = await read(db, contactKeysOf(mode, [...idsByKey.keys()]))
  const rowsByKey = new Map(rows.map((row) => [contactKey(row.store_id, row.number), row]))
  const people: RevealablePerson[] = []
  for (const [key, id] of idsByKey) {
    const row = rowsByKey.get(key)
    if (!row) continue
    const opened = openContactRow(ctx.seals, row)
    if (isRevealable(opened.facts, ctx.deliverEmails)) people.push({ ...opened, id })
  }
  return people
}

function renderReply(ctx: RevealContext, people: readonly RevealablePerson[], paid: PaidReveals): string {
  const reply: ContactRevealReply = {
    object: 'contact_reveal_result',
    credits: { spent: paid.spent, remaining: paid.balance.contact_credits },
    data: people.map((person) => describeContact(person.id, person, paid.reveals.get(person.key)!, ctx.deliverEmails)),
    request_id: ctx.requestId,
  }
  return serialize(reply)
}
