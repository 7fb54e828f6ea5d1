import type { Queryable } from '../../foundation/db/pool.ts'
import type { Mode } from '../../foundation/kernel/ids.ts'
import type { Entitlement } from '../accounts/account.ts'
import type { ActorContext } from './actor.ts'
import type { CallingKey } from './budgets.ts'
import type { RateWindows } from './rate-limits.ts'

/** The permissions a key can have. */
export const scopes = [
  'usage:read',
  'stores:read',
  'contacts:search',
  'contacts:reveal',
  'lists:manage',
  'exports:manage',
  'billing:read',
  'billing:manage',
] as const

export type Scope = (typeof scopes)[number]

/** The default scopes of a new key: all data, and to read why the account has lost its access, once it has. */
export const defaultScopes: readonly Scope[] = [
  'usage:read',
  'stores:read',
  'contacts:search',
  'contacts:reveal',
  'billing:read',
]

/** Whether a key can do nothing at all while its account has no API access. */
export function lacksBillingScopes(held: readonly Scope[]): boolean {
  return !held.includes('billing:read') && !held.includes('billing:manage')
}

/** The account for which a request acts, and who acts: an API key, or a user of the console. */
export interface Caller {
  accountId: number
  mode: Mode
  /** Null for a user. */
  key: CallingKey | null
  /** The user who is signed in; null for a key. */
  userId: number | null
  /** The scopes of the key; null for a user, who may do what the role in the account allows. */
  scopes: readonly Scope[] | null
  entitlement: Entitlement
  /** The rate windows, including this call; none for a user. */
  rate: RateWindows
}

/** Who spends, under which terms. */
export type Spender = Pick<Caller, 'accountId' | 'mode' | 'userId'> & {
  key: Pick<CallingKey, 'id' | 'counterKeyId' | 'budgets'> | null
  entitlement: Pick<
    Entitlement,
    'limits' | 'period' | 'creditsPeriod' | 'trial' | 'paidPlanCredits' | 'hasPaymentMethod'
  >
}

/** The caller of a request whose key was accepted. */
export interface KeyCaller extends Caller {
  key: CallingKey
  userId: null
  scopes: readonly Scope[]
}

/** The windows of a request that was counted. */
export interface CountedWindows {
  minuteStartedAt: Date
  minuteUsed: number
  /** The UTC day, as YYYY-MM-DD. */
  day: string
  dayUsed: number
}

/** The versions of a cached key and its account; the cache is right while the database has the same. */
export interface CachedKeyVersions {
  readonly keyVersion: string
  readonly accountVersion: string
  /** Whether the database was seen to have another version. */
  isStale: boolean
}

/** Counts a request in its windows once: with its charge, or by a charge of nothing. */
export interface RequestAdmission {
  /** The cached key that the request is prepared with; the statement that counts it checks the versions. */
  readonly known: CachedKeyVersions
  /** The time of the request, by which its windows count. */
  readonly requestedAt: Date
  /** Whether the request has been neither counted nor refused. */
  readonly isPending: boolean
  /** Reads key and account again, because what was known is not right. Updates the caller; throws a refusal. */
  refresh(): Promise<void>
  /** The request was counted, or refused without being counted; the windows are those that it leaves. */
  end(windows: CountedWindows, isCounted: boolean): void
  /** The charge failed without an answer: whether the request was counted is unknown. */
  abandon(): void
}

/** The context of an authenticated request. */
export interface CallerContext extends ActorContext {
  db: Queryable
  requestId: string
  caller: Caller
  /** Null for a user. */
  admission?: RequestAdmission | null
}
