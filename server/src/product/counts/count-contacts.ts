import { type Access, authorize } from '../../customers/auth/access.ts'
import { Refusal } from '../../foundation/kernel/errors.ts'
import { normalizePersonFilters } from '../../search/query/person-query.ts'
import { normalizeStoreConditions } from '../../search/query/store-query.ts'
import { findStoreIds } from '../delivery/fetch-queries.ts'
import { parseHosts } from '../delivery/paid-reply.ts'
import { openExclusion, readAccountSets } from '../exclusion/exclude.ts'
import { type CountContext, holderOf, millisecondsSince } from './context.ts'
import {
  isPersonFacet,
  rankValues,
  tokensOfFacet,
  valuesOfFacet,
  valuesOfPersonFacet,
  withoutFacet,
  withoutPersonFacet,
} from './facets.ts'
import { type CountPlace, PartsOfCount } from './parts.ts'
import {
  type ContactCount,
  type ContactCountRequest,
  type ContactFacetName,
  defaultFacetLimit,
  type FacetValue,
} from './schema.ts'

/** The facets of a few named stores would tell for free what a lookup of each costs a store export for. */
function namedStoresRefusal(): Refusal {
  return new Refusal(
    'invalid_request',
    'A count with store.domains has no facets: leave facets or store.domains out.',
    {
      param: 'facets',
    },
  )
}

export const countingContacts = {
  key: { scope: 'contacts:search' },
  member: { role: 'viewer', needsAccess: true },
  kind: 'read',
} as const satisfies Access

/** Counts the people that a search would find, and what choosing other values of its facets would find. Costs nothing. */
export async function countContacts(ctx: CountContext, request: ContactCountRequest): Promise<ContactCount> {
  authorize(ctx, countingContacts)
  const { db, caller, search, vocabulary, deliverEmails } = ctx
  const { domains = [], ...conditions } = request.store ?? {}
  const { person = {}, max_contacts_per_store: maxPerStore = null, facet_limit: limit = defaultFacetLimit } = request
  const hosts = parseHosts(domains, 'store.domains')
  if (hosts.length > 0 && request.facets && request.facets.length > 0) throw namedStoresRefusal()
  const queryOf = (people: typeof person, stores: typeof conditions, storeIds: number[] | null) => ({
    person: normalizePersonFilters(vocabulary, people),
    store: normalizeStoreConditions(vocabulary, stores, 'store'),
    storeIds,
    maxPerStore,
  })
  // Filters are refused before the database is read.
  queryOf(person, conditions, null)
  const storeIds = hosts.length > 0 ? await findStoreIds(db, caller.mode, hosts) : null

  const parts = new PartsOfCount()
  const whole = parts.add(queryOf(person, conditions, storeIds))
  const placeOf = (name: ContactFacetName): CountPlace => {
    if (isPersonFacet(name)) {
      const query = queryOf(withoutPersonFacet(person, name), conditions, storeIds)
      return parts.add(query, name === 'roles' ? 'role' : 'seniority')
    }
    const query = queryOf(person, withoutFacet(conditions, name), storeIds)
    return parts.add(query, { tokens: tokensOfFacet(vocabulary, name), limit: null })
  }
  const facets = [...new Set(request.facets)].map((name) => ({ name, place: placeOf(name) }))
  const { exclusion } = await openExclusion(ctx, request.exclude)
  const { revealedContacts } = await readAccountSets(ctx)
  const startedAt = performance.now()
  const result = await search.count({
    mode: caller.mode,
    holder: holderOf(ctx),
    signal: ctx.signal,
    parts: parts.parts,
    exclude: exclusion,
    exported: null,
    revealed: revealedContacts,
    verifiedOnly: deliverEmails === 'verified',
  })
  const engineMs = millisecondsSince(startedAt)
  const valuesOf = (name: ContactFacetName, place: CountPlace) =>
    isPersonFacet(name)
      ? valuesOfPersonFacet(vocabulary, name, place.peopleOf(result))
      : valuesOfFacet(vocabulary, name, place.tokensOf(result), place.partOf(result).people)
  const { stores, people } = whole.partOf(result)
  return {
    object: 'contact_count',
    contacts: people,
    stores,
    unrevealed: result.unrevealed,
    facets: Object.fromEntries(
      facets.map(({ name, place }): [string, FacetValue[]] => [name, rankValues(valuesOf(name, place), limit)]),
    ),
    engine_ms: engineMs,
    request_id: ctx.requestId,
  }
}
