import buildSerializer from 'fast-json-stringify'
import type { CallerContext } from '../auth/caller.ts'
import { type Pool, type Queryable, retryConflicts } from '../db/pool.ts'
import type { PaidReply } from '../delivery/paid-reply.ts'
import { type ContactFacts, deliverableEmails, fullNameOf, isRevealable } from '../encryption/contact-facts.ts'
import { type ContactSeals, openContact } from '../encryption/keyring.ts'
import { type InFlightRequests, runIdempotently } from '../idempotency/idempotency.ts'
import { ApiError } from '../kernel/errors.ts'
import { contactKey, type IdSealer, splitContactKey } from '../kernel/ids.ts'
import type { DeliverEmails } from '../search/query/vocabulary.ts'
import { type PaidReveals, payForReveals, runRevealWithRetries } from '../usage/charge-reveals.ts'
import type { TrialLinks } from '../usage/trial-links.ts'
import { type ContactKeys, lockContacts, readContacts } from './queries.ts'
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

interface Person {
  key: number
  /** The public id. */
  id: string
  storeId: number
  facts: ContactFacts
  store: { id: string; domain: string; name: string }
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
): Promise<Person[]> {
  const { mode } = ctx.caller
  const idsByKey = new Map<number, string>()
  for (const [index, key] of ctx.ids.openMany('contact', ids, mode).entries())
    if (key !== null) idsByKey.set(key, ids[index]!)
  if (idsByKey.size === 0) return []
  const rows = await read(db, contactKeysOf(mode, [...idsByKey.keys()]))
  const rowsByKey = new Map(rows.map((row) => [contactKey(row.store_id, row.number), row]))
  const people: Person[] = []
  for (const [key, id] of idsByKey) {
    const row = rowsByKey.get(key)
    if (!row) continue
    const facts = openContact(ctx.seals.sealer, row.store_id, row.number, row.sealed)
    if (isRevealable(facts, ctx.deliverEmails))
      people.push({ key, id, storeId: row.store_id, facts, store: JSON.parse(row.store) })
  }
  return people
}

function contactKeysOf(mode: ContactKeys['mode'], contactIds: number[]): ContactKeys {
  const keys = contactIds.map(splitContactKey)
  return { mode, storeIds: keys.map(({ storeId }) => storeId), numbers: keys.map(({ number }) => number) }
}

function renderReply(ctx: RevealContext, people: readonly Person[], paid: PaidReveals): string {
  const reply: ContactRevealReply = {
    object: 'contact_reveal_result',
    credits: { spent: paid.spent, remaining: paid.balance.contact_credits },
    data: people.map((person) => renderPerson(person, paid, ctx.deliverEmails)),
    request_id: ctx.requestId,
  }
  return serialize(reply)
}

function renderPerson(
  { key, id, facts, store }: Person,
  paid: PaidReveals,
  deliverEmails: DeliverEmails,
): ContactRevealReply['data'][number] {
  const { revealedAt, isNew } = paid.reveals.get(key)!
  return {
    id,
    object: 'contact',
    full_name: fullNameOf(facts),
    first_name: facts.first_name,
    last_name: facts.last_name,
    title: facts.title,
    role: facts.role,
    seniority: facts.seniority,
    profile_url: facts.profile_url,
    reveal_status: isNew ? 'newly_revealed' : 'already_revealed',
    charged: isNew,
    emails: deliverableEmails(facts, deliverEmails),
    phones: facts.phones,
    store,
    revealed_at: revealedAt.toISOString(),
  }
}
