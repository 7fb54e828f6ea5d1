import { authorize } from '../../customers/auth/access.ts'
import { transact } from '../../foundation/db/pool.ts'
import { Refusal } from '../../foundation/kernel/errors.ts'
import { auditList, describeList, editingLists, type ListsContext, listNotFound, openListId } from './context.ts'
import { listDescription, listName, nameTaken } from './create-list.ts'
import * as queries from './queries.ts'
import type { List, ListChanges, ListDeleted } from './schema.ts'

/** Changes the name, the description, or both. */
export async function changeList(ctx: ListsContext, id: string, changes: ListChanges): Promise<List> {
  authorize(ctx, editingLists)
  const listId = openListId(ctx, id)
  if (changes.name === undefined && changes.description === undefined)
    throw new Refusal('missing_parameter', 'name or description is required.', { param: 'name' })
  const row = await transact(ctx.db, async (client) => {
    const before = await queries.lockList(client, ctx.caller, listId)
    if (!before) throw listNotFound()
    const text = listName(changes.name ?? before.name)
    const description = changes.description === undefined ? before.description : listDescription(changes.description)
    const changed = await queries.updateList(client, ctx.caller, { id: listId, ...text, description, now: ctx.now })
    if (changed === 'name_taken') throw nameTaken(text.name)
    if (!changed) throw listNotFound()
    await auditList(client, ctx, 'list.changed', changed)
    return changed
  })
  return { ...describeList(ctx, row), request_id: ctx.requestId }
}

/** Deletes a list with everything in it. */
export async function deleteList(ctx: ListsContext, id: string): Promise<ListDeleted> {
  authorize(ctx, editingLists)
  const listId = openListId(ctx, id)
  await transact(ctx.db, async (client) => {
    // Waits for requests that are adding to the list; later ones find none.
    const row = await queries.lockList(client, ctx.caller, listId)
    if (!row) throw listNotFound()
    await queries.deleteLockedList(client, ctx.caller, listId)
    await queries.returnList(client, ctx.caller)
    await auditList(client, ctx, 'list.deleted', row)
  })
  return { object: 'deleted', id, request_id: ctx.requestId }
}
