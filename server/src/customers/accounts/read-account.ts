import type { Queryable } from '../../foundation/db/pool.ts'
import { Refusal } from '../../foundation/kernel/errors.ts'
import type { IdSealer } from '../../foundation/kernel/ids.ts'
import type { Account } from './account.ts'
import { selectAccount, selectAccountByEmail } from './queries.ts'

/** Reads the account with this public id. Throws `account_not_found`. */
export async function readAccount(ctx: { db: Queryable; ids: IdSealer }, publicId: string): Promise<Account> {
  const account = await selectAccount(ctx.db, openAccountId(ctx.ids, publicId))
  if (!account) throw unknownAccountError(publicId)
  return account
}

/** Finds the oldest account with this address. */
export function findAccountByEmail(ctx: { db: Queryable }, email: string): Promise<Account | undefined> {
  return selectAccountByEmail(ctx.db, email)
}

/** The internal id of `acct_…`. */
export function openAccountId(ids: IdSealer, publicId: string): number {
  const opened = ids.open(publicId)
  if (opened?.kind === 'account') return opened.value
  if (opened)
    throw new Refusal(
      'account_not_found',
      `${publicId} is an id of kind "${opened.kind}"; give the id of an account, ${accountIdForm}.`,
    )
  throw unknownAccountError(publicId)
}

const accountIdForm = 'acct_ and 16 letters ("storedex accounts list" shows them)'

export function unknownAccountError(publicId: string): Refusal {
  // A pasted secret must not be repeated in an error message.
  if (publicId.startsWith('sdx_'))
    return new Refusal('account_not_found', `This is an API key; give the id of its account, ${accountIdForm}.`)
  return new Refusal(
    'account_not_found',
    `No account has the id ${JSON.stringify(publicId)}; an id is ${accountIdForm}.`,
  )
}
