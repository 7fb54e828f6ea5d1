import type { Access } from '../../customers/auth/access.ts'
import type { ActorContext } from '../../customers/auth/actor.ts'
import { recordAudit } from '../../customers/auth/audit.ts'
import type { ConnectionPool, Pool, Queryable } from '../../foundation/db/pool.ts'
import { Refusal } from '../../foundation/kernel/errors.ts'
import type { ImportFiles } from './files.ts'
import type { ImportJob } from './job.ts'
import { selectImportJob } from './queries.ts'

/** Who does something with an import, and when. */
export interface ImportJobContext extends ActorContext {
  /** Not the database of the request: an upload may take longer than a request's statements. */
  db: Pool
  files: ImportFiles
}

export const readingImports = { operator: true, kind: 'read' } as const satisfies Access
/** Uploads, checks and clears away; nothing of the catalogue changes. */
export const preparingImports = { operator: true, kind: 'edit' } as const satisfies Access
/** An import cannot be taken back. */
export const runningImports = { operator: true, kind: 'powerful' } as const satisfies Access
export const takingRejects = { operator: true, kind: 'exit' } as const satisfies Access

/** The share of the pool that imports of the console use. */
export function importLane(db: ConnectionPool): Pool {
  return db.lane('import jobs')
}

/** The import with this number, if its files are on this server. Throws `import_not_found` or `import_elsewhere`. */
export async function requireImportHere({ db, files }: ImportJobContext, id: number): Promise<ImportJob> {
  const job = await requireImport(db, id)
  if (!files.exist || job.server !== (await files.serverId()))
    throw new Refusal('import_elsewhere', 'The files of this import are on another server, which has to be asked.')
  return job
}

export async function requireImport(db: Queryable, id: number): Promise<ImportJob> {
  const job = await selectImportJob(db, id)
  if (!job) throw new Refusal('import_not_found', 'There is no such import.')
  return job
}

type ImportAction = 'created' | 'started' | 'stopped' | 'ended' | 'rejects_downloaded' | 'files_removed'

/** Adds an entry to the audit log. Not the file's name, which may name a person. */
export function auditImport(
  ctx: ActorContext,
  db: Queryable,
  action: ImportAction,
  { id, kind }: ImportJob,
  details: Readonly<Record<string, string | number | boolean | null>> = {},
): Promise<void> {
  return recordAudit(db, ctx, {
    accountId: null,
    action: `import.${action}`,
    details: { import: id, kind, ...details },
  })
}
