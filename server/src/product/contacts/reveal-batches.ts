import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import {
  type KeepableReply,
  keepTogether,
  type SealedReply,
  sealReply,
} from '../../customers/idempotency/idempotency.ts'
import { type KeptReplyRow, type ReplyClaim, readReply } from '../../customers/idempotency/queries.ts'
import type { ChargeContext } from '../../customers/ledger/charge.ts'
import type { Charges, SendBatch } from '../../customers/ledger/charges.ts'
import type { ChargeOutcome, NotPaid, Paid } from '../../customers/ledger/outcome.ts'
import { type ChargeItem, chargeItemOf, type Spending } from '../../customers/ledger/spending.ts'
import type { Client, ConnectionPool } from '../../foundation/db/pool.ts'
import { SharedReads } from '../../foundation/http/request-database.ts'
import { Refusal } from '../../foundation/kernel/errors.ts'
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

export interface RevealReply extends KeepableReply {
  balance: Paid['balance']
}

/** A reveal with an Idempotency-Key. */
interface KeptItem extends ChargeItem {
  wanted: WantedContacts
  claim: ReplyClaim
}

/** Why a reply is not kept: the key has one already, another transaction holds the key, or no contact can be revealed. */
export type KeptOutcome =
  | { state: 'revealed'; windows: Paid['windows']; reply: RevealReply }
  | { state: 'taken'; kept: KeptReplyRow }
  | { state: 'held' }
  | { state: 'unrevealable' }

interface BatchOptions extends OpeningContext {
  pool: ConnectionPool
  charges: Charges
}

/** How long a batch waits for transactions of other servers that hold one of its keys. */
const claimTimeoutMs = 20
/** Opening or rendering this many replies takes about a millisecond. */
const repliesPerSlice = 8

/** Reveals that come at once share round trips: their reads and, of one account, their transactions. */
export class RevealBatches {
  readonly #options: BatchOptions
  readonly #reads: SharedReads<WantedContacts, ReadContacts>

