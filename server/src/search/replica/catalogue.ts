import {
  buildCodedSegment,
  type CodedStores,
  type Replacement,
  removeStores,
  replaceStores,
  type SegmentList,
} from '@storedex/search-index'
import type { Client, Pool } from '../../foundation/db/pool.ts'
import { type Mode, modes } from '../../foundation/kernel/ids.ts'
import { collectGarbage } from '../../foundation/runtime/collect-garbage.ts'
import { readBinaryRows } from './binary-rows.ts'
import * as queries from './queries.ts'
import { type BatchRange, streamContacts, streamStores } from './queries.ts'
import type { SegmentLists } from './replica.ts'
import { Staging } from './staging.ts'

/** The index with the history id of its batch; null for batches older than history ids. */
export interface Catalogue {
  batch: number
  historyId: string | null
  lists: SegmentLists
}

/** The database does not have the history that the index was read from: it was restored, or is another database. */
export class HistoryChangedError extends Error {}

/** Not all rows of a batch can be seen yet: try again in a moment. */
export class IncompleteBatchError extends Error {
  constructor(batch: number) {
    super(`Not all rows of batch ${batch} can be seen yet.`)
  }
}

/** A build of fewer stores has too little to free for what each collection stops: the thread, by its whole heap. */
const leastStoresToFree = 100_000

/** Of so many newest batches a reader of everything checks that they are complete. */
const checkedBatches = 100

async function requireCompleteBatches(client: Client, range: BatchRange): Promise<void> {
  const incomplete = await queries.findIncompleteBatch(client, range)
  if (incomplete !== null) throw new IncompleteBatchError(incomplete)
}

/** Reads the whole catalogue in one consistent snapshot. Throws an `IncompleteBatchError`, unless torn batches are accepted. */
export async function loadCatalogue(
  pool: Pool,
  onProgress: OnReadProgress,
  acceptsIncomplete = false,
): Promise<Catalogue> {
  const expected = await queries.estimateRows(pool)
  const { point, staged } = await read(pool, 'everything', async (client) => {
    const point = await queries.readCatalogueState(client, 0)
    if (!acceptsIncomplete)
      await requireCompleteBatches(client, { after: point.batch - checkedBatches, upTo: point.batch })
    return { point, staged: await readStores(client, null, onProgress, expected) }
  })
  const listOf = (stores: CodedStores): SegmentList => {
    if (stores.size === 0) return []
    const free = stores.size < leastStoresToFree ? undefined : collectGarbage
    return [{ segment: buildCodedSegment(stores, free), dead: null }]
  }
  return { ...point, lists: { live: listOf(staged.live), test: listOf(staged.test) } }
}

/**
 * Applies the next batches, up to about `portionStores` changed stores. Also returns the modes that lost a contact or a store.
 * Throws an `IncompleteBatchError`, unless torn batches are accepted.
 */
export async function advanceCatalogue(
  pool: Pool,
  catalogue: Catalogue,
  portionStores: number,
  onProgress: OnReadProgress,
  acceptsIncomplete = false,
): Promise<{ catalogue: Catalogue; newestBatch: number; modesWithRemovals: Mode[] }> {
  const after = catalogue.batch
  const { point, upTo, historyId, staged, removed } = await read(pool, 'changes', async (client) => {
    const point = await queries.readCatalogueState(client, after)
    requireSameHistory(catalogue, point)
    const upTo = (await queries.findPortionEnd(client, after, portionStores)) ?? point.batch
    if (!acceptsIncomplete) await requireCompleteBatches(client, { after, upTo })
    const historyId = await queries.readHistoryId(client, upTo)
    const removed = await queries.readRemovedStores(client, { after, upTo })
    return { point, upTo, historyId, removed, staged: await readStores(client, { after, upTo }, onProgress) }
  })
  const modesWithRemovals: Mode[] = []
  const lists = { ...catalogue.lists }
  for (const mode of modes) {
    const changed = changeStores(lists[mode], staged[mode], removed)
    lists[mode] = changed.list
    if (changed.hasRemovedContacts) modesWithRemovals.push(mode)
  }
  return { catalogue: { batch: upTo, historyId, lists }, newestBatch: point.batch, modesWithRemovals }
}

function changeStores(list: SegmentList, staged: CodedStores, removed: number[]): Replacement {
  const unchanged = { list, hasRemovedContacts: false }
  const replaced = staged.size === 0 ? unchanged : replaceStores(list, staged, buildCodedSegment(staged))
  if (removed.length === 0) return replaced
  const remaining = removeStores(replaced.list, removed)
  return { list: remaining.list, hasRemovedContacts: replaced.hasRemovedContacts || remaining.hasRemovedContacts }
}

/** Throws if the database does not have the history that the index was read from. */
export function requireSameHistory(
  { batch, historyId }: Pick<Catalogue, 'batch' | 'historyId'>,
  point: { batch: number; seenHistoryId: string | null },
): void {
  if (point.batch < batch || point.seenHistoryId !== historyId) throw new HistoryChangedError()
}

async function read<T>(
  pool: Pool,
  what: Parameters<typeof queries.beginReadTransaction>[1],
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = await pool.connect()
  let isComplete = false
  try {
    await queries.beginReadTransaction(client, what)
    const result = await work(client)
    await queries.endReadTransaction(client)
    isComplete = true
    return result
  } finally {
    // A connection left in the middle of COPY cannot be reused.
    client.release(!isComplete)
  }
}

/** Called every few thousand rows with totals; throws to stop reading. */
export type OnReadProgress = (stores: number, contacts: number) => void

const progressRows = 10_000

/** Reads stores with their contacts, all or those of a range of batches, within the caller's transaction. */
async function readStores(
  client: Client,
  range: BatchRange | null,
  onProgress: OnReadProgress,
  expected?: queries.CatalogueCount,
): Promise<Record<Mode, CodedStores>> {
  const live = new Staging(expected)
  const test = new Staging()
  let rows = 0
  const count = () => {
    if (++rows % progressRows === 0) onProgress(live.stores + test.stores, live.contacts + test.contacts)
  }
  await readBinaryRows(streamStores(client, range), (row) => {
    const id = row.int64()
    const staging = row.boolean() ? test : live
    staging.addStore(id, row)
    count()
  })
  await readBinaryRows(streamContacts(client, range), (row) => {
    const storeId = row.int64()
    const number = row.int16()
    const traits = row.int16()
    const role = row.int32Or(0)
    if (!live.addContact(storeId, number, traits, role)) test.addContact(storeId, number, traits, role)
    count()
  })
  return { live: live.finish(), test: test.finish() }
}
