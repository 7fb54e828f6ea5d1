import { type Mode, modes } from '../../foundation/kernel/ids.ts'
import { type Account, type Entitlement, entitlementAt } from '../accounts/account.ts'
import type { PlanFile } from '../accounts/plans.ts'
import { readAccount } from '../accounts/read-account.ts'
import { authorize } from '../auth/access.ts'
import type { KeysContext } from '../keys/context.ts'
import { listAllKeys } from '../keys/find-keys.ts'
import { readUsage, type Usage } from '../usage/read-usage.ts'
import { selectMembers } from '../users/members/queries.ts'
import { selectAuditLog } from './audit-queries.ts'
import { type CustomersContext, readAccounts, reportAccount } from './context.ts'
import type { AccountDetailsReply, AccountReport } from './schema.ts'

interface AccountWithUsage {
  account: Account
  entitlement: Entitlement
  report: AccountReport
  usage: Record<Mode, Usage>
}

/** An account with what it used in the current periods. */
export async function readAccountWithUsage(
  ctx: CustomersContext & { readPlans(): Promise<PlanFile> },
  publicId: string,
): Promise<AccountWithUsage> {
  authorize(ctx, readAccounts)
  const account = await readAccount(ctx, publicId)
  const entitlement = entitlementAt(account, await ctx.readPlans(), ctx.now)
  const read = (mode: Mode) => readUsage(ctx.db, { accountId: account.id, mode, entitlement, now: ctx.now })
  const [live, test] = await Promise.all([read('live'), read('test')])
  return { account, entitlement, report: reportAccount(ctx.ids, account), usage: { live, test } }
}

const shownMembers = 100
const shownAuditEntries = 50

/** An account with its usage, keys, members and last changes. */
export async function describeAccount(
  ctx: KeysContext,
  publicId: string,
): Promise<Omit<AccountDetailsReply, 'object' | 'request_id'>> {
  const { ids } = ctx
  const { account, entitlement, report, usage } = await readAccountWithUsage(ctx, publicId)
  const members = await selectMembers(ctx.db, account.id, shownMembers)
  const audit = await selectAuditLog(ctx.db, {
    accountId: account.id,
    userId: null,
    subject: null,
    before: null,
    limit: shownAuditEntries,
  })
  return {
    account: report,
    limits: entitlement.limits,
    billing: {
      has_customer: account.customerId !== null,
      has_subscription: account.subscriptionId !== null,
      cancel_at_period_end: account.cancelAtPeriodEnd,
      current_period_end: account.currentPeriodEnd?.toISOString() ?? null,
      problem: account.billingConflict,
    },
    usage: modes.flatMap((mode) => describeMeters(mode, usage[mode])),
    keys: await listAllKeys(ctx, account.id),
    members: members.map(({ person_id: id, added_at, ...member }) => ({
      id: ids.seal('person', id),
      ...member,
      added_at: added_at.toISOString(),
    })),
    audit: audit.map(({ at, person_id: userId, person_name: name, ...row }) => ({
      ...row,
      at: at.toISOString(),
      person: userId === null ? null : { id: ids.seal('person', userId), name: name ?? 'somebody who was removed' },
    })),
  }
}

type MeterLines = AccountDetailsReply['usage']

function describeMeters(mode: Mode, usage: Usage): MeterLines {
  const { contact_credits: credits, store_exports, search_rows, api_requests } = usage
  const meters = { contact_credits: { ...credits, limit: credits.total }, store_exports, search_rows, api_requests }
  return Object.entries(meters).map(([meter, { used, limit, remaining, period_end }]) => ({
    mode,
    meter: meter as MeterLines[number]['meter'],
    used,
    limit,
    remaining,
    period_end,
  }))
}
