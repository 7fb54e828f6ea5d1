import type { Client } from '../../../foundation/db/pool.ts'
import type { ExportRow } from '../export-row.ts'
import { insertPieces } from '../file-queries.ts'
import { endWorkbook, workbookOptionsOf } from './workbook.ts'

/**
 * Writes what a file still needs to be complete, in the transaction that ends its export; returns its length. Of a workbook that is
 * the directory of the archive; the checksum of the row includes it already. It has no channels, so it is not sealed.
 */
export async function closeFile(client: Client, row: ExportRow): Promise<{ pieces: number; bytes: number }> {
  const { pieces, bytes: startsAt } = row
  const workbook = workbookOptionsOf(row)
  if (!workbook) return { pieces, bytes: startsAt }
  const bytes = endWorkbook(workbook, row.workbook)
  const piece = { number: pieces, startsAt, size: bytes.length, storedAt: 0, storedSize: bytes.length }
  await insertPieces(client, row, { pieces: [piece], sealed: false, contactIds: null, bytes })
  return { pieces: pieces + 1, bytes: startsAt + bytes.length }
}
