import type { FastifyReply } from 'fastify'
import type { Meter, PlanFile } from '../../customers/accounts/plans.ts'
import { spendsOf } from '../../customers/auth/access.ts'
import type { CallerContext } from '../../customers/auth/caller.ts'
import type { TrialLinks } from '../../customers/auth/trial-links.ts'
import type { ChargeContext } from '../../customers/ledger/charge.ts'
import type { Charges } from '../../customers/ledger/charges.ts'
import type { Balance } from '../../customers/ledger/outcome.ts'
import type { DeliverEmails } from '../../foundation/encryption/contact-facts.ts'
import type { ReplyHeader } from '../../foundation/http/openapi/reply-headers.ts'
import { type JsonText, sendJson } from '../../foundation/http/replies.ts'
import type { CursorSealer } from '../../foundation/kernel/cursor-sealer.ts'
import { describeDomainFault, normalizeDomain } from '../../foundation/kernel/domain.ts'
import { Refusal } from '../../foundation/kernel/errors.ts'
import type { SearchEngine } from '../../search/engines/engine.ts'
import type { Vocabulary } from '../../search/query/vocabulary.ts'
import type { LiveTaxonomy } from '../../search/taxonomy/taxonomy.ts'
import type { Documents } from './documents.ts'

/** The services that operations on the catalogue use. */
export interface CatalogueContext extends ChargeContext {
  cursors: CursorSealer
  search: SearchEngine
  vocabulary: Vocabulary
  searchBounds: PlanFile['search']
  deliverEmails: DeliverEmails
  documents: Documents
}

export interface CatalogueServices {
  cursors: CursorSealer
  search: SearchEngine
  plans: PlanFile
  taxonomy: LiveTaxonomy
  config: { deliverEmails: DeliverEmails }
  documents: Documents
  charges: Charges
  trialLinks: TrialLinks
}

export function catalogueContext(ctx: CallerContext, services: CatalogueServices): CatalogueContext {
  return {
    cursors: services.cursors,
    search: services.search,
    vocabulary: services.taxonomy.current.vocabulary,
    searchBounds: services.plans.search,
    deliverEmails: services.config.deliverEmails,
    documents: services.documents,
    charges: services.charges,
    trialLinks: services.trialLinks,
    // Last, because properties after a spread are added slowly; see `docs/decisions/0055`.
    ...ctx,
  }
}

/** A serialized reply body and the remaining balance of each meter that it was charged to. */
export interface PaidReply {
  body: JsonText
  balance: Balance
  /** How many search rows a view was charged, where some of its rows were paid before. */
  rowsCharged?: number | undefined
  /** Of a page of a search: why it is the last one although more matches. */
  endReason?: string | null
}

/** The response header with the remaining balance of each meter. */
export const meterHeaders: Partial<Record<Meter, ReplyHeader>> = {
  contact_credits: 'X-Contact-Credits-Remaining',
  search_rows: 'X-Search-Rows-Remaining',
  store_exports: 'X-Store-Exports-Remaining',
}

/** On replies that show rows to a person: the search rows that were charged. */
export const rowsChargedHeader = 'X-Search-Rows-Charged'

/** Sends a serialized body, and in headers what is left of the meters that the route declares. */
export function sendPaidReply(reply: FastifyReply, { body, balance, endReason, rowsCharged }: PaidReply): FastifyReply {
  if (endReason) reply.header('x-search-end', endReason)
  if (rowsCharged !== undefined) reply.header(rowsChargedHeader, rowsCharged)
  setBalanceHeaders(reply, balance)
  return sendJson(reply, body)
}

export function setBalanceHeaders(reply: FastifyReply, balance: Balance): void {
  const { access, door } = reply.routeOptions.config
  for (const meter of access ? spendsOf(access, door) : []) {
    const remaining = balance[meter]
    const header = meterHeaders[meter]
    if (header && remaining !== undefined) reply.header(header, remaining)
  }
}

/** The host of a domain or a URL; refuses the request if it has none. */
export function parseHost(domain: string, param = 'domain'): string {
  const host = normalizeDomain(domain)
  if (host === null) {
    const character = describeDomainFault(domain)
    const cause = character === null ? '' : ` It has ${character}, which no domain has; write it anew.`
    const message = `This is not a domain or a URL with one, such as shop.example.${cause}`
    throw new Refusal('invalid_domain', message, { param })
  }
  return host
}

export function storeNotFound(host: string): Refusal {
  return new Refusal('store_not_found', `No store is known for ${host}.`, { param: 'domain' })
}

const maxNamed = 25
/** Of how many the character at fault is named. */
const maxExplained = 10

function nameFault(place: string, domain: string): string {
  const character = describeDomainFault(domain)
  return character === null ? place : `${place} (it has ${character})`
}

/** The distinct hosts of a list of domains and URLs; refuses the request if any is invalid, naming all that are. */
export function parseHosts(domains: string[], path: string): string[] {
  const hosts = domains.map((domain) => normalizeDomain(domain))
  const invalid = hosts.flatMap((host, index) => (host === null ? [`${path}[${index}]`] : []))
  if (invalid.length > 0) {
    const verb = invalid.length === 1 ? 'is not a domain' : 'are not domains'
    // A list takes 1,000 domains; the error stays short.
    const named = hosts
      .flatMap((host, index) => (host === null ? [index] : []))
      .map((index, nth) => (nth < maxExplained ? nameFault(`${path}[${index}]`, domains[index]!) : `${path}[${index}]`))
    const more = named.length > maxNamed ? ` and ${named.length - maxNamed} more` : ''
    const message = `${named.slice(0, maxNamed).join(', ')}${more} ${verb} or a URL with one.`
    throw new Refusal('invalid_domain', message, { param: invalid[0]! })
  }
  return [...new Set(hosts as string[])]
}
