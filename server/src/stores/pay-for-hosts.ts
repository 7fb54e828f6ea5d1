import type { CatalogueContext } from '../delivery/paid-reply.ts'
import { type DeliveredHosts, deliverHosts } from '../delivery/queries.ts'
import { type Balance, payForDelivery } from '../usage/charge.ts'
import { findStoreIds } from './queries.ts'

/** The stores that answer to the hosts, each paid for as one export a period, with previews of these contacts of theirs. */
export function payForHosts(
  ctx: CatalogueContext,
  hosts: string[],
  contactIds: number[] = [],
): Promise<{ delivered: DeliveredHosts; balance: Balance }> {
  const { db, caller, deliverEmails } = ctx
  return payForDelivery(ctx, {
    deliver: (charge) => deliverHosts(db, charge, { hosts, contactIds, deliverEmails }),
    describe: async () => ({ storeIds: await findStoreIds(db, caller.mode, hosts), searchRows: 0 }),
  })
}
