import { Readable } from 'node:stream'
import { authorize } from '../../customers/auth/access.ts'
import type { Queryable } from '../../foundation/db/pool.ts'
import { type ContactSeals, exportPieceIdentity } from '../../foundation/encryption/keyring.ts'
import { HttpRefusal } from '../../foundation/http/errors.ts'
import { Refusal } from '../../foundation/kernel/errors.ts'
import { formatDay } from '../../foundation/kernel/time.ts'
import { requireExportScope } from './export-query.ts'
import { type ExportRow, hasFile } from './export-row.ts'
import { findPieceAt, selectPiece } from './file-queries.ts'
import { createExportFormat } from './format/export-format.ts'
import { auditExport, downloadingExports, type ExportsContext, requireExport } from './manage-exports.ts'

/** The requested range of a download, from its headers. */
export interface FileConditions {
  range: string | undefined
  ifRange: string | undefined
}

export interface OpenedExportFile {
  status: 200 | 206
  headers: Record<string, string>
  content: Readable
}

/** Inclusive offsets. */
interface ByteRange {
  first: number
  last: number
}

/**
 * Opens the file of an export, or a range of it. It is read piece by piece as the reader takes it, each in a statement of its own,
 * so a slow reader holds no connection and little memory.
 */
export async function openExportFile(
  ctx: ExportsContext & { seals: ContactSeals },
  id: string,
  { range, ifRange }: FileConditions,
): Promise<OpenedExportFile> {
  authorize(ctx, downloadingExports)
  const row = await requireExport(ctx, id)
  requireExportScope(ctx.caller, row.kind)
  if (row.finishedAt === null)
    throw new Refusal('export_not_ready', 'This export is not finished; its file can be downloaded when it is.', {
      param: 'id',
      retryAfterSeconds: 1,
    })
  if (!hasFile(row, ctx.now))
    throw new Refusal('export_file_gone', 'The file of this export was removed; start the export again.', {
      param: 'id',
    })
  const etag = `"${row.sha256.toString('hex')}"`
  const isSameFile = ifRange === undefined || ifRange.trim() === etag
  const wanted = range !== undefined && isSameFile ? parseRange(range, row.bytes) : null
  const whole = { first: 0, last: row.bytes - 1 }
  const sent = wanted ?? whole
  // What continues a download is part of the one that began.
  if (sent.first === 0) await auditExport(ctx.db, ctx, 'export.downloaded', row, { rows: row.rows, bytes: row.bytes })
  return {
    status: wanted ? 206 : 200,
    headers: {
      ...fileHeaders(row),
      etag,
      'accept-ranges': 'bytes',
      'content-length': String(sent.last - sent.first + 1),
      ...(wanted && { 'content-range': `bytes ${wanted.first}-${wanted.last}/${row.bytes}` }),
    },
    content: Readable.from(readPieces(ctx, row, sent), { objectMode: false }),
  }
}

function fileHeaders({ kind, layout, createdAt }: ExportRow): Record<string, string> {
  const { extension, contentType } = createExportFormat({ kind, ...layout })
  const name = `storedex-${kind}-${formatDay(createdAt)}.${extension}${layout.gzip ? '.gz' : ''}`
  return {
    'content-type': layout.gzip ? 'application/gzip' : contentType,
    'content-disposition': `attachment; filename="${name}"`,
    'cache-control': 'no-store',
  }
}

/**
 * The one range that a header asks for; null for several ranges and for what is no range of bytes, which may be ignored. Refuses a
 * range outside of the file.
 */
function parseRange(header: string, size: number): ByteRange | null {
  const [, from = '', to = ''] = /^\s*bytes=\s*(\d{0,15})-(\d{0,15})\s*$/i.exec(header) ?? []
  if (from === '' && to === '') return null
  const first = from === '' ? Math.max(0, size - Number(to)) : Number(from)
  const last = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1)
  if (from !== '' && to !== '' && Number(to) < Number(from)) return null
  if (first >= size || (from === '' && Number(to) === 0))
    throw new HttpRefusal('invalid_range', `The file has ${size} bytes; the range lies outside of it.`, {
      param: 'Range',
      headers: { 'content-range': `bytes */${size}` },
    })
  return { first, last }
}

async function* readPieces(
  { db, seals }: { db: Queryable; seals: ContactSeals },
  row: ExportRow,
  { first, last }: ByteRange,
): AsyncGenerator<Buffer> {
  let number = first > 0 ? await findPieceAt(db, row, first) : 0
  for (let offset = first; offset <= last; number!++) {
    const piece = number === undefined ? undefined : await selectPiece(db, row, number)
    // The reader notices, because fewer bytes come than were announced.
    if (!piece) throw new Error('the file of an export was removed while it was read')
    const content = piece.sealed ? seals.sealer.open(piece.bytes, exportPieceIdentity(row, piece.number)) : piece.bytes
    const slice = content.subarray(offset - piece.starts_at, last + 1 - piece.starts_at)
    offset += slice.length
    yield slice
  }
}
