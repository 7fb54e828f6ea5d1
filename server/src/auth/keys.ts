import { type Account, type AccountsContext, closedReason, entitlementAt } from '../accounts/account.ts'
import type { PlanFile } from '../accounts/plans.ts'
import { selectAccount } from '../accounts/queries.ts'
import { openAccountId, readAccount } from '../accounts/read-account.ts'
import { type Client, type Queryable, transact } from '../db/pool.ts'
import { displayedParts, hashApiKey, newApiKey, parseApiKey, parseKeyPart } from '../kernel/api-key.ts'
import { OperatorError } from '../kernel/errors.ts'
import type { IdSealer, Mode } from '../kernel/ids.ts'
import { updateBudgets } from './budget-queries.ts'
import { readBudgetReports } from './budget-reports.ts'
import { type BudgetChanges, type BudgetReport, budgetsOf, hasBudget, noBudgets } from './budgets.ts'
import { defaultScopes, type Scope, scopes } from './caller.ts'
import * as queries from './key-queries.ts'

/** The context of commands that report keys. */
export interface KeysContext extends AccountsContext {
  /** Asked for only when a key has a budget, whose period depends on the account's plan. */
  readPlans(): Promise<PlanFile>
}

export interface NewKey {
  name: string
  mode?: Mode
  scopes?: readonly Scope[]
  expiresAt?: Date
  budget?: BudgetChanges
}

/** A new key with its secret, which is shown only once. */
export interface IssuedKey {
  id: string
  key: string
}

/** A key without its secret. */
export interface KeyReport {
  id: string
  account: string
  name: string
  mode: Mode
  /** The first and last characters of the secret, to recognise the key. */
  display: string
  status: 'active' | 'suspended' | 'expired' | 'revoked'
  scopes: Scope[]
  created_at: string
  /** Precise to the hour; null for a key that was never used. */
  last_used_at: string | null
  expires_at: string | null
  suspended_at: string | null
  revoked_at: string | null
  budget: BudgetReport
}

/** Creates a key for an account with open API access. */
export async function createKey(ctx: AccountsContext, accountId: string, input: NewKey): Promise<IssuedKey> {
  const account = await readAccount(ctx, accountId)
  if (input.expiresAt && input.expiresAt <= ctx.now)
    throw new OperatorError(`A key cannot expire in the past: ${input.expiresAt.toISOString()} is over.`)
  const { key, row } = generateKey(ctx, {
    accountId: account.id,
    mode: input.mode ?? 'live',
    name: input.name,
    scopes: input.scopes ?? defaultScopes,
    expiresAt: input.expiresAt ?? null,
    budgets: { ...noBudgets, ...input.budget },
    counterKeyId: null,
  })
  const inserted = await queries.insertKeyWithAccess(ctx.db, row)
  if (!inserted) throw noAccessError(accountId, account)
  return { id: ctx.ids.seal('key', inserted.id), key }
}

function noAccessError(accountId: string, account: Account): OperatorError {
  const closed = closedReason(account)
  if (closed) return new OperatorError(`Account ${accountId} has no API access: ${closed}`)
  return new OperatorError(
    `Account ${accountId} has no API access (plan ${account.planInForce}, status ${account.status}): a key needs a paid plan that is active or on trial.`,
  )
}

export async function listKeys(ctx: KeysContext, accountId: string): Promise<KeyReport[]> {
  await readAccount(ctx, accountId)
  const rows = await queries.selectKeysOf(ctx.db, openAccountId(ctx.ids, accountId))
  return reportKeys(ctx, rows)
}

/** The status of the key with this secret. */
export async function findKeyStatus(ctx: AccountsContext, key: string): Promise<KeyReport['status'] | undefined> {
  const row = await queries.selectKeyByHash(ctx.db, hashApiKey(key))
  return row && keyStatusAt(row, ctx.now)
}

/** A key with the state of its account. */
export interface FoundKey extends KeyReport {
  account_name: string
  account_plan: string
  account_status: string
  api_access: boolean
}

const maxFoundKeys = 100

/**
 * Finds keys by what a log or a person shows of them: the beginning of a key, its display form, or the whole key. Of a
 * secret four characters of either end are stored, so a longer beginning finds the keys with the same first four. The
 * newest come first.
 */
export async function findKeysByPart(ctx: KeysContext, text: string): Promise<FoundKey[]> {
  const part = parseKeyPart(text)
  if (!part)
    throw new OperatorError(
      'Give the beginning of a key, such as sdx_live_ab12, or what "storedex keys list" shows of it, such as sdx_live_ab12…yz89.',
    )
  const exact = parseApiKey(text.trim()) && (await queries.selectKeyByHash(ctx.db, hashApiKey(text.trim())))
  const rows =
    exact === null
      ? await queries.selectKeysByShownPart(ctx.db, part, maxFoundKeys)
      : exact === undefined
        ? []
        : [exact]
  const reports = await reportKeys(ctx, rows)
  return Promise.all(
    rows.map(async (row, index) => {
      const { name, planInForce, status, accessOpen } = (await selectAccount(ctx.db, row.account_id))!
      const state = { account_plan: planInForce, account_status: status, api_access: accessOpen }
      return { ...reports[index]!, account_name: name, ...state }
    }),
  )
}

