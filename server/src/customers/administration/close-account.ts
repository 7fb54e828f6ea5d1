import { transact } from '../../foundation/db/pool.ts'
import { Refusal } from '../../foundation/kernel/errors.ts'
import type { IdSealer } from '../../foundation/kernel/ids.ts'
import { endedStatuses } from '../accounts/account.ts'
import { lockAccount } from '../accounts/queries.ts'
import { authorize } from '../auth/access.ts'
import type { MemberContext } from '../auth/signed-in.ts'
import { withConcurrencyLimit } from '../billing/concurrency-limit.ts'
import type { BillingProvider } from '../billing/provider.ts'
import { lockBillingOfAccount, selectCustomerId } from '../billing/queries.ts'
import { revokeKeysOf } from '../keys/queries.ts'
import { revokeInvitationsOf } from '../users/invitations/queries.ts'
import { lockMembersAs, requireMayManage } from '../users/members/context.ts'
import { closeAccounts, recordAccountChange, renameAccounts } from './context.ts'
import { updateAccountName, updateClosed } from './queries.ts'

interface OwnAccountContext extends MemberContext {
  ids: IdSealer
}

export async function renameAccount(ctx: OwnAccountContext, { name }: { name: string }): Promise<void> {
  authorize(ctx, renameAccounts)
  await transact(ctx.db, async (client) => {
    await updateAccountName(client, ctx.account.id, name.trim())
    await recordAccountChange(client, ctx, ctx.account.id, 'account.renamed')
  })
}

/**
 * Closes the account for good: access ends, keys and invitations are revoked, what it revealed and spent stays. Refused
 * while a subscription runs at the payment provider, so that nothing that was paid is lost and nothing more is charged.
 * Syncs of the account wait during the call to the provider, so that no subscription appears in between.
 */
export async function closeAccount(ctx: OwnAccountContext & { billing: BillingProvider }): Promise<void> {
  authorize(ctx, closeAccounts)
  const { db, billing, now } = ctx
  const accountId = ctx.account.id
  const customerId = await selectCustomerId(db, accountId)
  // Nothing can be bought any more before it is certain that nothing runs.
  if (customerId !== null) await billing.closeCheckouts(customerId)
  const close = () =>
    transact(db, async (client) => {
      await lockBillingOfAccount(client, accountId)
      requireMayManage(await lockMembersAs(client, ctx, accountId), 'owner')
      const subscriptions = customerId === null ? [] : await billing.listSubscriptions(customerId)
      const { subscriptionId, status } = (await lockAccount(client, accountId))!
      const isRunning =
        subscriptions.some((each) => !endedStatuses.has(each.status)) ||
        (customerId === null && subscriptionId !== null && !endedStatuses.has(status))
      if (isRunning) throw subscriptionRunningError()
      if (!(await updateClosed(client, accountId, now))) return
      const keys = await revokeKeysOf(client, accountId, now)
      await revokeInvitationsOf(client, accountId, now)
      await recordAccountChange(client, ctx, accountId, 'account.closed', { revoked_keys: keys })
    })
  await (customerId === null ? close() : withConcurrencyLimit(db, close))
  // For one that was opened at the same time: nothing is sold to a closed account.
  if (customerId !== null) await billing.closeCheckouts(customerId)
}

function subscriptionRunningError(): Refusal {
  return new Refusal(
    'subscription_running',
    'A subscription runs at the payment provider. Cancel the plan under Manage billing; the account can be closed when it has ended.',
  )
}
