import { IdList } from '@storedex/search-index'
import { slices } from '@storedex/work'
import type { Queryable } from '../../foundation/db/pool.ts'
import { splitContactKey } from '../../foundation/kernel/ids.ts'
import { availableMemory } from '../../foundation/runtime/memory.ts'
import { mapIds, parseIds } from './parse-ids.ts'
import {
  type AccountMode,
  type ExcludedListRow,
  readExcludedLists,
  readExportRecords,
  readRevealRecords,
} from './queries.ts'
import { RecordSet } from './record-set.ts'

/** The members of a list, by the version that was read. */
export interface ListSet {
  kind: ExcludedListRow['kind']
  version: string
  ids: IdList
  /** The stores of the members: the members themselves, or those of the contacts. */
  stores: IdList
}

const megabyte = 1_048_576
const mostBytes = 256 * megabyte
const shareOfMemory = 32

/**
 * What accounts have exported, revealed and listed, in memory: for the accounts that exclude it, up to a number of bytes. What
 * was not used for the longest time is dropped, and read again when it is needed. Requests bring a set up to date before they
 * use it, so it does not matter which server wrote what it lacks.
 */
export class AccountSets {
  readonly #maxBytes: number
  /** The set used last comes last. */
  readonly #sets = new Map<string, RecordSet | ListSet>()
  /** Bytes of each set when it was used last, and their sum. */
  readonly #bytesOf = new Map<string, number>()
  #bytes = 0

  constructor({ maxBytes = Math.min(mostBytes, availableMemory() / shareOfMemory) }: { maxBytes?: number } = {}) {
    this.#maxBytes = maxBytes
  }

  /** Of everything in memory, as of the last use of each set. */
  get bytes(): number {
    return this.#bytes
  }

  /** The stores exported in a period. */
  async exportedStores(db: Queryable, owner: AccountMode, periodStart: Date): Promise<RecordSet> {
    const key = keyOf(owner, 'exports', periodStart.getTime())
    const set = this.#recordSet(key, null)
    await set.bringUpToDate((since, knownCount) => readExportRecords(db, { ...owner, since, knownCount, periodStart }))
    this.#use(key, set)
    return set
  }

  /** The contacts that the account has revealed. */
  async revealedContacts(db: Queryable, owner: AccountMode): Promise<RecordSet> {
    const key = keyOf(owner, 'reveals')
    const set = this.#recordSet(key, storeOf)
    await set.bringUpToDate((since, knownCount) => readRevealRecords(db, { ...owner, since, knownCount }))
    this.#use(key, set)
    return set
  }

  /** The lists, in the order of their ids; null for those that the account does not have in this mode. */
  async lists(db: Queryable, owner: AccountMode, listIds: number[]): Promise<(ListSet | null)[]> {
    if (listIds.length === 0) return []
    const keys = listIds.map((id) => keyOf(owner, 'list', id))
    const known = keys.map((key) => this.#sets.get(key) as ListSet | undefined)
    const knownVersions = known.map((set) => set?.version ?? '')
    const rows = await readExcludedLists(db, { ...owner, listIds, knownVersions })
    const sets: (ListSet | null)[] = []
    for (const [index, id] of listIds.entries()) {
      const row = rows.find((each) => each.id === id)
      const set = row ? (row.members === null ? known[index]! : await listSetOf(row, row.members)) : null
      if (set) this.#use(keys[index]!, set)
      else this.#drop(keys[index]!)
      sets.push(set)
    }
    return sets
  }

  #recordSet(key: string, storeOf: ((id: number) => number) | null): RecordSet {
    const known = this.#sets.get(key)
    if (known) return known as RecordSet
    const set = new RecordSet({ storeOf })
    this.#sets.set(key, set)
    return set
  }

  /** Marks a set as the one used last, and drops others if there are too many bytes. */
  #use(key: string, set: RecordSet | ListSet): void {
    this.#drop(key)
    const bytes = bytesOf(set)
    this.#sets.set(key, set)
    this.#bytesOf.set(key, bytes)
    this.#bytes += bytes
    for (const oldest of this.#sets.keys()) {
      if (this.#bytes <= this.#maxBytes || oldest === key) return
      this.#drop(oldest)
    }
  }

  #drop(key: string): void {
    this.#sets.delete(key)
    this.#bytes -= this.#bytesOf.get(key) ?? 0
    this.#bytesOf.delete(key)
  }
}

function keyOf({ accountId, mode }: AccountMode, ...what: (string | number)[]): string {
  return [accountId, mode, ...what].join(' ')
}

function storeOf(contactKey: number): number {
  return splitContactKey(contactKey).storeId
}

async function listSetOf({ kind, version }: ExcludedListRow, members: string): Promise<ListSet> {
  return await slices.runSteps(function* (pace) {
    const ids = yield* parseIds(members, pace)
    const list = new IdList(ids)
    return {
      kind,
      version,
      ids: list,
      stores: kind === 'stores' ? list : new IdList(yield* mapIds(ids, storeOf, pace)),
    }
  })
}

const bytesOfEntry = 1_000

function bytesOf(set: RecordSet | ListSet): number {
  if (set instanceof RecordSet) return bytesOfEntry + set.bytes
  return bytesOfEntry + set.ids.bytes + (set.stores === set.ids ? 0 : set.stores.bytes)
}
