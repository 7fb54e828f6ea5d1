import { type ContactSortKey, hasKey, type IdSet } from '@storedex/search-index'
import { type Pace, type Steps, slices, sortInSteps } from '@storedex/work'
import type { Queryable } from '../../../foundation/db/pool.ts'
import { type Mode, storeOfContact } from '../../../foundation/kernel/ids.ts'
import { type Exclusion, excludedStores, type SearchEngine } from '../../../search/engines/engine.ts'
import type { Standby } from '../../../search/replica/standby.ts'
import { findStoreIds } from '../../delivery/fetch-queries.ts'
import type { ExportPosition, ExportQuery } from '../export-row.ts'
import { selectContactPositions, selectStorePositions } from './walk-queries.ts'

export interface WalkContext {
  db: Queryable
  /** Reads the catalogue in place of `db`, if there is one. */
  standby?: Standby | null
  search: SearchEngine
  mode: Mode
}

/** Finds what is exported, in the order of a search, from any position on. */
export interface Walk {
  next(after: ExportPosition | null, limit: number): Promise<ExportPosition[]>
}

/** Opens the walk of a query. `members` are those of its list; they are sorted once, as the catalogue stands now. */
export async function openWalk(
  { db: primary, standby, search, mode }: WalkContext,
  query: ExportQuery,
  members: readonly number[],
  exclude: Exclusion | null,
): Promise<Walk> {
  const { store, person, maxPerStore, listKind } = query
  const db = standby ? standby.over(primary) : primary
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
    const storeIds = await slices.runSteps((pace) => storesLeft(members, listKind, exclude, pace))
    return walkSorted(await sorted(await selectStorePositions(db, mode, storeIds)))
  }
  if (listKind === 'contacts') {
    const contactIds = await slices.runSteps((pace) => withoutContacts(members, exclude, pace))
    return walkSorted(firstOfEachStore(await sorted(await selectContactPositions(db, mode, contactIds)), maxPerStore))
  }
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

function* storesLeft(
  members: readonly number[],
  listKind: 'stores' | 'contacts',
  exclude: Exclusion | null,
  pace: Pace,
): Steps<number[]> {
  const storeIds = listKind === 'stores' ? members : yield* storesOf(members, pace)
  return yield* withoutIds(storeIds, excludedStores(exclude), pace)
}

function* withoutIds(ids: readonly number[], excluded: readonly IdSet[], pace: Pace): Steps<number[]> {
  const lists: Float64Array[] = []
  for (const { ids: list, count } of excluded) lists.push(yield* list.sortInSteps(count, pace))
  const left: number[] = []
  for (const id of ids) {
    if (!hasKey(lists, id)) left.push(id)
    if (pace.spend(unitsPerId * (1 + lists.length))) yield
  }
  return left
}

function* withoutContacts(contactIds: readonly number[], exclude: Exclusion | null, pace: Pace): Steps<number[]> {
  const left = yield* withoutIds(contactIds, exclude?.contactKeys ?? [], pace)
  const stores = new Set<number>()
  for (const storeId of yield* withoutIds(yield* storesOf(left, pace), exclude?.storeIds ?? [], pace)) {
    stores.add(storeId)
    if (pace.spend(unitsPerId)) yield
  }
  return left.filter((id) => stores.has(storeOfContact(id)))
}

/** Of handling one id, in the units of a pace. */
const unitsPerId = 128

function* storesOf(contactIds: readonly number[], pace: Pace): Steps<number[]> {
  const stores = new Set<number>()
  for (const id of contactIds) {
    stores.add(storeOfContact(id))
    if (pace.spend(unitsPerId)) yield
  }
  return [...stores]
}

function comparePositions(one: ExportPosition, other: ExportPosition): number {
  // Infinity minus infinity is not a number.
  if (one.negatedScore !== other.negatedScore) return one.negatedScore < other.negatedScore ? -1 : 1
  return one.storeId - other.storeId || (one.contact ?? 0) - (other.contact ?? 0)
}

async function sorted(positions: readonly ExportPosition[]): Promise<ExportPosition[]> {
  return await slices.runSteps((pace) => sortInSteps(positions, comparePositions, pace))
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

function walkSorted(positions: readonly ExportPosition[]): Walk {
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
