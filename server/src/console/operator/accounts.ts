import { type Account, entitlementAt } from '../../accounts/account.ts'
import { changeAccount, createAccount } from '../../accounts/change-account.ts'
import { listAccounts } from '../../accounts/list-accounts.ts'
import type { PlanFile } from '../../accounts/plans.ts'
import { reportAccount } from '../../accounts/read-account.ts'
import { resumeAccount, suspendAccount } from '../../accounts/suspend-account.ts'
import { listKeys } from '../../auth/keys.ts'
import type { PersonContext } from '../../auth/signed-in.ts'
import type { Alongside } from '../../db/pool.ts'
import { readListPage } from '../../delivery/list-pages.ts'
import type { CursorSealer } from '../../kernel/cursor.ts'
import { Refusal } from '../../kernel/errors.ts'
import { type IdSealer, type Mode, modes } from '../../kernel/ids.ts'
import { requireUserAddress } from '../../kernel/mail/user-address.ts'
import { readUsage } from '../../usage/read-usage.ts'
import { type AccountAuditRow, selectAuditLog } from '../account/audit-queries.ts'
import { selectMembers } from '../account/members/member-queries.ts'
import type {
  AccountChangesBody,
  AccountDetailsReply,
  AccountListBody,
  AccountListReply,
  AccountReply,
  AuditLine,
  NewAccountBody,
} from './accounts-schema.ts'
import { accountsContextOf, auditOperator, listContext, requireAccount, runOperatorVerb } from './context.ts'
import { countMembersAndKeys } from './queries.ts'

export interface AccountServices {
  ids: IdSealer
  plans: PlanFile
  cursors: CursorSealer
}

/** Lists accounts with the numbers of their members and keys. */
export async function listOperatorAccounts(
  ctx: PersonContext,
  { ids, cursors }: AccountServices,
  { limit, cursor, ...search }: AccountListBody,
): Promise<AccountListReply> {
  const page = await readListPage<Account>(listContext(ctx, cursors), {
    list: 'accounts',
    filters: search,
    ...(limit !== undefined && { limit }),
    ...(cursor !== undefined && { cursor }),
    positionOf: ({ id, createdAt }) => ({ at: createdAt, row: id }),
    select: (after, count) => listAccounts({ db: ctx.db, ids }, search, { beforeId: after?.row ?? null, limit: count }),
  })
  const counts = await countMembersAndKeys(
    ctx.db,
    page.rows.map(({ id }) => id),
  )
  return {
    object: 'list',
    data: page.rows.map((account) => ({ ...reportAccount(ids, account), ...counts.get(account.id)! })),
    has_more: page.hasMore,
    next_cursor: page.nextCursor,
    request_id: ctx.requestId,
  }
}

const shownMembers = 100
const shownAuditEntries = 50

export async function describeAccount(
  ctx: PersonContext,
  { ids, plans }: AccountServices,
  publicId: string,
): Promise<AccountDetailsReply> {
  const account = await requireAccount(ctx.db, ids, publicId)
  const entitlement = entitlementAt(account, plans, ctx.now)
  const members = await selectMembers(ctx.db, account.id, shownMembers)
  const audit = await selectAuditLog(ctx.db, {
    accountId: account.id,
    personId: null,
    subject: null,
    before: null,
    limit: shownAuditEntries,
  })
  return {
    object: 'account_details',
    account: reportAccount(ids, account),
    limits: entitlement.limits,
    billing: {
      has_customer: account.customerId !== null,
      has_subscription: account.subscriptionId !== null,
      cancel_at_period_end: account.cancelAtPeriodEnd,
      current_period_end: account.currentPeriodEnd?.toISOString() ?? null,
      problem: account.billingProblem,
    },
    usage: (await Promise.all(modes.map((mode) => readMeters(ctx, { account, plans, mode })))).flat(),
    keys: await listKeys({ ...accountsContextOf(ctx, ids), readPlans: async () => plans }, publicId),
    members: members.map(({ person_id: id, added_at, ...member }) => ({
      id: ids.seal('person', id),
      ...member,
      added_at: added_at.toISOString(),
    })),
    audit: audit.map((row) => toAuditLine(ids, row)),
    request_id: ctx.requestId,
  }
}

