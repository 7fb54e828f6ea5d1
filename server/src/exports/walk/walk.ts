import { type ContactSortKey, contactsPerStore, type IdSet } from '@storedex/search-index'
import type { Queryable } from '../../db/pool.ts'
import { findStoreIds } from '../../delivery/queries.ts'
import type { Mode } from '../../kernel/ids.ts'
import { type Exclusion, excludedStores, type SearchEngine } from '../../search/engine.ts'
import type { ExportPosition, ExportQuery } from '../export-row.ts'
import { selectContactPositions, selectStorePositions } from './walk-queries.ts'

export interface WalkContext {
  db: Queryable
  search: SearchEngine
  mode: Mode
}

/** Finds what is exported, in the order of a search, from any position on. */
export interface Walk {
  next(after: ExportPosition | null, limit: number): Promise<ExportPosition[]>
}

/** Opens the walk of a query. `members` are those of its list; they are sorted once, as the catalogue stands now. */
export async function openWalk(
  { db, search, mode }: WalkContext,
  query: ExportQuery,
  members: readonly number[],
  exclude: Exclusion | null,
): Promise<Walk> {
  const { store, person, maxPerStore, listKind } = query
  if (person === null) {
    if (listKind === null)
      return {
        next: async (after, limit) =>
          (await search.findStores({ mode, query: store, exclude, after, limit })).map(({ negatedScore, storeId }) => ({
            negatedScore,
            storeId,
            contact: null,
          })),
      }
    const storeIds = listKind === 'stores' ? members : storesOf(members)
    return walkSorted(await selectStorePositions(db, mode, withoutIds(storeIds, excludedStores(exclude))))
  }
  if (listKind === 'contacts')
    return walkSorted(
      firstOfEachStore(sorted(await selectContactPositions(db, mode, withoutContacts(members, exclude))), maxPerStore),
    )
  const storeIds =
    listKind === 'stores' ? [...members] : query.hosts.length > 0 ? await findStoreIds(db, mode, query.hosts) : null
  return {
    next: (after, limit) =>
      // The query never changes, so a position with a contact follows one with a contact.
      search.findContacts({
        mode,
        store,
        storeIds,
        person,
        maxPerStore,
        exclude,
        after: after as ContactSortKey | null,
        limit,
      }),
  }
}

function withoutIds(ids: readonly number[], excluded: readonly IdSet[]): number[] {
  const has = excluded.map(({ ids: list, count }) => new Set(list.sorted(count)))
  return ids.filter((id) => !has.some((each) => each.has(id)))
}

function withoutContacts(contactIds: readonly number[], exclude: Exclusion | null): number[] {
  const left = withoutIds(contactIds, exclude?.contactKeys ?? [])
  const stores = new Set(withoutIds(storesOf(left), exclude?.storeIds ?? []))
  return left.filter((id) => stores.has(storeOfContact(id)))
}

const storeOfContact = (contactId: number) => Math.floor(contactId / contactsPerStore)

function storesOf(contactIds: readonly number[]): number[] {
  return [...new Set(contactIds.map(storeOfContact))]
}

function comparePositions(one: ExportPosition, other: ExportPosition): number {
  // Infinity minus infinity is not a number.
  if (one.negatedScore !== other.negatedScore) return one.negatedScore < other.negatedScore ? -1 : 1
  return one.storeId - other.storeId || (one.contact ?? 0) - (other.contact ?? 0)
}

function sorted(positions: ExportPosition[]): ExportPosition[] {
  return positions.sort(comparePositions)
}

function firstOfEachStore(positions: readonly ExportPosition[], maxPerStore: number): ExportPosition[] {
  let storeId = -1
  let taken = 0
  return positions.filter((position) => {
    taken = position.storeId === storeId ? taken + 1 : 1
    storeId = position.storeId
    return taken <= maxPerStore
  })
}

function walkSorted(unsorted: ExportPosition[]): Walk {
  const positions = sorted(unsorted)
  return {
    next: async (after, limit) => {
      const start = after === null ? 0 : firstAfter(positions, after)
      return positions.slice(start, start + limit)
    },
  }
}

function firstAfter(positions: readonly ExportPosition[], after: ExportPosition): number {
  let [low, high] = [0, positions.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (comparePositions(positions[middle]!, after) > 0) high = middle
    else low = middle + 1
  }
  return low
}
