import { Readable } from 'node:stream'
import { authorize } from '../../customers/auth/access.ts'
import { userOf } from '../../customers/auth/actor.ts'
import { transact } from '../../foundation/db/pool.ts'
import { Refusal } from '../../foundation/kernel/errors.ts'
import type { ImportKindName } from '../imports/records/report.ts'
import { formatEndingOf } from '../imports/source/text.ts'
import { auditImport, type ImportJobContext, preparingImports, requireImportHere } from './context.ts'
import { partTooLargeError } from './files.ts'
import type { ImportJob } from './job.ts'
import { advanceUpload, insertImportJob } from './queries.ts'

/** The largest file. */
export const maxFileBytes = 2_000_000_000
/** The largest part: a slow connection must send it within the time limit of a request. */
const maxPartBytes = 8_388_608

interface NewUpload {
  kind: ImportKindName
  fileName: string
  bytes: number
  fileModifiedAt: Date | null
}

/** Begins an import: its file follows in parts. */
export async function createImportJob(ctx: ImportJobContext, upload: NewUpload): Promise<ImportJob> {
  authorize(ctx, preparingImports)
  const { db, files, actor, now } = ctx
  if (!upload.fileName.isWellFormed())
    throw new Refusal('invalid_request', 'The name of the file has half a character in it; rename the file.', {
      param: 'file_name',
    })
  const ending = formatEndingOf(upload.fileName)
  if (ending === null)
    throw new Refusal(
      'invalid_request',
      'The name of the file must end in .xlsx, .csv, .tsv, .txt, .ndjson, .jsonl or .json, the texts with .gz or without.',
      { param: 'file_name' },
    )
  const server = await files.serverId()
  await files.requireSpace(upload.bytes)
  return transact(db, async (client) => {
    const job = await insertImportJob(client, { ...upload, server, userId: userOf(actor)!, at: now })
    await auditImport(ctx, client, 'created', job, { bytes: upload.bytes })
    await files.create(job)
    return job
  })
}

/** Imports whose file is being written to. */
const writing = new Set<string>()

/**
 * Appends a part to the file of an import, at the offset where it ends. A part that breaks off counts as far as it came. Throws
 * `wrong_offset` for any other offset, so that no part is written twice or left out.
 */
export async function appendToUpload(
  ctx: ImportJobContext,
  id: number,
  { offset, content, bytes }: { offset: number; content: unknown; bytes: number | null },
): Promise<ImportJob> {
  authorize(ctx, preparingImports)
  if (!(content instanceof Readable))
    throw new Refusal('unsupported_media_type', 'Send a part of the file as application/offset+octet-stream.')
  if (bytes !== null && bytes > maxPartBytes) throw partTooLargeError(maxPartBytes)
  const { db, files } = ctx
  const job = await requireImportHere(ctx, id)
  if (job.state !== 'uploading' || job.received !== offset) throw wrongOffsetError(job)
  const name = files.folderOf(id)
  if (writing.has(name)) throw wrongOffsetError(job)
  writing.add(name)
  try {
    const left = job.bytes - offset
    await files.requireSpace(Math.min(left, bytes ?? maxPartBytes))
    const { written, failure } = await files.writePart(job, offset, content, Math.min(left, maxPartBytes))
    const advance = { id, from: offset, to: offset + written, at: ctx.now }
    const advanced = written === 0 ? job : await advanceUpload(db, advance)
    if (failure instanceof Refusal) throw failure
    if (failure !== null)
      throw new Refusal('invalid_request', 'The part broke off; continue from its end.', { cause: failure })
    if (!advanced) throw wrongOffsetError(job)
    return advanced
  } finally {
    writing.delete(name)
  }
}

function wrongOffsetError({ state, received }: ImportJob): Refusal {
  const message =
    state === 'uploading'
      ? `The file has ${received} bytes so far; continue from there.`
      : 'The whole file is there, or was removed; nothing more can be added.'
  return new Refusal('wrong_offset', message, { param: 'upload-offset' })
}
