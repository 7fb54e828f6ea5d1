import { mapConcurrently } from '@storedex/testkit'
import type { PlanFile } from '../../../server/src/customers/accounts/plans.ts'
import { findCaller } from '../../../server/src/customers/admission/admit.ts'
import { CachedKey } from '../../../server/src/customers/admission/key-cache.ts'
import type { CountedWindows, RequestAdmission, Scope } from '../../../server/src/customers/auth/caller.ts'
import { selectAccountsOfKeys } from '../../../server/src/customers/auth/key-queries.ts'
import { Charges } from '../../../server/src/customers/ledger/charges.ts'
import { KnownExports } from '../../../server/src/customers/ledger/exports-cache.ts'
import type { ConnectionPool, Pool } from '../../../server/src/foundation/db/pool.ts'
import { hashApiKey } from '../../../server/src/foundation/kernel/api-key.ts'
import { contactIdsOf } from '../../../server/src/product/delivery/contact-preview.ts'
import { deliverHosts, deliverPreviews, deliverStores } from '../../../server/src/product/delivery/deliver.ts'
import { Documents } from '../../../server/src/product/delivery/documents.ts'
import type { CatalogueContext } from '../../../server/src/product/delivery/paid-reply.ts'
import { searchLimit } from '../load/workload.ts'
import { BareReveals } from './reveals.ts'
import type { BareContactSearch, BareStoreSearch } from './searches.ts'

const deliverEmails = 'all'
const taken = { limit: searchLimit, viewedPage: null }

/**
 * Charges and delivers as the service does, by its own code: what the connections ask for at the same time travels in one
 * statement, and a lone request at once. What a service remembers of documents and exports is remembered here too.
 */
export class BareRequests {
  readonly #pool: ConnectionPool
  readonly #plans: PlanFile
  readonly #services: Pick<CatalogueContext, 'charges' | 'documents'>
  readonly #reveals: BareReveals

  constructor(pool: ConnectionPool, plans: PlanFile) {
    this.#pool = pool
    this.#plans = plans
    const knownExports = new KnownExports({ maxBytes: rememberedBytes })
    const charges = new Charges({ pool, knownExports })
    this.#services = { charges, documents: new Documents({ maxBytes: rememberedBytes, pool, deliverEmails }) }
    this.#reveals = new BareReveals(pool, charges)
  }

  lookup(caller: BareCaller, domain: string): Promise<void> {
    return this.enrich(caller, [domain])
  }

  async enrich(caller: BareCaller, domains: string[]): Promise<void> {
    await deliverHosts(this.#contextOf(caller, 'stores:read'), domains)
  }

  async search(caller: BareCaller, findPage: BareStoreSearch): Promise<void> {
    const storeIds = (await findPage()).map((position) => position.storeId)
    await deliverStores(this.#contextOf(caller, 'stores:read'), storeIds, taken)
  }

  async contactSearch(caller: BareCaller, findPage: BareContactSearch): Promise<void> {
    const contactIds = contactIdsOf(await findPage())
    await deliverPreviews(this.#contextOf(caller, 'contacts:search'), contactIds, taken)
  }

  async reveal(caller: BareCaller, contactKeys: number[]): Promise<void> {
    await this.#reveals.reveal(this.#contextOf(caller, 'contacts:reveal'), contactKeys)
  }

  /** `reply` stands for the reply stored under the key. */
  async keyedReveal(caller: BareCaller, contactKeys: number[], reply: Buffer): Promise<void> {
    await this.#reveals.revealAndKeep(this.#contextOf(caller, 'contacts:reveal'), contactKeys, reply)
  }

  /** A refusal costs less than a delivery, so results with one are meaningless: it is thrown. */
  #contextOf(bare: BareCaller, scope: Scope): CatalogueContext {
    const now = new Date()
    const caller = bare.known.callerAt(now, this.#plans, scope)
    if (!caller) throw new Error(`a key of the bench lacks ${scope}`)
    const admission = new BareAdmission(bare, now, () => admitKey(this.#pool, this.#plans, bare.key))
    const ctx = { db: this.#pool, now, requestId, caller, admission, deliverEmails, ...this.#services }
    return ctx as unknown as CatalogueContext
  }
}

const requestId = 'req_00000000000000000000'
/** More than the documents and exports of a run take. */
const rememberedBytes = 256 * 2 ** 20

/** An admission by what is known of the key. Once an hour the service writes the key's last use; then it is read again, here too. */
class BareAdmission implements RequestAdmission {
  readonly requestedAt: Date
  isPending = true
  readonly #caller: BareCaller
  readonly #read: () => Promise<CachedKey>

  constructor(caller: BareCaller, requestedAt: Date, read: () => Promise<CachedKey>) {
    this.#caller = caller
    this.requestedAt = requestedAt
    this.#read = read
  }

  get known(): CachedKey {
    return this.#caller.known
  }

  async refresh(): Promise<void> {
    this.#caller.known = await this.#read()
  }

  end(_: CountedWindows): void {
    this.isPending = false
  }

  abandon(): void {
    this.isPending = false
  }
}

/** A caller as the service knows it. */
export interface BareCaller {
  key: string
  known: CachedKey
}

/** Reads each key once with the service's code. Call it again when the accounts have changed. */
export function prepareCallers(pool: Pool, plans: PlanFile, keys: readonly string[]): Promise<BareCaller[]> {
  return mapConcurrently(keys, async (key) => ({ key, known: await admitKey(pool, plans, key) }))
}

async function admitKey(pool: Pool, plans: PlanFile, key: string): Promise<CachedKey> {
  const secretHash = hashApiKey(key)
  const [owner] = await selectAccountsOfKeys(pool, [secretHash])
  const context = { db: pool, now: new Date(), plans, billingPageOf: () => '' }
  const { row } = await findCaller(context, { secretHash, accountId: owner!.account_id, scope: 'stores:read' })
  return new CachedKey(row)
}
