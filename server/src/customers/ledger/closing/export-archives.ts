import { existsSync } from 'node:fs'
import type { Pool } from '../../../foundation/db/pool.ts'
import { OperatorError } from '../../../foundation/kernel/errors.ts'
import type { IdSealer } from '../../../foundation/kernel/ids.ts'
import { writeAtomically } from '../../../foundation/runtime/atomic-file.ts'
import * as queries from './archive-queries.ts'
import { readArchiveText } from './packed-entries.ts'

export interface ArchiveExportContext {
  /** A pool of the owner role. */
  db: Pool
  ids: IdSealer
}

export interface ArchiveExportOptions {
  file: string
  /** Exports archives whose entries were all spent before this time; null for all. */
  spentBefore: Date | null
  /** Whether to delete the exported content from the database; sums and digests stay. */
  drop: boolean
  onProgress?(progress: { done: number; total: number }): void
}

export interface ArchiveExport {
  archives: number
  entries: number
  dropped: number
  /** Null if there was nothing to export. */
  file: string | null
}

/** A line of an exported file. */
interface ExportedArchive {
  account: string
  first_entry: number
  last_entry: number
  entries: number
  first_spent_at: string
  last_spent_at: string
  /** Of `text` in UTF-8, in hexadecimal. */
  sha256: string
  /**
   * A line for each entry: a JSON array of entry, spent_at, mode, meter, amount, period_start, request_id and the row numbers
   * of the key and the person. Lines of before 0012 lack the last two.
   */
  text: string
}

/**
 * Writes archives to a new file, a line of JSON each, and drops them if `drop` is set. The file gets its name once all of it
 * is on disk; only then are archives dropped. A damaged archive aborts the export.
 */
export async function exportArchives(
  ctx: ArchiveExportContext,
  { file, spentBefore, drop, onProgress }: ArchiveExportOptions,
): Promise<ArchiveExport> {
  if (existsSync(file)) throw new OperatorError(`${file} already exists; choose another file name.`)
  const { archives: total } = await queries.countArchives(ctx.db, spentBefore)
  if (total === 0) return { archives: 0, entries: 0, dropped: 0, file: null }
  const exported: queries.ArchiveKey[] = []
  let entries = 0
  const lines = async function* () {
    for await (const archive of readArchives(ctx.db, spentBefore)) {
      yield `${JSON.stringify(await toExportedArchive(ctx.ids, archive))}\n`
      exported.push({ account_id: archive.account_id, first_entry: archive.first_entry })
      entries += archive.entries
      onProgress?.({ done: exported.length, total: Math.max(total, exported.length) })
    }
  }
  await writeAtomically(file, lines())
  const dropped = drop ? await dropArchives(ctx.db, exported) : 0
  return { archives: exported.length, entries, dropped, file }
}

const archivesPerPage = 20

async function* readArchives(db: Pool, spentBefore: Date | null): AsyncGenerator<queries.ArchiveRow> {
  for (let after: queries.ArchiveKey = { account_id: 0, first_entry: 0 }; ; ) {
    const page = await queries.selectArchivesBefore(db, { after, spentBefore, limit: archivesPerPage })
    const last = page.at(-1)
    if (!last) return
    yield* page
    after = last
  }
}

async function toExportedArchive(ids: IdSealer, archive: queries.ArchiveRow): Promise<ExportedArchive> {
  return {
    account: ids.seal('account', archive.account_id),
    first_entry: archive.first_entry,
    last_entry: archive.last_entry,
    entries: archive.entries,
    first_spent_at: archive.first_spent_at.toISOString(),
    last_spent_at: archive.last_spent_at.toISOString(),
    sha256: archive.sha256.toString('hex'),
    text: await readArchiveText(archive),
  }
}

/** Drops archives in batches; they are ordered by account. */
async function dropArchives(db: Pool, archives: readonly queries.ArchiveKey[]): Promise<number> {
  let dropped = 0
  for (let start = 0; start < archives.length; ) {
    const { account_id: accountId } = archives[start]!
    const batch = archives.slice(start, start + archivesPerPage).filter((each) => each.account_id === accountId)
    const firstEntries = batch.map((each) => each.first_entry)
    dropped += await queries.dropArchiveContents(db, accountId, firstEntries)
    start += batch.length
  }
  return dropped
}
