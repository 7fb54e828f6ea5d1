import { type Alongside, transact } from '../db/pool.ts'
import { OperatorError } from '../kernel/errors.ts'
import type { Account, AccountsContext } from './account.ts'
import { lockAccount, updateSuspension } from './queries.ts'
import { openAccountId, unknownAccountError } from './read-account.ts'

/** Closes an account's access until it is resumed, from the next request on. Its plan, keys and data stay. */
export function suspendAccount(
  ctx: AccountsContext,
  publicId: string,
  alongside?: Alongside<Account>,
): Promise<Account> {
  return changeSuspension(ctx, publicId, ({ suspendedAt }) => suspendedAt ?? ctx.now, alongside)
}

export function resumeAccount(
  ctx: AccountsContext,
  publicId: string,
  alongside?: Alongside<Account>,
): Promise<Account> {
  return changeSuspension(ctx, publicId, () => null, alongside)
}

function changeSuspension(
  ctx: AccountsContext,
  publicId: string,
  decide: (account: Account) => Date | null,
  alongside?: Alongside<Account>,
): Promise<Account> {
  const id = openAccountId(ctx.ids, publicId)
  return transact(ctx.db, async (client) => {
    const account = await lockAccount(client, id)
    if (!account) throw unknownAccountError(publicId)
    if (account.closedAt) throw new OperatorError(`Account ${publicId} is closed; that is permanent.`)
    const changed = await updateSuspension(client, id, decide(account))
    await alongside?.(client, changed)
    return changed
  })
}
