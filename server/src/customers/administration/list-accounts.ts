import type { CursorSealer } from '../../foundation/kernel/cursor-sealer.ts'
import { readListPage } from '../../foundation/kernel/list-pages.ts'
import type { Account } from '../accounts/account.ts'
import { authorize } from '../auth/access.ts'
import { type CustomersContext, readAccounts, reportAccount } from './context.ts'
import { filterOf } from './find-accounts.ts'
import { countMembersAndKeys, selectAccountPage } from './queries.ts'
import type { AccountListBody, AccountListReply } from './schema.ts'

/** A page of accounts, the newest first, with the numbers of their members and keys. */
export async function listAccounts(
  ctx: CustomersContext & { cursors: CursorSealer },
  { limit, cursor, ...search }: AccountListBody,
): Promise<Omit<AccountListReply, 'object' | 'request_id'>> {
  authorize(ctx, readAccounts)
  const filter = filterOf(ctx, search)
  const page = await readListPage<Account>(
    // Lists of operators belong to the installation, which stands where an account does in other cursors.
    { ...ctx, accountId: 0, mode: 'live' },
    {
      list: 'accounts',
      filters: search,
      ...(limit !== undefined && { limit }),
      ...(cursor !== undefined && { cursor }),
      positionOf: ({ id, createdAt }) => ({ at: createdAt, row: id }),
      select: (after, count) => selectAccountPage(ctx.db, filter, { beforeId: after?.row ?? null, limit: count }),
    },
  )
  const accountIds = page.rows.map(({ id }) => id)
  const counts = await countMembersAndKeys(ctx.db, accountIds)
  return {
    data: page.rows.map((account) => ({ ...reportAccount(ctx.ids, account), ...counts.get(account.id)! })),
    has_more: page.hasMore,
    next_cursor: page.nextCursor,
  }
}
