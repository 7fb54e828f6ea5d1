import type { Entitlement } from '../../server/src/accounts/account.ts'
import { type PlanFile, readPlanFile } from '../../server/src/accounts/plans.ts'
import { type Admission, admit } from '../../server/src/auth/admit.ts'
import type { Pool, Queryable } from '../../server/src/db/pool.ts'
import { hashApiKey } from '../../server/src/kernel/api-key.ts'
import { mapConcurrently } from '../support/lists.ts'

/** What the service asks an admission for, by the kind of call. */
const asked = {
  stores: { scope: 'stores:read', readSearchRows: false },
  storeSearch: { scope: 'stores:read', readSearchRows: true },
  contactSearch: { scope: 'contacts:search', readSearchRows: true },
  reveal: { scope: 'contacts:reveal', readSearchRows: false },
} as const satisfies Record<string, Omit<Admission, 'secretHash'>>

type Statement = { name?: string; text: string; values: unknown[] }

/** What the service knows of a caller when it charges, and the admissions that it sends for the key. */
export interface BareCaller {
  accountId: number
  entitlement: Entitlement
  admissions: Record<keyof typeof asked, Statement>
}

/** Has the service's own code admit each key once, and keeps what that sent. */
export async function prepareCallers(pool: Pool, plansFile: string, keys: string[]): Promise<BareCaller[]> {
  const plans = await readPlanFile(plansFile)
  return mapConcurrently(keys, async (key) => {
    const [stores, storeSearch, contactSearch, reveal] = await Promise.all([
      recordAdmission(pool, plans, key, asked.stores),
      recordAdmission(pool, plans, key, asked.storeSearch),
      recordAdmission(pool, plans, key, asked.contactSearch),
      recordAdmission(pool, plans, key, asked.reveal),
    ])
    const { accountId, entitlement } = stores.caller
    const admissions = {
      stores: stores.statement,
      storeSearch: storeSearch.statement,
      contactSearch: contactSearch.statement,
      reveal: reveal.statement,
    }
    return { accountId, entitlement, admissions }
  })
}

async function recordAdmission(pool: Pool, plans: PlanFile, key: string, admission: Omit<Admission, 'secretHash'>) {
  const sent: Statement[] = []
  const query = (statement: Statement) => {
    sent.push(statement)
    return pool.query(statement)
  }
  const context = { db: { query } as unknown as Queryable, now: new Date(), plans, publicUrl: '' }
  const { caller } = await admit(context, { secretHash: hashApiKey(key), ...admission })
  return { caller, statement: sent[0]! }
}
