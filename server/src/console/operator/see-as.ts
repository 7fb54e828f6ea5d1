import type { PersonContext } from '../../auth/signed-in.ts'
import { transact } from '../../db/pool.ts'
import type { IdSealer } from '../../kernel/ids.ts'
import type { SeeAsReply } from './accounts-schema.ts'
import { auditOperator, requireAccount } from './context.ts'
import { updateSeeAs } from './queries.ts'

/**
 * Lets this session look at an account as its people see it, with the rights of a viewer that may spend nothing. The
 * account's own audit log says so, at the beginning and at the end.
 */
export async function startSeeAs(ctx: PersonContext, ids: IdSealer, publicId: string): Promise<SeeAsReply> {
  const account = await requireAccount(ctx.db, ids, publicId)
  await changeSeeAs(ctx, ids, account.id)
  return { object: 'see_as', account: { id: publicId, name: account.name }, request_id: ctx.requestId }
}

export async function stopSeeAs(ctx: PersonContext, ids: IdSealer): Promise<SeeAsReply> {
  await changeSeeAs(ctx, ids, null)
  return { object: 'see_as', account: null, request_id: ctx.requestId }
}

function changeSeeAs(ctx: PersonContext, ids: IdSealer, accountId: number | null): Promise<void> {
  return transact(ctx.db, async (client) => {
    const before = await updateSeeAs(client, ctx.session.id, accountId)
    if (before === accountId) return
    const audit = (id: number, action: 'see_as.started' | 'see_as.stopped') =>
      auditOperator(ctx, client, { accountId: id, action, target: ids.seal('account', id) })
    if (before !== null) await audit(before, 'see_as.stopped')
    if (accountId !== null) await audit(accountId, 'see_as.started')
  })
}
