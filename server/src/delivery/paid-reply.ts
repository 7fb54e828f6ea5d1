import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Meter, PlanFile } from '../accounts/plans.ts'
import { callerContext } from '../auth/access.ts'
import type { CallerContext } from '../auth/caller.ts'
import type { ReplyHeader } from '../http/openapi/openapi.ts'
import { sendJson } from '../http/replies.ts'
import type { CursorSealer } from '../kernel/cursor.ts'
import { normalizeDomain } from '../kernel/domain.ts'
import { ApiError } from '../kernel/errors.ts'
import type { SearchEngine } from '../search/engine.ts'
import type { DeliverEmails, Vocabulary } from '../search/query/vocabulary.ts'
import type { LiveTaxonomy } from '../taxonomy/taxonomy.ts'
import { type Balance, deliverAndCharge } from '../usage/charge.ts'
import { type DeliveredStoresByHost, deliverStoresByHost, findStoreIds } from './queries.ts'

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

/** The header that says what is left of a meter. */
export const meterHeaders: Record<Meter, ReplyHeader> = {
  contact_credits: 'X-Contact-Credits-Remaining',
  search_rows: 'X-Search-Rows-Remaining',
  store_exports: 'X-Store-Exports-Remaining',
}

/** Sends a body that is serialised already, with what is left of each meter the route declares to spend. */
export function sendPaidReply(reply: FastifyReply, { body, balance }: PaidReply): FastifyReply {
  for (const meter of reply.routeOptions.config.access?.spends ?? []) {
    const left = balance[meter]
    if (left !== undefined) reply.header(meterHeaders[meter], left)
  }
  return sendJson(reply, body)
}

/** The stores that answer to the hosts, each paid for as one export a period, with previews of these contacts of theirs. */
export function deliverByHostAndCharge(
  ctx: CatalogueContext,
  hosts: string[],
  contactIds: number[] = [],
): Promise<{ delivered: DeliveredStoresByHost; balance: Balance }> {
  const { db, caller, deliverEmails } = ctx
  return deliverAndCharge(ctx, {
    deliver: (charge) => deliverStoresByHost(db, charge, { hosts, contactIds, deliverEmails }),
    describe: async () => ({ storeIds: await findStoreIds(db, caller.mode, hosts), searchRows: 0 }),
  })
}

/** The hosts that a list of domains and URLs names, without repetitions; refused when any is none, naming every such place. */
export function parseHosts(domains: string[], path: string): string[] {
  const hosts = domains.map((domain) => normalizeDomain(domain))
  const bad = hosts.flatMap((host, index) => (host === null ? [`${path}[${index}]`] : []))
  if (bad.length > 0) {
    const verb = bad.length === 1 ? 'is not a domain' : 'are not domains'
    throw new ApiError('invalid_domain', `${bad.join(', ')} ${verb} or a URL with one.`, { param: bad[0]! })
  }
  return [...new Set(hosts as string[])]
}
