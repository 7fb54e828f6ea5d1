import type { Client, Pool } from '../../foundation/db/pool.ts'
import * as files from './file-queries.ts'
import { lockExport } from './queries.ts'
import { endAndRelease } from './reservation.ts'

const exportsAtOnce = 100
/** About 16 MB. */
const piecesAtOnce = 64

/** Removes the files that have expired, in small transactions. */
export async function pruneFiles(db: Pool, now: Date): Promise<void> {
  while ((await files.expireExports(db, now, exportsAtOnce)) > exportsAtOnce);
  for (let expired = await files.selectFilesToRemove(db, exportsAtOnce); expired.length > 0; ) {
    for (const key of expired) while ((await files.deletePieces(db, key, piecesAtOnce)) > 0);
    expired = await files.selectFilesToRemove(db, exportsAtOnce)
  }
}

/**
 * Removes every file that holds any of the contacts, and ends exports that are writing one, in the transaction of an erasure. Call
 * it after the contacts were deleted: that waits for chunks that hold them.
 */
export async function expireFilesOfContacts(client: Client, contactIds: readonly number[], now: Date): Promise<void> {
  for (const key of await files.selectExportsWithContacts(client, contactIds)) {
    const row = await lockExport(client, key)
    if (row?.finishedAt === null) await endAndRelease(client, row, { status: 'expired', at: now })
    else await files.markExpired(client, key)
    await files.deleteFile(client, key)
  }
}