type MeterLines = AccountDetailsReply['usage']

async function readMeters(
  { db, now }: PersonContext,
  { account, plans, mode }: { account: Account; plans: PlanFile; mode: Mode },
): Promise<MeterLines> {
  const entitlement = entitlementAt(account, plans, now)
  const usage = await readUsage(db, { accountId: account.id, mode, entitlement, now })
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

function toAuditLine(ids: IdSealer, row: AccountAuditRow): AuditLine {
  const { entry, at, person_id: personId, person_name: name, action, target, details, address } = row
  return {
    entry,
    at: at.toISOString(),
    person: personId === null ? null : { id: ids.seal('person', personId), name: name ?? 'somebody who was removed' },
    action,
    target,
    details,
    address,
  }
}

export async function createOperatorAccount(
  ctx: PersonContext,
  { ids }: AccountServices,
  { name, email, trial_ends_at: trialEndsAt, ...terms }: NewAccountBody,
): Promise<AccountReply> {
  const contact = email === undefined ? undefined : requireUserAddress(email)
  const account = await runOperatorVerb(() =>
    createAccount(
      accountsContextOf(ctx, ids),
      {
        name: name.trim(),
        ...terms,
        ...(contact !== undefined && { email: contact }),
        ...(trialEndsAt !== undefined && { trialEndsAt: new Date(trialEndsAt) }),
      },
      auditChange(ctx, ids, 'account.created', { plan: terms.plan ?? 'free' }),
    ),
  )
  return { object: 'account', account: reportAccount(ids, account), request_id: ctx.requestId }
}

export async function changeOperatorAccount(
  ctx: PersonContext,
  { ids }: AccountServices,
  publicId: string,
  changes: AccountChangesBody,
): Promise<AccountReply> {
  const { trial_ends_at: trialEndsAt, limits, ...terms } = changes
  if (Object.keys(changes).length === 0)
    throw new Refusal('missing_parameter', 'Name something to change, such as plan.', { param: 'plan' })
  await requireAccount(ctx.db, ids, publicId)
  const details = { ...terms, ...(trialEndsAt !== undefined && { trial_ends_at: trialEndsAt }), ...prefixed(limits) }
  const account = await runOperatorVerb(() =>
    changeAccount(
      accountsContextOf(ctx, ids),
      publicId,
      {
        ...terms,
        ...(limits && { limits }),
        ...(trialEndsAt !== undefined && { trialEndsAt: trialEndsAt === null ? null : new Date(trialEndsAt) }),
      },
      auditChange(ctx, ids, 'account.changed', details),
    ),
  )
  return { object: 'account', account: reportAccount(ids, account), request_id: ctx.requestId }
}

function prefixed(limits: AccountChangesBody['limits']): Record<string, number | null> {
  return Object.fromEntries(Object.entries(limits ?? {}).map(([meter, figure]) => [`limits.${meter}`, figure ?? null]))
}

/** Suspends or resumes an account; its keys and people notice with their next request. */
export async function changeOperatorSuspension(
  ctx: PersonContext,
  { ids }: AccountServices,
  publicId: string,
  suspended: boolean,
): Promise<AccountReply> {
  await requireAccount(ctx.db, ids, publicId)
  const change = suspended ? suspendAccount : resumeAccount
  const audit = auditChange(ctx, ids, suspended ? 'account.suspended' : 'account.resumed')
  const account = await runOperatorVerb(() => change(accountsContextOf(ctx, ids), publicId, audit))
  return { object: 'account', account: reportAccount(ids, account), request_id: ctx.requestId }
}

function auditChange(
  ctx: PersonContext,
  ids: IdSealer,
  action: `account.${string}`,
  details: Record<string, string | number | null> = {},
): Alongside<Account> {
  return (client, { id: accountId }) =>
    auditOperator(ctx, client, { accountId, action, target: ids.seal('account', accountId), details })
}
