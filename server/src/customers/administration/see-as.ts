import { transact } from '../../foundation/db/pool.ts'
import { readAccount } from '../accounts/read-account.ts'
import { authorize } from '../auth/access.ts'
import { recordAudit } from '../auth/audit.ts'
import { type CustomersContext, seeAsAccount } from './context.ts'
import { updateSeeAs } from './queries.ts'

interface SessionContext extends CustomersContext {
  session: { id: number }
}

/**
 * Lets this session look at an account as its users see it, with the rights of a viewer that may spend nothing. The
 * account's own audit log says so, at the beginning and at the end.
 */
export async function startSeeAs(ctx: SessionContext, publicId: string): Promise<{ id: string; name: string }> {
  authorize(ctx, seeAsAccount)
  const { id, name } = await readAccount(ctx, publicId)
  await changeSeeAs(ctx, id)
  return { id: publicId, name }
}

export function stopSeeAs(ctx: SessionContext): Promise<void> {
  authorize(ctx, seeAsAccount)
  return changeSeeAs(ctx, null)
}

function changeSeeAs(ctx: SessionContext, accountId: number | null): Promise<void> {
  return transact(ctx.db, async (client) => {
    const before = await updateSeeAs(client, ctx.session.id, accountId)
    if (before === accountId) return
    const audit = (id: number, action: 'see_as.started' | 'see_as.stopped') =>
      recordAudit(client, ctx, { accountId: id, action, target: ctx.ids.seal('account', id) })
    if (before !== null) await audit(before, 'see_as.stopped')
    if (accountId !== null) await audit(accountId, 'see_as.started')
  })
}
