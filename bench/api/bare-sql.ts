import { randomBytes } from 'node:crypto'
import { claimReply, keepReply } from '../../server/src/contacts/idempotency-queries.ts'
import { holdContactsAt, readContactsAt } from '../../server/src/contacts/reveal-queries.ts'
import { type Pool, type Queryable, transact } from '../../server/src/db/pool.ts'
import { splitContactKey } from '../../server/src/kernel/ids.ts'
import { type ContactSearch, findContacts } from '../../server/src/search/postgres/find-contacts.ts'
import { findStores, type StoreSearch } from '../../server/src/search/postgres/find-stores.ts'
import { findStoreByHost, findStoresByHosts } from '../../server/src/stores/queries.ts'
import { chargeDelivery } from '../../server/src/usage/charge-queries.ts'
import { chargeReveals } from '../../server/src/usage/charge-reveals-queries.ts'
import type { BareCaller } from './bare-callers.ts'
import { searchLimit } from './workload.ts'

/** The statements of each operation, one after the other as the service sends them, through its own query functions. */
export function bareRequests(pool: Pool) {
  return {
    async lookup(caller: BareCaller, domain: string) {
      await pool.query(caller.admissions.stores)
      const found = await findStoreByHost(pool, 'live', domain, 'all')
      await payForDelivery(pool, caller, { storeIds: [found!.store_id] })
    },
    async search(caller: BareCaller, search: StoreSearch) {
      await pool.query(caller.admissions.storeSearch)
      const page = (await findStores(pool, search)).slice(0, searchLimit)
      await payForDelivery(pool, caller, { storeIds: page.map(({ id }) => id), searchRows: page.length })
    },
    async enrich(caller: BareCaller, domains: string[]) {
      await pool.query(caller.admissions.stores)
      const rows = await findStoresByHosts(pool, 'live', domains, 'all')
      await payForDelivery(pool, caller, { storeIds: rows.map((row) => row.store_id) })
    },
    async contactSearch(caller: BareCaller, search: ContactSearch) {
      await pool.query(caller.admissions.contactSearch)
      const page = (await findContacts(pool, search)).slice(0, searchLimit)
      await payForDelivery(pool, caller, {
        storeIds: page.map(({ storeId }) => storeId),
        searchRows: page.length,
        contactIds: page.map(({ id }) => id),
      })
    },
    async reveal(caller: BareCaller, contactKeys: number[]) {
      await pool.query(caller.admissions.reveal)
      await reveal(pool, caller, readContactsAt, contactKeys)
    },
    /** `reply` stands for what is kept under the key. */
    async keyedReveal(caller: BareCaller, contactKeys: number[], reply: Buffer) {
      await pool.query(caller.admissions.reveal)
      const now = new Date()
      const place = {
        accountId: caller.accountId,
        mode: 'live' as const,
        operation: 'revealContacts',
        keyHash: randomBytes(32),
      }
      await transact(pool, async (client) => {
        await claimReply(client, { ...place, requestHash: randomBytes(32), now, expiredAt: new Date(0) }, patienceMs)
        await reveal(client, caller, holdContactsAt, contactKeys)
        await keepReply(client, place, { reply, contactIds: contactKeys })
      })
    },
  }
}

/** How long the service waits for another request with the same key. */
const patienceMs = 2_000

interface BareDelivery {
  storeIds: number[]
  searchRows?: number
  contactIds?: number[]
}

function payForDelivery(pool: Pool, caller: BareCaller, { storeIds, searchRows = 0, contactIds = [] }: BareDelivery) {
  const { limits } = caller.entitlement
  return chargeDelivery(pool, {
    ...chargeOf(caller, storeIds),
    contactIds,
    searchRows,
    searchRowsAllowance: limits.search_rows,
  })
}

async function reveal(db: Queryable, caller: BareCaller, read: typeof readContactsAt, contactKeys: number[]) {
  const places = contactKeys.map(splitContactKey)
  const storeIds = places.map(({ storeId }) => storeId)
  await read(db, { mode: 'live', storeIds, numbers: places.map(({ number }) => number) })
  const { limits, creditsPeriod } = caller.entitlement
  await chargeReveals(db, {
    ...chargeOf(caller, storeIds),
    contactIds: ascending(contactKeys),
    creditsPeriodStart: creditsPeriod.start,
    creditsAllowance: limits.contact_credits,
  })
}

function chargeOf({ accountId, entitlement }: BareCaller, storeIds: number[]) {
  return {
    accountId,
    mode: 'live' as const,
    now: new Date(),
    requestId: 'req_00000000000000000000',
    periodStart: entitlement.period.start,
    storeIds: ascending(storeIds),
    storeExportsAllowance: entitlement.limits.store_exports,
  }
}

const ascending = (ids: number[]) => [...new Set(ids)].sort((a, b) => a - b)
