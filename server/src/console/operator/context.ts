import { recordAuditEntry } from '../../auth/audit.ts'
import type { PersonContext } from '../../auth/signed-in.ts'
import type { Queryable } from '../../db/pool.ts'
import { ofInstallation } from '../../delivery/list-pages.ts'
import type { CursorSealer } from '../../kernel/cursor.ts'
import { OperatorError, Refusal } from '../../kernel/errors.ts'

export function listContext({ now }: PersonContext, cursors: CursorSealer) {
  return { cursors, now, ...ofInstallation }
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
