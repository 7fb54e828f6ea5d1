import type { Mode } from '../../foundation/kernel/ids.ts'
import { type AccountTerms, type Entitlement, entitlementAt } from '../accounts/account.ts'
import type { PlanFile } from '../accounts/plans.ts'
import { toAccountTerms } from '../accounts/queries.ts'
import { budgetsOf, type CallingKey } from '../auth/budgets.ts'
import type { CachedKeyVersions, KeyCaller, Scope } from '../auth/caller.ts'
import type { PresentedKeyRow } from './queries.ts'

/** A key and its account, as the last admission with the key read them. */
export class CachedKey implements CachedKeyVersions {
  readonly keyVersion: string
  readonly accountVersion: string
  isStale = false
  readonly accountId: number
  readonly #mode: Mode
  readonly #scopes: readonly Scope[]
  readonly #isUsable: boolean
  readonly #expiresAtMs: number
  readonly #terms: AccountTerms
  readonly #key: CallingKey
  #entitlement: Entitlement | null = null
  /** The times for which `#entitlement` holds, the second one excluded. */
  #entitledFromMs = 0
  #entitledUntilMs = 0

  constructor(row: PresentedKeyRow) {
    this.keyVersion = row.key_version
    this.accountVersion = row.account_version
    this.accountId = row.account_id
    this.#mode = row.mode
    this.#scopes = row.scopes as Scope[]
    this.#isUsable = row.revoked_at === null && row.key_suspended_at === null && row.access_open
    this.#expiresAtMs = row.expires_at?.getTime() ?? Number.POSITIVE_INFINITY
    this.#terms = toAccountTerms(row)
    this.#key = {
      id: row.key_id,
      name: row.key_name,
      counterKeyId: row.counter_key_id,
      budgets: budgetsOf(row),
    }
  }

  /** The caller of a request; null if it would be rejected. Its windows are unknown. No scope is for what any key may do. */
  callerAt(now: Date, plans: PlanFile, scope: Scope | null): KeyCaller | null {
    if (!this.#isUsable || this.#expiresAtMs <= now.getTime()) return null
    if (scope !== null && !this.#scopes.includes(scope)) return null
    return {
      accountId: this.accountId,
      mode: this.#mode,
      key: this.#key,
      userId: null,
      scopes: this.#scopes,
      entitlement: this.#entitlementAt(now, plans),
      rate: {},
    }
  }

  /** An entitlement changes only with its periods, or when a trial ends. */
  #entitlementAt(now: Date, plans: PlanFile): Entitlement {
    const nowMs = now.getTime()
    if (this.#entitlement && nowMs >= this.#entitledFromMs && nowMs < this.#entitledUntilMs) return this.#entitlement
    const entitlement = entitlementAt(this.#terms, plans, now)
    const trialEndsAtMs = this.#terms.trialEndsAt?.getTime() ?? 0
    this.#entitlement = entitlement
    this.#entitledFromMs = nowMs
    this.#entitledUntilMs = Math.min(
      entitlement.period.end.getTime(),
      entitlement.creditsPeriod.end.getTime(),
      trialEndsAtMs > nowMs ? trialEndsAtMs : Number.POSITIVE_INFINITY,
    )
    return entitlement
  }
}

const maxKnown = 10_000

/**
 * Remembers the keys that were used last, so that a request can be prepared before the database admits it. A cached
 * key may be outdated: the statement that charges the request checks it.
 */
export class KeyCache {
  readonly #known = new Map<string, CachedKey>()

  /** `keyName` is the hash of the key, as text. */
  find(keyName: string): CachedKey | undefined {
    const known = this.#known.get(keyName)
    return known?.isStale ? undefined : known
  }

  remember(keyName: string, row: PresentedKeyRow): CachedKey {
    const known = this.#known.get(keyName)
    if (known && !known.isStale && known.keyVersion === row.key_version && known.accountVersion === row.account_version)
      return known
    if (!known && this.#known.size >= maxKnown) this.#known.clear()
    const read = new CachedKey(row)
    this.#known.set(keyName, read)
    return read
  }
}
