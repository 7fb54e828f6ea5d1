import type { Client } from '../../../foundation/db/pool.ts'
import type { Mode } from '../../../foundation/kernel/ids.ts'
import * as queries from './pending-queries.ts'

/** A host that a store has from now on. */
export interface ArrivedHost {
  host: string
  storeId: number
}

/**
 * Makes stores members of the lists in which one of their hosts was waiting. Call it in the transaction that adds the hosts,
 * after they were written: then neither a crash nor a request at the same time can leave a domain waiting when its store is there. Without
 * waiting domains it costs two short statements.
 */
export async function admitPendingStores(
  client: Client,
  mode: Mode,
  arrived: readonly ArrivedHost[],
  now: Date,
): Promise<void> {
  await queries.lockPending(client, mode)
  if (!(await queries.hasPending(client, mode))) return
  const hosts = arrived.map(({ host }) => host)
  if (!(await queries.lockListsAwaiting(client, mode, hosts))) return
  await queries.admitStores(client, mode, { hosts, storeIds: arrived.map(({ storeId }) => storeId), now })
}
