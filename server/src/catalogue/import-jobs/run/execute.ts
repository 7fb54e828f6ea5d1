import { isDatabaseUnavailable } from '@storedex/pg-lanes/failures'
import { createPool } from '../../../foundation/db/pool.ts'
import { openContactSeals } from '../../../foundation/encryption/keyring.ts'
import { OperatorError } from '../../../foundation/kernel/errors.ts'
import { createIdSealer } from '../../../foundation/kernel/ids.ts'
import { systemClock } from '../../../foundation/kernel/time.ts'
import type { JobProgress } from '../job.ts'
import { runPipeline } from './pipeline.ts'
import { withoutQuotes } from './report.ts'
import { ImportRunError, type ImportTask, type ImportTaskResult, type StartImport } from './task.ts'

/** Few: the import writes one chunk after the other, and requests need the rest of the server. */
const maxConnections = 4

/** Runs an import with connections of its own. */
export async function executeImport(
  task: ImportTask,
  { signal, onProgress }: { signal: AbortSignal; onProgress(progress: JobProgress): void },
): Promise<ImportTaskResult> {
  const db = createPool({ url: task.databaseUrl, applicationName: 'storedex console import', maxConnections })
  try {
    const ids = createIdSealer(Buffer.from(task.secret))
    const seals = await openContactSeals(db, task.dataKeys, task.dataDir)
    const context = { db, clock: systemClock, ids, seals, config: task }
    return await runPipeline(context, task, { signal, onProgress })
  } catch (error) {
    // Not as the cause: it may quote the file.
    if (error instanceof OperatorError) throw new ImportRunError(forOperators(error.message, task))
    if (isDatabaseUnavailable(error)) throw new ImportRunError(databaseSentence, { cause: error })
    throw error
  } finally {
    await db.end()
  }
}

const databaseSentence = 'The database did not answer. The records before that are imported; run it again to finish.'

/** A message without paths of the server; for contacts without quoted text, which may be a person's. */
function forOperators(message: string, { file, fileName, kind }: ImportTask): string {
  const named = message.replaceAll(file, fileName)
  return kind === 'stores' ? named : withoutQuotes(named)
}

/** Runs imports in this thread, for tests that need none of their own. */
export const startImportInProcess: StartImport = (task, onProgress) => {
  const stopping = new AbortController()
  const result = executeImport(task, { signal: stopping.signal, onProgress })
  return { result, stop: () => stopping.abort(), kill: async () => stopping.abort() }
}
