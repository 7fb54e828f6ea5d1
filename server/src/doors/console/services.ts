import type { Logger } from 'pino'
import type { BillingServices } from '../../customers/billing/context.ts'
import type { Outbox } from '../../customers/users/outbox.ts'
import type { UsersSettings } from '../../customers/users/settings.ts'
import type { ConnectionPool } from '../../foundation/db/pool.ts'
import type { Signer } from '../../foundation/kernel/signer.ts'
import type { CatalogueServices } from '../../product/delivery/paid-reply.ts'
import type { SystemServices } from './operator/system.ts'

/** The services that the console uses. A request's statements run on its own `ctx.db`. */
export interface ConsoleServices extends BillingServices, SystemServices {
  /** Signs links, and makes keyed hashes of what bounds attempts. */
  signer: Signer
  log: Logger
  /** For work that outlives its request. */
  db: ConnectionPool
  search: CatalogueServices['search'] & SystemServices['search']
  config: CatalogueServices['config'] & SystemServices['config'] & { users: UsersSettings }
  /** Sends mails after their requests were answered; null where no mail is set up. */
  outbox: Outbox | null
}
