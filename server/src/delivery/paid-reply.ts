import type { FastifyRequest } from 'fastify'
import type { PlanFile } from '../accounts/plans.ts'
import { callerContext } from '../auth/access.ts'
import type { CallerContext } from '../auth/caller.ts'
import type { CursorSealer } from '../kernel/cursor.ts'
import type { SearchEngine } from '../search/engine.ts'
import type { DeliverEmails, Vocabulary } from '../search/query/vocabulary.ts'
import type { LiveTaxonomy } from '../taxonomy/live.ts'
import type { Balance } from '../usage/charge.ts'

/** What a verb that reads the catalogue works with. */
export interface CatalogueContext extends CallerContext {
  cursors: CursorSealer
  search: SearchEngine
  vocabulary: Vocabulary
  searchBounds: PlanFile['search']
  deliverEmails: DeliverEmails
}

/** Where it comes from. */
export interface CatalogueServices {
  cursors: CursorSealer
  search: SearchEngine
  plans: PlanFile
  taxonomy: LiveTaxonomy
  config: { deliverEmails: DeliverEmails }
}

export function catalogueContext(request: FastifyRequest, services: CatalogueServices): CatalogueContext {
  return {
    ...callerContext(request),
    cursors: services.cursors,
    search: services.search,
    vocabulary: services.taxonomy.current.vocabulary,
    searchBounds: services.plans.search,
    deliverEmails: services.config.deliverEmails,
  }
}

/** A reply's body, already serialised, with what is left of the meters it was paid from. */
export interface PaidReply {
  body: string
  balance: Balance
}
