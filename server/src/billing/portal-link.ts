import { selectAccount } from '../accounts/queries.ts'
import type { BillingContext } from './context.ts'
import { linkReply, makeLink, makeTestLink, pagePaths } from './links/links.ts'
import { startDeadline } from './links-deadline.ts'
import { unknownAccount } from './links-refusals.ts'
import type { BillingLinkReply } from './schema.ts'

/** A link to the provider's portal: invoices, payment details, cancellation and recovery. */
export async function createPortalLink(ctx: BillingContext): Promise<BillingLinkReply> {
  if (ctx.caller.mode === 'test') return linkReply(ctx, await makeTestLink(ctx), 'billing_portal', null)
  const { customerId } = (await selectAccount(ctx.db, ctx.caller.accountId))!
  if (customerId === null) throw unknownAccount()
  const inTime = startDeadline()
  const returnUrl = ctx.publicUrl + pagePaths.done
  const link = await makeLink(ctx, () => inTime(ctx.billing.createPortal({ customerId, returnUrl })))
  return linkReply(ctx, link, 'billing_portal', null)
}
