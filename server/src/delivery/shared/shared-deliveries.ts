import type { CallerContext } from '../../auth/caller.ts'
import type { ConnectionPool } from '../../db/pool.ts'
import { batchItemOf } from '../../usage/batch/batch-outcome.ts'
import { ChargeCoalescer } from '../../usage/batch/charge-coalescer.ts'
import type { DeliveredPage, DeliveredStoresByHost } from '../queries.ts'
import type { DeliveryContext, HostsItem, PageItem, Shared } from './delivery-batch.ts'
import { KnownHosts } from './known-hosts.ts'
import { sendHosts } from './send-hosts.ts'
import { sendPreviews } from './send-previews.ts'
import { sendStores } from './send-stores.ts'

interface SharedDeliveriesOptions extends Omit<DeliveryContext, 'knownHosts'> {
  pool: ConnectionPool
}

/**
 * Deliveries that are admitted and charged together with other requests of their account, in one statement. Documents and
 * previews that are in memory are not fetched; the statement confirms the version of the catalogue that they are of. Each
 * method returns null if the delivery was refused: nothing was done then.
 */
export class SharedDeliveries {
  readonly #stores: ChargeCoalescer<PageItem, Shared<DeliveredPage>>
  readonly #previews: ChargeCoalescer<PageItem, Shared<DeliveredPage>>
  readonly #hosts: ChargeCoalescer<HostsItem, Shared<DeliveredStoresByHost>>

  constructor({ pool, ...options }: SharedDeliveriesOptions) {
    const ctx = { ...options, knownHosts: new KnownHosts() }
    this.#stores = new ChargeCoalescer({ pool, kind: 'stores', send: (db, items) => sendStores(ctx, db, items) })
    this.#previews = new ChargeCoalescer({ pool, kind: 'previews', send: (db, items) => sendPreviews(ctx, db, items) })
    this.#hosts = new ChargeCoalescer({ pool, kind: 'hosts', send: (db, items) => sendHosts(ctx, db, items) })
  }

  /** A page of stores, each an export and a search row. */
  async deliverStores(ctx: CallerContext, ids: readonly number[], rowsAsked: number): Promise<DeliveredPage | null> {
    const item = batchItemOf(ctx, ids.length)
    return item && this.#stores.run(ctx, { ids, rowsAsked, ...item })
  }

  /** A page of contact previews, each a search row, and an export of its store. */
  async deliverPreviews(ctx: CallerContext, ids: readonly number[], rowsAsked: number): Promise<DeliveredPage | null> {
    const item = batchItemOf(ctx, ids.length)
    return item && this.#previews.run(ctx, { ids, rowsAsked, ...item })
  }

  /** The stores with these hosts, each an export. */
  async deliverHosts(ctx: CallerContext, hosts: readonly string[]): Promise<DeliveredStoresByHost | null> {
    const item = batchItemOf(ctx, hosts.length)
    return item && this.#hosts.run(ctx, { hosts, ...item })
  }
}
