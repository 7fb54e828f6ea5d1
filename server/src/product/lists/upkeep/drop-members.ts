import type { Client } from '../../../foundation/db/pool.ts'
import type { ListKind } from '../schema.ts'
import * as queries from './drop-queries.ts'

/**
 * Takes stores or contacts off every list of every account. Call it in the transaction that deletes them, after they were
 * deleted and after `waitForHolders`: requests that add one of them hold it, so that they are done by then, and later ones do
 * not find it.
 */
export async function dropListMembers(
  client: Client,
  kind: ListKind,
  keys: readonly number[],
  now: Date,
): Promise<void> {
  if (keys.length === 0 || !(await queries.lockListsHolding(client, kind, keys))) return
  await queries.dropFromLists(client, kind, keys, now)
}
