import type { Account, AccountsContext } from '../../accounts/account.ts'
import { selectAccount } from '../../accounts/queries.ts'
import { recordAuditEntry } from '../../auth/audit.ts'
import type { PersonContext } from '../../auth/signed-in.ts'
import type { Queryable } from '../../db/pool.ts'
import { ofInstallation } from '../../delivery/list-pages.ts'
import type { CursorSealer } from '../../kernel/cursor.ts'
import { OperatorError, Refusal } from '../../kernel/errors.ts'
import type { IdSealer } from '../../kernel/ids.ts'

/** The context of the verbs that operators also have as commands. */
export function accountsContextOf({ db, now }: PersonContext, ids: IdSealer): AccountsContext {
  return { db, ids, now }
}

export function listContext({ now }: PersonContext, cursors: CursorSealer) {
  return { cursors, now, ...ofInstallation }
}

/** The account with this public id. Throws `account_not_found`. */
export async function requireAccount(db: Queryable, ids: IdSealer, publicId: string): Promise<Account> {
  const opened = ids.open(publicId)
  const account = opened?.kind === 'account' ? await selectAccount(db, opened.value) : undefined
  if (!account) throw new Refusal('account_not_found', 'There is no such account.')
  return account
}

/** Runs a verb of the command line; what the operator can correct becomes a 400 with the same sentence. */
export async function runOperatorVerb<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (!(cause instanceof OperatorError)) throw cause
    throw new Refusal('invalid_request', cause.message, { cause })
  }
}

interface OperatorAction {
  /** Null for what concerns the whole installation. */
  accountId: number | null
  action: `${string}.${string}`
  target?: string
  details?: Readonly<Record<string, string | number | boolean | null>>
}

/** Adds an entry about what an operator did, in the transaction of the change. */
export function auditOperator(
  { person, address, now }: PersonContext,
  db: Queryable,
  entry: OperatorAction,
): Promise<void> {
  return recordAuditEntry(db, { ...entry, personId: person.id, address, at: now })
}
