import type { Scope } from '../auth/scopes.ts'
import type { Queryable } from '../db/pool.ts'
import type { Page } from './links/pages.ts'
import { selectTrialKey, type TrialKeyRow } from './queries.ts'
import { closedPage } from './trials/page.ts'
import type { TrialPowers } from './trials/state.ts'

// The scopes of the calls that hand out this link. A key that has lost them could not get it any more.
const asking: readonly Scope[] = ['usage:read', 'contacts:reveal']

/** Reads the key that a link was made for. A key that would be refused elsewhere opens a page that says why it is closed. */
export async function readTrialPowers(
  db: Queryable,
  keyId: number,
  now: Date,
): Promise<TrialPowers | { closed: Page }> {
  const key = await selectTrialKey(db, keyId)
  const reason = key ? reasonItIsClosed(key, now) : 'does not exist any more'
  if (!key || reason) return { closed: closedPage(reason!, key?.suspended_at && !key.revoked_at ? 403 : 410) }
  return { accountId: key.account_id, mayManage: key.scopes.includes('billing:manage') }
}

function reasonItIsClosed({ scopes, revoked_at, suspended_at, expires_at }: TrialKeyRow, now: Date): string | null {
  if (revoked_at) return 'was revoked'
  if (suspended_at) return 'is suspended'
  if (expires_at && expires_at <= now) return 'has expired'
  return asking.some((scope) => scopes.includes(scope)) ? null : 'may not read usage any more'
}
