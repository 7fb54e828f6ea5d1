import { buildSegment, replaceStores, type SegmentList, type StagedStores } from '@storedex/search-index'
import type { Client, Pool } from '../../db/pool.ts'
import { type Mode, modes } from '../../kernel/ids.ts'
import { readBinaryRows } from './binary-rows.ts'
import * as queries from './queries.ts'
import { type BatchRange, copyContacts, copyStores } from './queries.ts'
import type { SegmentLists } from './replica.ts'
import { Staging } from './staging.ts'

/** The catalogue in memory, with the mark that tells its history from others; null for one from before there were marks. */
export interface Catalogue {
  batch: number
  mark: string | null
  shelves: SegmentLists
}

/** The database has another history than what was read from it before: it was restored, or is another one. */
export class HistoryChangedError extends Error {}

/** Reads all of it, in one look at the database. */
export async function loadCatalogue(pool: Pool, onProgress: OnReadProgress): Promise<Catalogue> {
  const { point, staged } = await read(pool, 'everything', async (client) => ({
    point: await queries.readCatalogueState(client, 0),
    staged: await readStores(client, null, onProgress),
  }))
  const shelfOf = (stores: StagedStores): SegmentList =>
    stores.size === 0 ? [] : [{ segment: buildSegment(stores), dead: null }]
  return { ...point, shelves: { live: shelfOf(staged.live), test: shelfOf(staged.test) } }
}

/** The catalogue some batches later, about as many as change so many stores. Modes from where somebody is gone are told. */
export async function advanceCatalogue(
  pool: Pool,
  catalogue: Catalogue,
  portionStores: number,
  onProgress: OnReadProgress,
): Promise<{ catalogue: Catalogue; newestBatch: number; gone: Mode[] }> {
  const after = catalogue.batch
  const { point, upTo, mark, staged } = await read(pool, 'changes', async (client) => {
    const point = await queries.readCatalogueState(client, after)
    requireSameHistory(catalogue, point)
    const upTo = (await queries.findPortionEnd(client, after, portionStores)) ?? point.batch
    const mark = await queries.readHistoryId(client, upTo)
    return { point, upTo, mark, staged: await readStores(client, { after, upTo }, onProgress) }
  })
  const gone: Mode[] = []
  const shelves = { ...catalogue.shelves }
  for (const mode of modes) {
    if (staged[mode].size === 0) continue
    const replaced = replaceStores(shelves[mode], staged[mode], buildSegment(staged[mode]))
    shelves[mode] = replaced.shelf
    if (replaced.isSomebodyGone) gone.push(mode)
  }
  return { catalogue: { batch: upTo, mark, shelves }, newestBatch: point.batch, gone }
}

/** Throws when the database is not what the catalogue was read from. */
export function requireSameHistory(
  { batch, mark }: Pick<Catalogue, 'batch' | 'mark'>,
  point: { batch: number; markOfSeen: string | null },
): void {
  if (point.batch < batch || point.markOfSeen !== mark) throw new HistoryChangedError()
}

async function read<T>(
  pool: Pool,
  what: Parameters<typeof queries.beginReadTransaction>[1],
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = await pool.connect()
  // A connection can break while nothing is asked of it; unheard, that would end the process.
  const ignore = () => {}
  client.on('error', ignore)
  let isWhole = false
  try {
    await queries.beginReadTransaction(client, what)
    const result = await work(client)
    await queries.endReadTransaction(client)
    isWhole = true
    return result
  } finally {
    client.off('error', ignore)
    // One that was left in the middle of a copy would never end it.
    client.release(!isWhole)
  }
}

/** Told now and then how many rows were read; throws to end the reading. */
export type OnReadProgress = (stores: number, contacts: number) => void

const progressRows = 10_000

/**
 * Reads stores with their contacts, all of them or those of a range of batches, within the caller's transaction, whose
 * one look at the database makes the two belong together.
 */
async function readStores(
  client: Client,
  range: BatchRange | null,
  onProgress: OnReadProgress,
): Promise<Record<Mode, StagedStores>> {
  const live = new Staging()
  const test = new Staging()
  let rows = 0
  const count = () => {
    if (++rows % progressRows === 0) onProgress(live.stores + test.stores, live.contacts + test.contacts)
  }
  await readBinaryRows(copyStores(client, range), (row) => {
    const id = row.int64()
    const staging = row.boolean() ? test : live
    staging.addStore(id, row)
    count()
  })
  await readBinaryRows(copyContacts(client, range), (row) => {
    const storeId = row.int64()
    const number = row.int16()
    const traits = row.int16()
    const role = row.int32Or(0)
    if (!live.addContact(storeId, number, traits, role)) test.addContact(storeId, number, traits, role)
    count()
  })
  return { live: live.finish(), test: test.finish() }
}
