import { authorize } from '../../../customers/auth/access.ts'
import { type Pay, transactPaid } from '../../../customers/ledger/charge.ts'
import type { Balance } from '../../../customers/ledger/outcome.ts'
import { type Client, transact } from '../../../foundation/db/pool.ts'
import { Refusal } from '../../../foundation/kernel/errors.ts'
import { splitContactKey } from '../../../foundation/kernel/ids.ts'
import { formatNumber } from '../../../foundation/kernel/time.ts'
import { holdContacts } from '../../contacts/hold-queries.ts'
import { auditList, editingLists, type ListsContext, listNotFound, openListId } from '../context.ts'
import { countItems, type ListRow, lockList, maxItems } from '../queries.ts'
import { requireList } from '../read-lists.ts'
import type { ListItemsAdded, ListItemsRemoved, ListItemsRequest, ListKind } from '../schema.ts'
import { holdBackAdmissions } from '../upkeep/pending-queries.ts'
import { type AskedItems, readAskedItems, requireItems } from './asked-items.ts'
import { findStoresOfHosts, selectHeldContacts, selectHeldStores } from './catalogue-queries.ts'
import * as items from './item-queries.ts'

interface PaidItems {
  reply: ListItemsAdded
  /** Empty for items that the caller named, which are free. */
  balance: Balance
}

/**
 * Adds stores, domains or contacts to a list, all or none. Each that a search has added is charged as a search row in the same
 * transaction: from then on the list shows its name. Stores and contacts are held before the list is locked, as by whatever
 * removes them, so that nothing is added that is gone when this commits.
 */
export async function addItems(ctx: ListsContext, id: string, request: ListItemsRequest): Promise<PaidItems> {
  authorize(ctx, editingLists)
  const { caller, now } = ctx
  requireItems(request)
  const list = await requireList(ctx, openListId(ctx, id))
  const asked = await readAskedItems(ctx, list.kind, request)
  const ofList = { accountId: caller.accountId, listId: list.id }
  const add = async (client: Client, pay: Pay): Promise<PaidItems> => {
    const { members, pending, unknown } = await findMembers(ctx, client, list.kind, asked)
    const before = await lockList(client, caller, list.id)
    if (!before) throw listNotFound()
    const added = await items.insertMembers(client, list.kind, ofList, { keys: members, now })
    const waiting =
      pending.length > 0 ? await items.insertPending(client, caller.mode, ofList, { hosts: pending, now }) : 0
    const after = await countItems(client, caller, list.id, { items: added, pending: waiting, now })
    if (!after) throw listFull(before)
    if (added + waiting > 0) await auditList(client, ctx, 'list.items_added', after, { count: added + waiting })
    const already = members.length - added
    return {
      reply: { added, already, unknown, items: after.items, pending: after.pending, request_id: ctx.requestId },
      balance: request.from ? await payForNames(pay, added, request.max!) : {},
    }
  }
  return transactPaid(ctx, add)
}

/**
 * Charges a search row for each item whose name the list shows from now on. All that was asked for has to fit, whatever was found:
 * otherwise refused requests would tell, free of charge, how much matches.
 */
async function payForNames(pay: Pay, amount: number, max: number): Promise<Balance> {
  const paid = await pay({ search_rows: { amount, asked: max, askedAs: 'max' }, isShown: true })
  return paid.balance
}

/** Removes items and pending domains from a list. Items that it lacks are counted and change nothing. */
export async function removeItems(ctx: ListsContext, id: string, request: ListItemsRequest): Promise<ListItemsRemoved> {
  authorize(ctx, editingLists)
  const { caller, now, db } = ctx
  requireItems(request)
  const list = await requireList(ctx, openListId(ctx, id))
  const { keys, hosts, foreign } = await readAskedItems(ctx, list.kind, request)
  const ofList = { accountId: caller.accountId, listId: list.id }
  return transact(db, async (client) => {
    if (!(await lockList(client, caller, list.id))) throw listNotFound()
    // Under the lock of the list: an import that admits one of the hosts is over, or waits.
    const storesOfHosts = hosts.length > 0 ? await findStoresOfHosts(client, caller.mode, hosts) : []
    const known = new Set(storesOfHosts.map((row) => row.host))
    const unknown = hosts.filter((host) => !known.has(host))
    const members = [...new Set([...keys.keys(), ...storesOfHosts.map((row) => row.store_id)])]
    const taken = await items.deleteMembers(client, list.kind, ofList, members)
    const waiting = unknown.length > 0 ? await items.deletePending(client, ofList, unknown) : 0
    const after = await countItems(client, caller, list.id, { items: -taken, pending: -waiting, now })
    if (!after) throw new Error(`list ${list.id} counts more items than it may have`)
    const removed = taken + waiting
    if (removed > 0) await auditList(client, ctx, 'list.items_removed', after, { count: removed })
    const absent = members.length + unknown.length + foreign.length - removed
    return { removed, absent, items: after.items, pending: after.pending, request_id: ctx.requestId }
  })
}

interface FoundMembers {
  /** Keys of what exists, locked, each once. */
  members: number[]
  /** Hosts that no store has. */
  pending: string[]
  /** The texts that name nothing, in the order of the request's parts. */
  unknown: string[]
}

async function findMembers(
  { caller: { mode } }: ListsContext,
  client: Client,
  kind: ListKind,
  { keys, hosts, foreign }: AskedItems,
): Promise<FoundMembers> {
  const asked = [...keys.keys()]
  await holdContacts(client, kind === 'stores' ? asked : asked.map((key) => splitContactKey(key).storeId))
  const existing = await (kind === 'stores' ? selectHeldStores : selectHeldContacts)(client, mode, asked)
  const unknownKeys = [...keys].flatMap(([key, text]) => (existing.has(key) || text === null ? [] : [text]))
  const members = new Set(existing)
  const pending = await lockStoresOfHosts(client, mode, hosts, members)
  return {
    members: [...members],
    pending,
    unknown: [...pending, ...unknownKeys, ...foreign],
  }
}

/** Adds the stores of the hosts to `members`; returns the hosts without one, for which no import can bring one until the transaction ends. */
async function lockStoresOfHosts(
  client: Client,
  mode: ListsContext['caller']['mode'],
  hosts: AskedItems['hosts'],
  members: Set<number>,
): Promise<string[]> {
  if (hosts.length === 0) return []
  const findMissing = async (wanted: string[]) => {
    const found = await findStoresOfHosts(client, mode, wanted)
    const storeIds = [...new Set(found.map((row) => row.store_id))]
    await holdContacts(client, storeIds)
    const existing = await selectHeldStores(client, mode, storeIds)
    const known = found.filter((row) => existing.has(row.store_id))
    for (const row of known) members.add(row.store_id)
    const knownHosts = new Set(known.map((row) => row.host))
    return wanted.filter((host) => !knownHosts.has(host))
  }
  const missing = await findMissing(hosts)
  if (missing.length === 0) return []
  await holdBackAdmissions(client, mode)
  return findMissing(missing)
}

function listFull({ items: count, pending }: ListRow): Refusal {
  return new Refusal(
    'list_limit_reached',
    `A list has at most ${formatNumber(maxItems)} items; this one has ${formatNumber(count + pending)}, and nothing was added.`,
  )
}
