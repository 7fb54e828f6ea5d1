import type { Pool } from '../../foundation/db/pool.ts'
import { OperatorError } from '../../foundation/kernel/errors.ts'
import { entitlementAt } from '../accounts/account.ts'
import { readAccount } from '../accounts/read-account.ts'
import { command } from '../auth/actor.ts'
import { type BillingServices, returnUrlsOfPages } from './context.ts'
import { createSubscriptionLink } from './links/create-links.ts'
import type { Offer } from './provider.ts'
import type { BillingLinkKind } from './schema.ts'

interface OperatorLinkContext extends BillingServices {
  db: Pool
}

/** A link for a customer. A capability: anybody who has it can open the page. */
export interface OperatorLink {
  kind: BillingLinkKind
  url: string
  expires_at: string | null
}

/**
 * Creates a link with which a customer buys a plan, at an operator's request and without an API key. The rules and the
 * hourly limit are those of the account's own links: a customer with a subscription gets the page that confirms a higher
 * plan or settles a payment problem, and a plan that is no upgrade is refused.
 */
export async function createOperatorLink(
  ctx: OperatorLinkContext,
  accountPublicId: string,
  { plan, billing }: Offer,
): Promise<OperatorLink> {
  const { db, ids, plans, publicUrl } = ctx
  const now = ctx.clock.now()
  const account = await readAccount({ db, ids }, accountPublicId)
  if (!ctx.billing.isForSale(plan, billing))
    throw new OperatorError(`The plan ${plan}, billed ${billing}, is not for sale: its price is not set.`)
  const link = await createSubscriptionLink(
    {
      ...ctx,
      actor: command,
      now,
      // The request id of a command is never shown.
      requestId: '',
      caller: {
        accountId: account.id,
        mode: 'live',
        ...{ key: null, userId: null, scopes: null },
        entitlement: entitlementAt(account, plans, now),
        ...{ rate: {}, searchRowsUsed: 0 },
      },
      returnUrlsOf: (purpose) => returnUrlsOfPages(publicUrl, purpose),
    },
    { plan, billing },
  )
  return { kind: link.kind, url: link.url, expires_at: link.expires_at }
}