  constructor(options: BatchOptions) {
    this.#options = options
    this.#reads = new SharedReads({
      pool: options.pool,
      weigh: ({ idsByKey }) => idsByKey.size,
      read: async (db, _, wanted) => new ReadContacts(options, await readContacts(db, allKeysOf(wanted))),
    })
  }

  /** The contacts that can be revealed, among those that are wanted. */
  async findRevealable(ctx: ChargeContext, wanted: WantedContacts): Promise<RevealablePerson[]> {
    return wanted.idsByKey.size === 0 ? [] : (await this.#reads.read(ctx, wanted)).revealable(wanted)
  }

  /**
   * Reveals in one transaction: claims the key, holds and reads the contacts, charges, and keeps the reply. Requests of the account that
   * come at once share it.
   */
  keep(ctx: ChargeContext, wanted: WantedContacts, claim: ReplyClaim): Promise<KeptOutcome | NotPaid> {
    const spending = spendingOn([...wanted.idsByKey.keys()], wanted.keys.storeIds)
    return ctx.charges.run(ctx.db, { ...chargeItemOf(ctx, spending), wanted, claim }, this.#keepBatch)
  }

  readonly #keepBatch: SendBatch<KeptItem, KeptOutcome | NotPaid> = async (db, items) => {
    const [first, ...others] = items.map(({ claim }) => claim)
    const storeIds = items.flatMap(({ wanted }) => wanted.keys.storeIds)
    // An erasure waits until the replies are kept.
    const alongside = storeIds.length > 0 ? holdContactsSql(storeIds) : undefined
    const options = { lockTimeoutMs: claimTimeoutMs, alongside }
    try {
      const { outcomes, remember } = await keepTogether(db, [first!, ...others], options, async (client, isClaimed) => {
        const people = await this.#findPeople(client, items, isClaimed)
        const { outcomeOf, remember } = await this.#charge(client, items, people)
        const { outcomes, replies } = await this.#describe(client, items, { isClaimed, people, outcomeOf })
        return { results: { outcomes, remember }, replies }
      })
      remember()
      return outcomes
    } catch (error) {
      if (error instanceof BatchRefused) return null
      if (!(error instanceof Refusal && error.code === 'idempotency_in_progress')) throw error
      return items.length > 1 ? null : [{ state: 'held' }]
    }
  }

  /** The people that each request whose key was claimed would reveal. */
  async #findPeople(
    client: Client,
    items: readonly KeptItem[],
    isClaimed: readonly boolean[],
  ): Promise<RevealablePerson[][]> {
    const claimed = items.filter(({ wanted }, index) => isClaimed[index] && wanted.idsByKey.size > 0)
    if (claimed.length === 0) return items.map(() => [])
    const contacts = new ReadContacts(
      this.#options,
      await readContacts(client, allKeysOf(claimed.map(({ wanted }) => wanted))),
    )
    return mapInSlices(items, async ({ wanted }, index) => (isClaimed[index] ? contacts.revealable(wanted) : []))
  }

  /** Charges the requests that reveal anybody. */
  async #charge(client: Client, items: readonly KeptItem[], people: readonly RevealablePerson[][]) {
    const payers = items.flatMap((item, index) =>
      people[index]!.length > 0
        ? [{ ...item, spending: { ...spendingOnPeople(people[index]!), keepsMore: true } }]
        : [],
    )
    if (payers.length === 0) return { outcomeOf: new Map<ReplyClaim, ChargeOutcome>(), remember: () => {} }
    const sent = await this.#options.charges.chargeWithin(client, payers)
    if (!sent) throw new BatchRefused()
    const outcomeOf = new Map(payers.map(({ claim }, index) => [claim, sent.outcomes[index]!]))
    return { outcomeOf, remember: () => sent.remember() }
  }

  async #describe(
    client: Client,
    items: readonly KeptItem[],
    { isClaimed, people, outcomeOf }: Charged,
  ): Promise<{ outcomes: (KeptOutcome | NotPaid)[]; replies: (SealedReply | null)[] }> {
    const replies: (SealedReply | null)[] = items.map(() => null)
    const outcomes = await mapInSlices(items, async ({ claim, requestId }, index): Promise<KeptOutcome | NotPaid> => {
      if (!isClaimed[index]) {
        const kept = await readReply(client, claim)
        return kept ? { state: 'taken', kept } : { state: 'contended' }
      }
      const outcome = outcomeOf.get(claim)
      if (!outcome) return { state: 'unrevealable' }
      if (outcome.state !== 'paid') return outcome
      const reply = renderReply(this.#options, requestId, people[index]!, outcome)
      replies[index] = sealReply(this.#options, claim, reply)
      return { state: 'revealed', windows: outcome.windows, reply }
    })
    return { outcomes, replies }
  }
}

interface Charged {
  isClaimed: readonly boolean[]
  people: readonly RevealablePerson[][]
  outcomeOf: ReadonlyMap<ReplyClaim, ChargeOutcome>
}

/** Rolls back a transaction whose requests were refused together. */
class BatchRefused extends Error {}

/** What revealing people costs. */
export function spendingOnPeople(people: readonly RevealablePerson[]): Spending {
  return spendingOn(
    people.map(({ key }) => key),
    people.map(({ storeId }) => storeId),
  )
}

function spendingOn(contactIds: number[], storeIds: number[]): Spending {
  return { contact_credits: { ids: contactIds }, store_exports: { ids: [...new Set(storeIds)] } }
}

export function renderReply(
  { deliverEmails }: Pick<OpeningContext, 'deliverEmails'>,
  requestId: string,
  people: readonly RevealablePerson[],
  paid: Paid,
): RevealReply {
  const body = renderReveal({ requestId, deliverEmails }, people, paid)
  return { body, balance: paid.balance, contactIds: people.map(({ key }) => key) }
}

/** Maps in steps that leave the event loop to other requests. */
async function mapInSlices<In, Out>(
  values: readonly In[],
  map: (value: In, index: number) => Promise<Out>,
): Promise<Out[]> {
  const mapped: Out[] = []
  for (const [index, value] of values.entries()) {
    if (index > 0 && index % repliesPerSlice === 0) await yieldToEventLoop()
    mapped.push(await map(value, index))
  }
  return mapped
}