/** Revokes a key permanently. */
export function revokeKey(ctx: KeysContext, keyId: string): Promise<KeyReport> {
  return changeKeyEnds(ctx, keyId, (row) => ({ ...row, revoked_at: row.revoked_at ?? ctx.now }))
}

/** Disables a key until it is resumed. */
export function suspendKey(ctx: KeysContext, keyId: string): Promise<KeyReport> {
  return changeKeyEnds(ctx, keyId, (row) => {
    rejectRevoked(row, keyId)
    return { ...row, suspended_at: row.suspended_at ?? ctx.now }
  })
}

export function resumeKey(ctx: KeysContext, keyId: string): Promise<KeyReport> {
  return changeKeyEnds(ctx, keyId, (row) => {
    rejectRevoked(row, keyId)
    return { ...row, suspended_at: null }
  })
}

interface KeyChanges {
  /** All scopes that the key has from now on. */
  scopes?: readonly Scope[]
  budget?: BudgetChanges
}

/**
 * Changes what a key may do and spend, all or nothing; effective from the next request on. Scopes can be taken away at any
 * time, and added under the rules of a new key: the account needs API access. Budgets are those of all keys that it shares its
 * counters with: what they have spent in the period counts, and what running exports have reserved stays promised.
 */
export function changeKeyLimits(ctx: KeysContext, keyId: string, changes: KeyChanges): Promise<KeyReport> {
  return changeKey(ctx, keyId, async (client, row) => {
    rejectRevoked(row, keyId)
    if (changes.scopes) await changeScopes(ctx, client, row, sortScopes(changes.scopes))
    if (changes.budget) await updateBudgets(client, row, { ...budgetsOf(row), ...changes.budget })
    return (await queries.lockKey(client, row.id))!
  })
}

async function changeScopes(
  { ids }: KeysContext,
  client: Client,
  row: queries.KeyRow,
  asked: readonly Scope[],
): Promise<void> {
  if (await queries.updateScopes(client, row.id, asked)) return
  const gained = asked.filter((scope) => !row.scopes.includes(scope)).join(', ')
  const account = (await selectAccount(client, row.account_id))!
  const { message } = noAccessError(ids.seal('account', row.account_id), account)
  throw new OperatorError(`The key cannot be given ${gained}. ${message}`)
}

/** Scopes in the order of their list, each once. */
export function sortScopes(asked: readonly Scope[]): Scope[] {
  return scopes.filter((scope) => asked.includes(scope))
}

function changeKeyEnds(
  ctx: KeysContext,
  keyId: string,
  change: (row: queries.KeyRow) => queries.KeyEndDates,
): Promise<KeyReport> {
  return changeKey(ctx, keyId, (client, row) => queries.updateKeyEndDates(client, row.id, change(row)))
}

async function changeKey(
  ctx: KeysContext,
  keyId: string,
  change: (client: Client, row: queries.KeyRow) => Promise<queries.KeyRow>,
): Promise<KeyReport> {
  const changed = await transact(ctx.db, async (client) => {
    const row = await queries.lockKey(client, openKeyId(ctx.ids, keyId))
    if (!row) throw unknownKeyIdError(keyId)
    return change(client, row)
  })
  return reportKey(ctx, changed)
}

/**
 * Replaces a key by a new one with the same name, mode, scopes, expiry and budgets, which both share. The old key works for
 * another `overlapMs`, or until its own expiry if that is sooner. Also works without API access, because the account gains no
 * key.
 */
export async function rotateKey(
  ctx: KeysContext,
  keyId: string,
  overlapMs: number,
): Promise<IssuedKey & { replaced: KeyReport }> {
  const { id, key, replaced } = await transact(ctx.db, async (client) => {
    const old = await queries.lockKey(client, openKeyId(ctx.ids, keyId))
    if (!old) throw unknownKeyIdError(keyId)
    const status = keyStatusAt(old, ctx.now)
    if (status !== 'active') throw new OperatorError(`Key ${keyId} is ${status}; only an active key can be rotated.`)
    const { key, row } = generateSuccessor(ctx, old)
    const successor = await queries.insertReplacementKey(client, row)
    const replaced = await queries.updateKeyEndDates(client, old.id, {
      ...old,
      expires_at: overlapEnd(old, ctx.now, overlapMs),
    })
    return { id: ctx.ids.seal('key', successor.id), key, replaced }
  })
  return { id, key, replaced: await reportKey(ctx, replaced) }
}

/** When a key that is replaced expires: after the overlap, or at its own expiry if that is sooner. */
export function overlapEnd({ expires_at }: queries.KeyRow, now: Date, overlapMs: number): Date {
  const end = new Date(now.getTime() + overlapMs)
  return expires_at && expires_at < end ? expires_at : end
}

