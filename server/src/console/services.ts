import type { BillingServices } from '../billing/context.ts'
import type { RevealServices } from '../contacts/reveal-contacts.ts'
import type { ConnectionPool } from '../db/pool.ts'
import type { CatalogueServices } from '../delivery/paid-reply.ts'
import type { Signer } from '../kernel/signer.ts'
import type { PeopleSettings } from '../people/settings.ts'

/** What the areas of the console need from the process. A request's statements run on its own `ctx.db`. */
export interface ConsoleServices extends CatalogueServices, BillingServices, RevealServices {
  /** Signs links, and makes keyed hashes of what bounds attempts. */
  signer: Signer
  /** For work that outlives its request. */
  db: ConnectionPool
  config: CatalogueServices['config'] & { people: PeopleSettings }
}
