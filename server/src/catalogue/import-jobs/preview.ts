import { FairQueue } from '@storedex/work'
import { authorize } from '../../customers/auth/access.ts'
import { userOf } from '../../customers/auth/actor.ts'
import type { ContactSeals } from '../../foundation/encryption/keyring.ts'
import { OperatorError, Refusal } from '../../foundation/kernel/errors.ts'
import { loadTaxonomy } from '../../search/taxonomy/taxonomy.ts'
import type { Inspection } from '../imports/records/inspect-file.ts'
import type { InspectImport } from '../imports/threads/inspect.ts'
import { type ImportJobContext, readingImports, requireImportHere } from './context.ts'
import { canRun } from './job.ts'
import { type ImportJobOptions, readingOptionsOf } from './options.ts'

/** What reading a file needs besides the file. */
export interface PreviewServices {
  seals: ContactSeals
  config: { importMaxUnpackedMb: number }
  inspectImport: InspectImport
}

interface ImportPreview extends Omit<Inspection, 'rows'> {
  rows: (Omit<Inspection['rows'][number], 'record'> & {
    /** The record as JSON, where the file has no columns. */
    record: string | null
  })[]
}

const maxRecordLength = 2_000

/** How the first rows of an uploaded file are read with these options. Changes nothing. */
export async function previewImport(
  ctx: ImportJobContext,
  services: PreviewServices,
  id: number,
  given: ImportJobOptions,
): Promise<ImportPreview> {
  authorize(ctx, readingImports)
  const job = await requireImportHere(ctx, id)
  if (!canRun(job)) throw new Refusal('import_not_ready', 'The file of this import is not there, or is in use.')
  const file = ctx.files.sourceOf(job)
  try {
    const options = { ...readingOptionsOf(given), extendTaxonomy: given.extend_taxonomy ?? false }
    const { vocabulary } = await loadTaxonomy(ctx.db)
    const context = { vocabulary, seals: services.seals, maxUnpackedMb: services.config.importMaxUnpackedMb }
    const { rows, ...inspection } = await turns.run({ name: String(userOf(ctx.actor)), maxPermits: 1 }, () =>
      services.inspectImport(context, job.kind, file, options),
    )
    const hasColumns = inspection.format === 'csv' || inspection.format === 'xlsx'
    return {
      ...inspection,
      rows: rows.map(({ record, ...row }) => ({
        ...row,
        record: hasColumns || record === null ? null : JSON.stringify(record).slice(0, maxRecordLength),
      })),
    }
  } catch (cause) {
    if (!(cause instanceof OperatorError)) throw cause
    throw new Refusal('invalid_request', cause.message.replaceAll(file, job.fileName), { cause })
  }
}

/** Each has a thread: two at once in this process, one for each user at most; others wait. */
const turns = new FairQueue(2, {
  maxWaiting: 20,
  refuse: () => new Refusal('service_unavailable', 'Too many previews are being read; try again in a moment.'),
})
