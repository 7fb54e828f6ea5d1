import type { Entitlement } from '../accounts/account.ts'
import type { Queryable } from '../db/pool.ts'
import type { Mode } from '../kernel/ids.ts'
import type { RateWindows } from './rate-limits.ts'

/** Who makes a request, once its key was accepted. */
export interface Caller {
  accountId: number
  mode: Mode
  key: { id: number; name: string }
  entitlement: Entitlement
  /** As they stand with this call counted. */
  rate: RateWindows
  /** Search rows used in the period when the request was admitted; 0 where the route does not spend them. */
  searchRowsUsed: number
}

/** What every verb behind the key gets: who asks, when, under which name, and the database. */
export interface CallerContext {
  db: Queryable
  now: Date
  requestId: string
  caller: Caller
}
