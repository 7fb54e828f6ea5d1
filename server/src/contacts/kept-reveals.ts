import { setImmediate as nextTurn } from 'node:timers/promises'
import type { CountedWindows } from '../auth/caller.ts'
import type { Client, Pool } from '../db/pool.ts'
import { type KeepableReply, keepTogether, type SealedReply, sealReply } from '../idempotency/idempotency.ts'
import { type KeptReplyRow, type ReplyClaim, readReply } from '../idempotency/queries.ts'
import { ApiError } from '../kernel/errors.ts'
import type { BatchItem } from '../usage/batch/describe-batch.ts'
import { payForSharedReveals, type SharedReveal, type SharedReveals } from '../usage/batch/shared-reveals.ts'
import type { KnownExports } from '../usage/known-exports.ts'
import { holdContactsSql } from './hold-queries.ts'
import { readContacts } from './queries.ts'
import {
  allKeysOf,
  type OpeningContext,
  ReadContacts,
  type RevealablePerson,
  renderReveal,
  type WantedContacts,
} from './revealable.ts'

/** A reveal with an Idempotency-Key. */
export interface KeptItem extends BatchItem {
  /** Not empty. */
  wanted: WantedContacts
  claim: ReplyClaim
}

export interface RevealReply extends KeepableReply {
  balance: SharedReveal['balance']
}

/** Done; not done, because a reply is kept under the key; or because nobody can be revealed. */
export type KeptOutcome =
  | { state: 'revealed'; windows: CountedWindows; reply: RevealReply }
  | { state: 'taken'; windows: null; kept: KeptReplyRow | undefined }
  | { state: 'unrevealable'; windows: null }

export interface KeptContext extends OpeningContext {
  knownExports: KnownExports
}

/** How long a batch waits for transactions of other servers that hold one of its keys. */
const claimTimeoutMs = 100
/** Opening or rendering this many replies takes about a millisecond. */
const repliesPerTurn = 8

/**
 * Reveals for several requests of an account in one transaction: claims their keys, holds and reads the contacts, admits and
 * charges, keeps the replies. Null if they cannot be charged together; then nothing was done.
 */
export async function revealAndKeep(
  db: Pool,
  items: readonly KeptItem[],
  ctx: KeptContext,
): Promise<readonly KeptOutcome[] | null> {
  const [first, ...others] = items.map(({ claim }) => claim)
  const storeIds = items.flatMap(({ wanted }) => wanted.keys.storeIds)
  const options = { lockTimeoutMs: claimTimeoutMs, alongside: holdContactsSql(storeIds) }
  try {
    const { outcomes, paid } = await keepTogether(db, [first!, ...others], options, async (client, isClaimed) => {
      const people = await findPeople(ctx, client, items, isClaimed)
      const paid = await payForPeople(ctx, client, items, people)
      const { outcomes, replies } = await describeOutcomes(ctx, client, items, { isClaimed, people, paid })
      return { results: { outcomes, paid }, replies }
    })
    paid?.rememberExports()
    return outcomes
  } catch (error) {
    const isTaken = error instanceof ApiError && error.code === 'idempotency_in_progress'
    if (error instanceof BatchRefused || isTaken) return null
    throw error
  }
}

/** Rolls back a transaction whose charge was refused. */
class BatchRefused extends Error {}

/** The people that each request whose key was claimed would reveal. */
async function findPeople(
  ctx: KeptContext,
  client: Client,
  items: readonly KeptItem[],
  isClaimed: readonly boolean[],
): Promise<RevealablePerson[][]> {
  const claimed = items.filter((_, index) => isClaimed[index])
  if (claimed.length === 0) return items.map(() => [])
  const contacts = new ReadContacts(ctx, await readContacts(client, allKeysOf(claimed)))
  return mapInTurns(items, async ({ wanted }, index) => (isClaimed[index] ? contacts.revealable(wanted) : []))
}

interface PaidPeople extends Pick<SharedReveals, 'rememberExports'> {
  paidBy: ReadonlyMap<KeptItem, SharedReveal>
}

/** Charges those who reveal anybody; null if nobody does. */
async function payForPeople(
  { knownExports }: KeptContext,
  client: Client,
  items: readonly KeptItem[],
  people: readonly RevealablePerson[][],
): Promise<PaidPeople | null> {
  const payers = items.flatMap((item, index) => {
    const revealed = people[index]!
    return revealed.length > 0 ? [{ item, ...item, ...deliveryOf(revealed) }] : []
  })
  if (payers.length === 0) return null
  const paid = await payForSharedReveals(client, payers, { knownExports, isKept: true })
  if (!paid) throw new BatchRefused()
  const { reveals, rememberExports } = paid
  return { paidBy: new Map(payers.map(({ item }, index) => [item, reveals[index]!])), rememberExports }
}

/** The contacts and stores of a charge. */
export function deliveryOf(people: readonly RevealablePerson[]): { contactIds: number[]; storeIds: number[] } {
  return { contactIds: people.map(({ key }) => key), storeIds: [...new Set(people.map(({ storeId }) => storeId))] }
}

interface Charged {
  isClaimed: readonly boolean[]
  people: readonly RevealablePerson[][]
  paid: PaidPeople | null
}

async function describeOutcomes(
  ctx: KeptContext,
  client: Client,
  items: readonly KeptItem[],
  { isClaimed, people, paid }: Charged,
): Promise<{ outcomes: KeptOutcome[]; replies: (SealedReply | null)[] }> {
  const replies: (SealedReply | null)[] = items.map(() => null)
  const outcomes = await mapInTurns(items, async (item, index): Promise<KeptOutcome> => {
    if (!isClaimed[index]) return { state: 'taken', windows: null, kept: await readReply(client, item.claim) }
    const reveal = paid?.paidBy.get(item)
    if (!reveal) return { state: 'unrevealable', windows: null }
    const reply = replyOf(ctx, item.requestId, people[index]!, reveal)
    replies[index] = sealReply(ctx, item.claim, reply)
    return { state: 'revealed', windows: reveal.windows, reply }
  })
  return { outcomes, replies }
}

export function replyOf(
  { deliverEmails }: OpeningContext,
  requestId: string,
  people: readonly RevealablePerson[],
  paid: SharedReveal,
): RevealReply {
  const body = renderReveal({ requestId, deliverEmails }, people, paid)
  return { body, balance: paid.balance, contactIds: people.map(({ key }) => key) }
}

/** Maps in steps that leave the event loop to other requests. */
async function mapInTurns<In, Out>(
  values: readonly In[],
  map: (value: In, index: number) => Promise<Out>,
): Promise<Out[]> {
  const mapped: Out[] = []
  for (const [index, value] of values.entries()) {
    if (index > 0 && index % repliesPerTurn === 0) await nextTurn()
    mapped.push(await map(value, index))
  }
  return mapped
}