/** A new key's secret, and its row without the secret. */
export function generateKey(
  ctx: Pick<AccountsContext, 'now'>,
  key: Omit<queries.NewKeyRow, 'secretHash' | 'shownFirst' | 'shownLast' | 'createdAt'>,
): { key: string; row: queries.NewKeyRow } {
  const secret = newApiKey(key.mode)
  const { first, last } = displayedParts(secret)
  const row = { ...key, secretHash: hashApiKey(secret), shownFirst: first, shownLast: last, createdAt: ctx.now }
  return { key: secret, row }
}

/**
 * The key that replaces another. It has the same budgets and is counted under the same key, so that a rotation neither gives
 * back what was spent nor lets two keys spend the rest.
 */
export function generateSuccessor(
  ctx: Pick<AccountsContext, 'now'>,
  old: queries.KeyRow,
): { key: string; row: queries.NewKeyRow } {
  return generateKey(ctx, {
    accountId: old.account_id,
    mode: old.mode,
    name: old.name,
    scopes: old.scopes,
    expiresAt: old.expires_at,
    budgets: budgetsOf(old),
    counterKeyId: old.counter_key_id,
  })
}

function rejectRevoked(row: queries.KeyRow, keyId: string): void {
  if (row.revoked_at) throw new OperatorError(`Key ${keyId} is revoked; that is permanent.`)
}

function openKeyId(ids: IdSealer, keyId: string): number {
  const opened = ids.open(keyId)
  if (opened?.kind === 'key') return opened.value
  if (opened)
    throw new OperatorError(
      `${keyId} is an id of kind "${opened.kind}"; give the id of a key, key_ and 16 letters ("storedex keys list ACCOUNT" shows them).`,
    )
  throw unknownKeyIdError(keyId)
}

function unknownKeyIdError(keyId: string): OperatorError {
  // A pasted secret must not be repeated in an error message.
  if (keyId.startsWith('sdx_'))
    return new OperatorError('This is a key itself; give its id, key_ and 16 letters ("storedex keys find" shows it).')
  return new OperatorError(
    `No key has the id ${JSON.stringify(keyId)}; an id is key_ and 16 letters ("storedex keys list ACCOUNT" shows them).`,
  )
}

export function keyStatusAt(row: queries.KeyRow, now: Date): KeyReport['status'] {
  if (row.revoked_at) return 'revoked'
  if (row.suspended_at) return 'suspended'
  return row.expires_at && row.expires_at <= now ? 'expired' : 'active'
}

type ReportContext = Pick<KeysContext, 'ids' | 'now' | 'readPlans'> & { db: Queryable }

export async function reportKey(ctx: ReportContext, row: queries.KeyRow): Promise<KeyReport> {
  return (await reportKeys(ctx, [row]))[0]!
}

/** Describes keys, in their order. The accounts of keys with a budget are read for their periods. */
export async function reportKeys(ctx: ReportContext, rows: readonly queries.KeyRow[]): Promise<KeyReport[]> {
  const budgets = await readBudgetsOf(ctx, rows)
  return rows.map((row) => describeKey(ctx, row, budgets.get(row.id) ?? noBudgetReport))
}

const noBudgetReport: BudgetReport = { contact_credits: null, store_exports: null, search_rows: null }

async function readBudgetsOf(
  { db, now, readPlans }: ReportContext,
  rows: readonly queries.KeyRow[],
): Promise<Map<number, BudgetReport>> {
  const reports = new Map<number, BudgetReport>()
  const budgeted = rows.filter((row) => hasBudget(budgetsOf(row)))
  for (const accountId of new Set(budgeted.map((row) => row.account_id))) {
    const entitlement = entitlementAt((await selectAccount(db, accountId))!, await readPlans(), now)
    const keys = budgeted.filter((row) => row.account_id === accountId)
    const counted = keys.map((row) => ({ counterKeyId: row.counter_key_id, budgets: budgetsOf(row) }))
    const found = await readBudgetReports(db, { accountId, entitlement }, counted)
    for (const [index, row] of keys.entries()) reports.set(row.id, found[index]!)
  }
  return reports
}

function describeKey(
  { ids, now }: Pick<AccountsContext, 'ids' | 'now'>,
  row: queries.KeyRow,
  budget: BudgetReport,
): KeyReport {
  return {
    id: ids.seal('key', row.id),
    account: ids.seal('account', row.account_id),
    name: row.name,
    mode: row.mode,
    display: `sdx_${row.mode}_${row.shown_first}…${row.shown_last}`,
    status: keyStatusAt(row, now),
    scopes: row.scopes,
    created_at: row.created_at.toISOString(),
    last_used_at: row.last_used_at?.toISOString() ?? null,
    expires_at: row.expires_at?.toISOString() ?? null,
    suspended_at: row.suspended_at?.toISOString() ?? null,
    revoked_at: row.revoked_at?.toISOString() ?? null,
    budget,
  }
}
