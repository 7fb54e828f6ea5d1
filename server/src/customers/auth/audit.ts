import type { Queryable } from '../../foundation/db/pool.ts'
import { wideNetworkOf } from '../../foundation/kernel/text/networks.ts'
import { type ActorContext, addressOf, userOf } from './actor.ts'
import { insertAuditEntry, selectOldAddresses, updateAddressesToNetworks } from './audit-queries.ts'

/** Entries that concern no single account, such as signing in. */
const wholeInstallation = 0

export interface AuditEntry {
  /** Null for what concerns the whole installation. */
  accountId: number | null
  /** `noun.past_verb`, such as `key.created`. */
  action: `${string}.${string}`
  /** Public id of what was changed. */
  target?: string | null
  /** Never a secret, an email address or anything of a contact. */
  details?: Readonly<Record<string, string | number | boolean | null>>
}

/** Adds an entry to the audit log, in the transaction of what it describes: who, from where and when is the actor's. */
export function recordAudit(
  db: Queryable,
  { actor, now }: ActorContext,
  { accountId, action, target = null, details = {} }: AuditEntry,
): Promise<void> {
  return insertAuditEntry(db, {
    ...{ accountId: accountId ?? wholeInstallation, action, target, details, at: now },
    actor: actor.kind,
    userId: userOf(actor),
    keyId: actor.kind === 'key' ? actor.keyId : null,
    // Of an address only the network stays after thirty days.
    address: addressOf(actor),
  })
}

const addressesKeptMs = 30 * 86_400_000

/** Leaves of old addresses in the audit log only the network, for at most `limit` entries; returns how many. */
export async function forgetOldAddresses(db: Queryable, now: Date, limit: number): Promise<number> {
  const old = await selectOldAddresses(db, new Date(now.getTime() - addressesKeptMs), limit)
  const entries = old.map(({ account_id: accountId, entry, address }) => ({
    accountId,
    entry,
    network: wideNetworkOf(address),
  }))
  if (entries.length > 0) await updateAddressesToNetworks(db, entries)
  return entries.length
}
