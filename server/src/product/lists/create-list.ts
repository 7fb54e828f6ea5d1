import { authorize } from '../../customers/auth/access.ts'
import { transact } from '../../foundation/db/pool.ts'
import { Refusal } from '../../foundation/kernel/errors.ts'
import { textFault } from '../../foundation/kernel/text/trim.ts'
import { auditList, describeList, editingLists, type ListsContext } from './context.ts'
import * as queries from './queries.ts'
import type { List, NewList } from './schema.ts'

/** Creates an empty list. Names are unique in an account and mode, compared without case. */
export async function createList(ctx: ListsContext, { name, kind, description }: NewList): Promise<List> {
  authorize(ctx, editingLists)
  const row = await transact(ctx.db, async (client) => {
    // Two requests that create lists of one account wait for each other here.
    if (!(await queries.takeList(client, ctx.caller))) throw tooManyLists()
    const text = { ...listName(name), description: listDescription(description) }
    const created = await queries.insertList(client, ctx.caller, { ...text, kind, now: ctx.now })
    if (!created) throw nameTaken(text.name)
    await auditList(client, ctx, 'list.created', created)
    return created
  })
  return { ...describeList(ctx, row), request_id: ctx.requestId }
}

/** The name as it is shown, and as it is compared. */
export function listName(name: string): { name: string; foldedName: string } {
  refuseBrokenText(name, 'name')
  const shown = name.trim()
  return { name: shown, foldedName: shown.normalize('NFKC').toLowerCase() }
}

export function listDescription(description: string | null | undefined): string | null {
  if (description) refuseBrokenText(description, 'description')
  return description?.trim() || null
}

function refuseBrokenText(text: string, param: string): void {
  const fault = textFault(text)
  if (fault) throw new Refusal('invalid_request', `${param} ${fault}.`, { param })
}

export function nameTaken(name: string): Refusal {
  return new Refusal('list_name_taken', `There is a list with the name "${name}"; choose another one.`, {
    param: 'name',
  })
}

function tooManyLists(): Refusal {
  return new Refusal('list_limit_reached', `An account has at most ${queries.maxLists} lists; delete one first.`)
}
