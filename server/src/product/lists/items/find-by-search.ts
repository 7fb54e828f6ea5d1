import type { ContactSortKey, StoreSortKey } from '@storedex/search-index'
import { requireScope } from '../../../customers/auth/key-refusals.ts'
import { Refusal } from '../../../foundation/kernel/errors.ts'
import { normalizePersonFilters } from '../../../search/query/person-query.ts'
import { normalizeStoreConditions, normalizeStoreFilters } from '../../../search/query/store-query.ts'
import { contactIdsOf } from '../../delivery/contact-preview.ts'
import { findStoreIds } from '../../delivery/fetch-queries.ts'
import { parseHosts } from '../../delivery/paid-reply.ts'
import { openExclusion } from '../../exclusion/exclude.ts'
import type { ListsContext } from '../context.ts'
import type { ListKind, ListSource } from '../schema.ts'

/** Between two of these parts of a search, other requests take their turn. */
const resultsAtOnce = 1_000

/** Finds the first results of a search, at most `max`, as keys of stores or contacts. */
type ListSearch = (max: number) => Promise<number[]>

/** Checks a search, for which the caller needs its scope. It is bounded by `max` alone. */
export async function openListSearch(ctx: ListsContext, kind: ListKind, source: ListSource): Promise<ListSearch> {
  requireScope(ctx.caller, kind === 'stores' ? 'stores:read' : 'contacts:search')
  refuseOtherSearch(kind, source)
  const nameParam = (error: unknown): never => {
    throw error instanceof Refusal && error.param !== undefined ? below('from', error) : error
  }
  const find = await (kind === 'stores' ? openStores(ctx, source) : openContacts(ctx, source)).catch(nameParam)
  return (max) => find(max).catch(nameParam)
}

async function openStores(ctx: ListsContext, { filters, exclude }: ListSource): Promise<ListSearch> {
  const { search, caller, vocabulary, deliverEmails } = ctx
  if (!filters) throw new Refusal('missing_parameter', 'from.filters is required.', { param: 'filters' })
  const query = normalizeStoreFilters(vocabulary, filters, deliverEmails)
  const { exclusion } = await openExclusion(ctx, exclude)
  return async (max) => {
    const found = await findInParts<StoreSortKey>(max, (after, limit) =>
      search.findStores({ mode: caller.mode, query, exclude: exclusion, after, limit }),
    )
    return found.map(({ storeId }) => storeId)
  }
}

async function openContacts(ctx: ListsContext, source: ListSource): Promise<ListSearch> {
  const { db, search, caller, vocabulary } = ctx
  const { domains = [], ...conditions } = source.store ?? {}
  const person = normalizePersonFilters(vocabulary, source.person ?? {})
  const hosts = parseHosts(domains, 'store.domains')
  const store = normalizeStoreConditions(vocabulary, conditions, 'store')
  const storeIds = hosts.length > 0 ? await findStoreIds(db, caller.mode, hosts) : null
  const maxPerStore = source.max_contacts_per_store ?? 1
  const { exclusion: exclude } = await openExclusion(ctx, source.exclude)
  return async (max) => {
    const found = await findInParts<ContactSortKey>(max, (after, limit) =>
      search.findContacts({ mode: caller.mode, store, storeIds, person, maxPerStore, exclude, after, limit }),
    )
    return contactIdsOf(found)
  }
}

async function findInParts<Key>(
  max: number,
  find: (after: Key | null, limit: number) => Promise<Key[]>,
): Promise<Key[]> {
  const found: Key[] = []
  while (found.length < max) {
    const limit = Math.min(resultsAtOnce, max - found.length)
    const part = await find(found.at(-1) ?? null, limit)
    found.push(...part)
    if (part.length < limit) break
  }
  return found
}

function refuseOtherSearch(kind: ListKind, source: ListSource): void {
  const wrong = kind === 'stores' ? (['person', 'store', 'max_contacts_per_store'] as const) : (['filters'] as const)
  const given = wrong.find((name) => source[name] !== undefined)
  if (given === undefined) return
  const fitting = kind === 'stores' ? 'filters' : 'person and store'
  throw new Refusal('invalid_request', `This is a list of ${kind}; its search has ${fitting}.`, {
    param: `from.${given}`,
  })
}

/** The same error, about a part of the request. */
function below(path: string, { code, message, param, cause }: Refusal): Refusal {
  return new Refusal(code, message, { param: `${path}.${param}`, cause })
}
