import type { PlanFile } from '../../../server/src/accounts/plans.ts'
import { admit } from '../../../server/src/admission/admit.ts'
import { KnownKey } from '../../../server/src/admission/known-keys.ts'
import type { CallerContext, PendingAdmission, Scope } from '../../../server/src/auth/caller.ts'
import { selectAccountsOfKeys } from '../../../server/src/auth/key-queries.ts'
import type { ConnectionPool, Pool } from '../../../server/src/db/pool.ts'
import { contactIdsOf } from '../../../server/src/delivery/contact-preview.ts'
import { DocumentCache } from '../../../server/src/delivery/document-cache.ts'
import { SharedDeliveries } from '../../../server/src/delivery/shared/shared-deliveries.ts'
import { hashApiKey } from '../../../server/src/kernel/api-key.ts'
import { KnownExports } from '../../../server/src/ledger/known-exports.ts'
import { mapConcurrently } from '../../../server/test/support/records/lists.ts'
import { searchLimit } from '../load/workload.ts'
import { BareReveals } from './reveals.ts'
import type { BareContactSearch, BareStoreSearch } from './searches.ts'

const deliverEmails = 'all'

/**
 * Admits and charges as the service does, by its own shared deliveries: what the connections ask for at the same time travels in
 * one statement, and a lone request at once. What a service remembers of documents and exports is remembered here too.
 */
export class BareRequests {
  readonly #pool: ConnectionPool
  readonly #plans: PlanFile
  readonly #deliveries: SharedDeliveries
  readonly #reveals: BareReveals

  constructor(pool: ConnectionPool, plans: PlanFile) {
    this.#pool = pool
    this.#plans = plans
    const documents = new DocumentCache({ maxBytes: rememberedBytes, db: pool.lane('document cache') })
    const knownExports = new KnownExports({ maxBytes: rememberedBytes })
    this.#deliveries = new SharedDeliveries({ pool, documents, knownExports, deliverEmails })
    this.#reveals = new BareReveals(pool, knownExports)
  }

  lookup(caller: BareCaller, domain: string): Promise<void> {
    return this.enrich(caller, [domain])
  }

  enrich(caller: BareCaller, domains: string[]): Promise<void> {
    return this.#charge(caller, 'stores:read', (ctx) => this.#deliveries.deliverHosts(ctx, domains))
  }

  async search(caller: BareCaller, findPage: BareStoreSearch): Promise<void> {
    const storeIds = (await findPage()).map((position) => position.storeId)
    await this.#charge(caller, 'stores:read', (ctx) => this.#deliveries.deliverStores(ctx, storeIds, searchLimit))
  }

  async contactSearch(caller: BareCaller, findPage: BareContactSearch): Promise<void> {
    const contactIds = contactIdsOf(await findPage())
    const deliver = (ctx: CallerContext) => this.#deliveries.deliverPreviews(ctx, contactIds, searchLimit)
    await this.#charge(caller, 'contacts:search', deliver)
  }

  reveal(caller: BareCaller, contactKeys: number[]): Promise<void> {
    return this.#charge(caller, 'contacts:reveal', (ctx) => this.#reveals.reveal(ctx, contactKeys))
  }

  /** `reply` stands for the reply stored under the key. */
  keyedReveal(caller: BareCaller, contactKeys: number[], reply: Buffer): Promise<void> {
    return this.#charge(caller, 'contacts:reveal', (ctx) => this.#reveals.revealAndKeep(ctx, contactKeys, reply))
  }

  /**
   * Charges by what is known of the key. Once an hour the service writes the key's last use, and its charges are refused until
   * it is admitted anew: here too. Another refusal costs less than a delivery, so results with one are meaningless.
   */
  async #charge(caller: BareCaller, scope: Scope, deliver: (ctx: CallerContext) => Promise<object | null>) {
    if (await deliver(this.#contextOf(caller, scope))) return
    caller.known = await admitKey(this.#pool, this.#plans, caller.key)
    if (!(await deliver(this.#contextOf(caller, scope)))) throw new Error('a charge of the bench was refused')
  }

  #contextOf({ known }: BareCaller, scope: Scope): CallerContext {
    const now = new Date()
    const caller = known.callerAt(now, this.#plans, scope)
    if (!caller) throw new Error(`a key of the bench lacks ${scope}`)
    return { db: this.#pool, now, requestId, caller, admission: new BareAdmission(known, now) }
  }
}

const requestId = 'req_00000000000000000000'
/** More than the documents and exports of a run take. */
const rememberedBytes = 256 * 2 ** 20

/** An admission that always waits for the charge. */
class BareAdmission implements PendingAdmission {
  readonly standing: KnownKey
  readonly requestedAt: Date
  isPending = true

  constructor(standing: KnownKey, requestedAt: Date) {
    this.standing = standing
    this.requestedAt = requestedAt
  }

  settle(): Promise<void> {
    throw new Error('a charge of the bench was refused')
  }

  complete(): void {
    this.isPending = false
  }

  refuse(): void {}

  abandon(): void {}
}

const anyAdmission = { scope: 'stores:read', readSearchRows: false } as const

/** A caller as the service knows it. */
export interface BareCaller {
  key: string
  known: KnownKey
}

/** Admits each key once with the service's code. Call it again when the accounts have changed. */
export function prepareCallers(pool: Pool, plans: PlanFile, keys: readonly string[]): Promise<BareCaller[]> {
  return mapConcurrently(keys, async (key) => ({ key, known: await admitKey(pool, plans, key) }))
}

async function admitKey(pool: Pool, plans: PlanFile, key: string): Promise<KnownKey> {
  const secretHash = hashApiKey(key)
  const [owner] = await selectAccountsOfKeys(pool, [secretHash])
  const context = { db: pool, now: new Date(), plans, billingPageOf: () => '' }
  const { row } = await admit(context, { secretHash, accountId: owner!.account_id, ...anyAdmission })
  return new KnownKey(row)
}
