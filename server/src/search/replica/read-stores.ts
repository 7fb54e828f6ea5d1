import type { StagedStores } from '@storedex/search-index'
import type { Client } from '../../db/pool.ts'
import type { Mode } from '../../kernel/ids.ts'
import { readBinaryRows } from './binary-rows.ts'
import { type BatchRange, copyContacts, copyStores } from './queries.ts'
import { Staging } from './staging.ts'

/** Told now and then how many rows were read; throws to end the reading. */
export type ReadingProgress = (stores: number, contacts: number) => void

const progressRows = 10_000

/**
 * Reads stores with their contacts, all of them or those of a range of batches, within the caller's transaction, whose
 * one look at the database makes the two belong together.
 */
export async function readStores(
  client: Client,
  range: BatchRange | null,
  onProgress: ReadingProgress,
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
