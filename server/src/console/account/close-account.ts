import { endedStatuses } from '../../accounts/account.ts'
import { lockAccount } from '../../accounts/queries.ts'
import { includesRole } from '../../auth/roles.ts'
import { withConcurrencyLimit } from '../../billing/concurrency-limit.ts'
import type { BillingProvider } from '../../billing/provider.ts'
import { lockBillingOfAccount, selectCustomerId } from '../../billing/queries.ts'
import { transact } from '../../db/pool.ts'
import { Refusal } from '../../kernel/errors.ts'
import { revokeInvitationsOf, revokeKeysOf, updateAccountName, updateClosed } from './account-queries.ts'
import { type AccountContext, lockMembersAs, recordAccountChange, requireMayManage } from './context.ts'
import type { AccountDoneReply } from './schema.ts'

export async function renameAccount(ctx: AccountContext, { name }: { name: string }): Promise<AccountDoneReply> {
  await transact(ctx.db, async (client) => {
    await updateAccountName(client, ctx.account.id, name.trim())
    await recordAccountChange(client, ctx, { action: 'account.renamed', target: publicIdOf(ctx) })
  })
  return { object: 'done', request_id: ctx.requestId }
}

interface CloseContext extends AccountContext {
  billing: BillingProvider
}

/**
 * Closes the account for good: access ends, keys and invitations are revoked, what it revealed and spent stays. Refused
 * while a subscription runs at the payment provider, so that nothing that was paid is lost and nothing more is charged.
 * The provider is asked while syncs of the account wait, so that no subscription appears in between.
 */
export async function closeAccount(ctx: CloseContext): Promise<AccountDoneReply> {
  const { db, billing, account, now } = ctx
  const customerId = await selectCustomerId(db, account.id)
  // Nothing can be bought any more before it is certain that nothing runs.
  if (customerId !== null) await billing.closeCheckouts(customerId)
  const close = () =>
    transact(db, async (client) => {
      await lockBillingOfAccount(client, account.id)
      const role = await lockMembersAs(client, ctx)
      if (!includesRole(role, 'owner')) requireMayManage(role, 'owner')
      const subscriptions = customerId === null ? [] : await billing.listSubscriptions(customerId)
      const { subscriptionId, status } = (await lockAccount(client, account.id))!
      const isRunning =
        subscriptions.some((each) => !endedStatuses.has(each.status)) ||
        (customerId === null && subscriptionId !== null && !endedStatuses.has(status))
      if (isRunning) throw subscriptionRunningError()
      if (!(await updateClosed(client, account.id, now))) return
      const keys = await revokeKeysOf(client, account.id, now)
      await revokeInvitationsOf(client, account.id, now)
      await recordAccountChange(client, ctx, {
        action: 'account.closed',
        target: publicIdOf(ctx),
        details: { revoked_keys: keys },
      })
    })
  await (customerId === null ? close() : withConcurrencyLimit(db, close))
  // For one that was opened at the same time: nothing is sold to a closed account.
  if (customerId !== null) await billing.closeCheckouts(customerId)
  return { object: 'done', request_id: ctx.requestId }
}

function subscriptionRunningError(): Refusal {
  return new Refusal(
    'subscription_running',
    'A subscription runs at the payment provider. Cancel the plan under Manage billing; the account can be closed when it has ended.',
  )
}

function publicIdOf({ ids, account }: AccountContext): string {
  return ids.seal('account', account.id)
}
