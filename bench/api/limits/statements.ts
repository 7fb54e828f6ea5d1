import { randomBytes } from 'node:crypto'
import type { Entitlement } from '../../../server/src/accounts/account.ts'
import { readPlanFile } from '../../../server/src/accounts/plan-file.ts'
import type { PlanFile } from '../../../server/src/accounts/plans.ts'
import { type Admission, admit } from '../../../server/src/auth/admit.ts'
import { noBudgets } from '../../../server/src/auth/budgets.ts'
import { lockContacts, readContacts } from '../../../server/src/contacts/queries.ts'
import { type Pool, type Queryable, transact } from '../../../server/src/db/pool.ts'
import { contactIdsOf } from '../../../server/src/delivery/contact-preview.ts'
import { deliverPreviews, deliverStores, deliverStoresByHost } from '../../../server/src/delivery/queries.ts'
import { claimReply, keepReply } from '../../../server/src/idempotency/queries.ts'
import { hashApiKey } from '../../../server/src/kernel/api-key.ts'
import { splitContactKey } from '../../../server/src/kernel/ids.ts'
import type { Charge, DeliveryCharge } from '../../../server/src/usage/charge-queries.ts'
import { chargeReveals } from '../../../server/src/usage/charge-reveals-queries.ts'
import { mapConcurrently } from '../../support/lists.ts'
import type { BareContactSearch, BareStoreSearch } from './searches.ts'

const deliverEmails = 'all'

/** Sends the statements of each operation in the service's order, through its own query functions. */
export function bareRequests(pool: Pool) {
  return {
    lookup: (caller: BareCaller, domain: string) => deliverAt(pool, caller, [domain]),
    enrich: (caller: BareCaller, domains: string[]) => deliverAt(pool, caller, domains),
    async search(caller: BareCaller, findPage: BareStoreSearch) {
      await pool.query(caller.admissions.storeSearch)
      const storeIds = (await findPage()).map((position) => position.storeId)
      await deliverStores(pool, deliveryOf(caller), { storeIds, deliverEmails })
    },
    async contactSearch(caller: BareCaller, findPage: BareContactSearch) {
      await pool.query(caller.admissions.contactSearch)
      await deliverPreviews(pool, deliveryOf(caller), contactIdsOf(await findPage()))
    },
    async reveal(caller: BareCaller, contactKeys: number[]) {
      await pool.query(caller.admissions.reveal)
      await reveal(pool, caller, readContacts, contactKeys)
    },
    /** `reply` stands for the reply stored under the key. */
    async keyedReveal(caller: BareCaller, contactKeys: number[], reply: Buffer) {
      await pool.query(caller.admissions.reveal)
      const now = new Date()
      const idempotencyKey = {
        accountId: caller.accountId,
        mode: 'live' as const,
        operation: 'revealContacts',
        keyHash: randomBytes(32),
      }
      await transact(pool, async (client) => {
        await claimReply(
          client,
          { ...idempotencyKey, requestHash: randomBytes(32), now, expiredAt: new Date(0) },
          claimTimeoutMs,
        )
        await reveal(client, caller, lockContacts, contactKeys)
        await keepReply(client, idempotencyKey, { reply, contactIds: contactKeys })
      })
    },
  }
}

/** How long the service waits for another request with the same key. */
const claimTimeoutMs = 2_000

async function deliverAt(pool: Pool, caller: BareCaller, hosts: string[]) {
  await pool.query(caller.admissions.stores)
  await deliverStoresByHost(pool, deliveryOf(caller), { hosts, contactIds: [], deliverEmails })
}

async function reveal(db: Queryable, caller: BareCaller, read: typeof readContacts, contactKeys: number[]) {
  const contacts = contactKeys.map(splitContactKey)
  const storeIds = contacts.map(({ storeId }) => storeId)
  await read(db, { mode: 'live', storeIds, numbers: contacts.map(({ number }) => number) })
  const { limits, creditsPeriod } = caller.entitlement
  await chargeReveals(db, {
    ...chargeOf(caller),
    storeIds: [...new Set(storeIds)],
    contactIds: [...new Set(contactKeys)].sort((a, b) => a - b),
    creditsPeriodStart: creditsPeriod.start,
    creditsAllowance: limits.contact_credits,
  })
}

function deliveryOf(caller: BareCaller): DeliveryCharge {
  return { ...chargeOf(caller), searchRowsAllowance: caller.entitlement.limits.search_rows, isView: false }
}

function chargeOf({ accountId, keyId, entitlement }: BareCaller): Charge {
  return {
    accountId,
    mode: 'live',
    now: new Date(),
    requestId: 'req_00000000000000000000',
    keyId,
    personId: null,
    counterKeyId: keyId,
    budgets: noBudgets,
    periodStart: entitlement.period.start,
    storeExportsAllowance: entitlement.limits.store_exports,
  }
}

/** Scope and counters of each admission, by the kind of call. */
const admissionsByCall = {
  stores: { scope: 'stores:read', readSearchRows: false },
  storeSearch: { scope: 'stores:read', readSearchRows: true },
  contactSearch: { scope: 'contacts:search', readSearchRows: true },
  reveal: { scope: 'contacts:reveal', readSearchRows: false },
} as const satisfies Record<string, Omit<Admission, 'secretHash'>>

type Statement = { name?: string; text: string; values: unknown[] }

/** A caller as the service knows it when it charges, with the admission statements for its key. */
export interface BareCaller {
  accountId: number
  keyId: number
  entitlement: Entitlement
  admissions: Record<keyof typeof admissionsByCall, Statement>
}

/** Admits each key once with the service's code and records the statements. */
export async function prepareCallers(pool: Pool, plansFile: string, keys: string[]): Promise<BareCaller[]> {
  const plans = await readPlanFile(plansFile)
  return mapConcurrently(keys, async (key) => {
    const [stores, storeSearch, contactSearch, reveal] = await Promise.all([
      recordAdmission(pool, plans, key, admissionsByCall.stores),
      recordAdmission(pool, plans, key, admissionsByCall.storeSearch),
      recordAdmission(pool, plans, key, admissionsByCall.contactSearch),
      recordAdmission(pool, plans, key, admissionsByCall.reveal),
    ])
    const { accountId, key: spender, entitlement } = stores.caller
    const admissions = {
      stores: stores.statement,
      storeSearch: storeSearch.statement,
      contactSearch: contactSearch.statement,
      reveal: reveal.statement,
    }
    return { accountId, keyId: spender.id, entitlement, admissions }
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
