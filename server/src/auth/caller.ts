import type { Entitlement } from '../accounts/account.ts'
import type { Queryable } from '../db/pool.ts'
import type { Mode } from '../kernel/ids.ts'

/** One fixed window of a request limit, as a reply's headers tell it. */
export interface RateWindow {
  limit: number
  used: number
  startedAt: Date
  endsAt: Date
}

/** Who makes a request, once its key was accepted. */
export interface Caller {
  accountId: number
  mode: Mode
  key: { id: number; name: string }
  entitlement: Entitlement
  rate: { minute: RateWindow; day: RateWindow }
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
