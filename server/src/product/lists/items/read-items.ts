import { authorize } from '../../../customers/auth/access.ts'
import { type ListPosition, readListPage } from '../../../foundation/kernel/list-pages.ts'
import { type ListsContext, openListId, readingLists } from '../context.ts'
import { requireList } from '../read-lists.ts'
import type { ContactListItem, ListItemPage, ListItemQuery, StoreListItem } from '../schema.ts'
import { readShownContacts, readShownStores } from './catalogue-queries.ts'
import {
  type ListMemberRow,
  type ListOfItems,
  type PendingRow,
  selectListMembers,
  selectPending,
} from './item-queries.ts'

type Row = ListMemberRow | PendingRow

/**
 * A page of what is in a list, newest first. Of the same time, members come before domains that wait for their store: their
 * position is their key, that of a domain minus its number.
 */
export async function readItems(ctx: ListsContext, id: string, query: ListItemQuery): Promise<ListItemPage> {
  authorize(ctx, readingLists)
  const { accountId, mode } = ctx.caller
  const list = await requireList(ctx, openListId(ctx, id))
  const ofList = { accountId, listId: list.id }
  const { rows, hasMore, nextCursor } = await readListPage<Row>(
    { cursors: ctx.cursors, now: ctx.now, accountId, mode },
    {
      list: `items of list ${list.id}`,
      filters: {},
      ...query,
      positionOf,
      select: (after, limit) =>
        list.kind === 'stores'
          ? selectStoresAndPending(ctx, ofList, after, limit)
          : selectListMembers(ctx.db, 'contacts', ofList, { after, limit }),
    },
  )
  return {
    object: 'list',
    data: list.kind === 'stores' ? await showStores(ctx, rows) : await showContacts(ctx, rows as ListMemberRow[]),
    has_more: hasMore,
    next_cursor: nextCursor,
    request_id: ctx.requestId,
  }
}

function positionOf(row: Row): ListPosition {
  return { at: row.added_at, row: 'key' in row ? row.key : -row.number }
}

async function selectStoresAndPending(
  { db }: ListsContext,
  list: ListOfItems,
  after: ListPosition | null,
  limit: number,
): Promise<Row[]> {
  const isAmongStores = after !== null && after.row > 0
  const stores = await selectListMembers(db, 'stores', list, {
    after: after && { at: after.at, row: isAmongStores ? after.row : 0 },
    limit,
  })
  const pending = await selectPending(db, list, {
    after: after && { at: after.at, row: isAmongStores ? Number.MAX_SAFE_INTEGER : -after.row },
    limit,
  })
  // The sort is stable: of the same time, both keep their order, stores first.
  return [...stores, ...pending].sort((a, b) => b.added_at.getTime() - a.added_at.getTime()).slice(0, limit)
}

/** Leaves out what was removed from the catalogue since the rows were read. */
async function showStores({ db, ids, caller }: ListsContext, rows: readonly Row[]): Promise<StoreListItem[]> {
  const keys = rows.flatMap((row) => ('key' in row ? [row.key] : []))
  const stores = keys.length > 0 ? await readShownStores(db, keys) : new Map<number, never>()
  const publicIds = new Map(ids.sealMany('store', keys, caller.mode).map((id, index) => [keys[index]!, id]))
  return rows.flatMap((row): StoreListItem[] => {
    const added_at = row.added_at.toISOString()
    if (!('key' in row)) return [{ store_id: null, domain: row.host, name: null, pending: true, added_at }]
    const store = stores.get(row.key)
    if (!store) return []
    return [{ store_id: publicIds.get(row.key)!, domain: store.domain, name: store.name, pending: false, added_at }]
  })
}

async function showContacts(
  { db, ids, caller }: ListsContext,
  rows: readonly ListMemberRow[],
): Promise<ContactListItem[]> {
  const keys = rows.map((row) => row.key)
  const contacts = keys.length > 0 ? await readShownContacts(db, keys) : new Map<number, never>()
  return rows.flatMap((row): ContactListItem[] => {
    const contact = contacts.get(row.key)
    if (!contact) return []
    const { store_id, domain, first_name, last_name_obfuscated } = contact
    return [
      {
        contact_id: ids.seal('contact', row.key, caller.mode),
        first_name,
        last_name_obfuscated,
        store_id: ids.seal('store', store_id, caller.mode),
        domain,
        added_at: row.added_at.toISOString(),
      },
    ]
  })
}
