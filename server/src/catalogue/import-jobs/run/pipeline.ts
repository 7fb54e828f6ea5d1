import { basename } from 'node:path'
import { importContacts } from '../../imports/contacts/import-contacts.ts'
import { importStoresAndContacts } from '../../imports/contacts/stores-and-contacts.ts'
import type { ImportContext, ImportInput, ImportProgress, ImportResult } from '../../imports/records/import-file.ts'
import type { ImportKindName, RecordsOf } from '../../imports/records/report.ts'
import { importStores } from '../../imports/stores/import-stores.ts'
import type { JobProgress, JobRejects } from '../job.ts'
import { readingOptionsOf } from '../options.ts'
import { describePart } from './report.ts'
import type { ImportTask, ImportTaskResult } from './task.ts'

interface RunOptions {
  signal: AbortSignal
  onProgress(progress: JobProgress): void
}

/** Runs a file through the pipeline of the command `import`. */
export async function runPipeline(
  context: ImportContext,
  { kind, run, file, options }: ImportTask,
  { signal, onProgress }: RunOptions,
): Promise<ImportTaskResult> {
  const { on_bad_value: onBadValue = 'reject', extend_taxonomy: extendTaxonomy = false } = options
  const input: ImportInput = {
    ...readingOptionsOf(options),
    file,
    extendTaxonomy,
    onBadValue,
    dryRun: run === 'check',
    signal,
    onProgress: countPasses(kind, onProgress),
  }
  const results = await importAs(kind, context, input)
  const parts = results.map(([of, result]) => describePart(of, result, kind))
  return {
    report: { run, on_bad_value: onBadValue, parts },
    stopped: results.some(([, { stopped }]) => stopped),
    rejects: rejectsOf(results),
  }
}

async function importAs(
  kind: ImportKindName,
  context: ImportContext,
  input: ImportInput,
): Promise<(readonly [of: RecordsOf, result: ImportResult])[]> {
  if (kind === 'stores') return [['stores', await importStores(context, input)]]
  if (kind === 'contacts') return [['contacts', await importContacts(context, input)]]
  const { stores, contacts } = await importStoresAndContacts(context, input)
  return [
    ['stores', stores],
    ['contacts', contacts],
  ]
}

/** A file of stores and contacts is read twice; the bytes of both passes make the whole. */
function countPasses(kind: ImportKindName, onProgress: RunOptions['onProgress']): (progress: ImportProgress) => void {
  const passes = kind === 'stores+contacts' ? 2 : 1
  let pass = 0
  let last = 0
  return ({ read, rejected, bytesRead, bytesTotal }) => {
    if (read < last) pass++
    last = read
    const size = bytesTotal ?? bytesRead
    onProgress({ read, rejected, bytesRead: Math.min(pass, passes - 1) * size + bytesRead, bytesTotal: passes * size })
  }
}

function rejectsOf(results: readonly (readonly [of: RecordsOf, result: ImportResult])[]): JobRejects | null {
  const files = results.flatMap(([of, { rejects_file: path }]) =>
    path === null ? [] : [[of, basename(path)] as const],
  )
  return files.length === 0 ? null : Object.fromEntries(files)
}
