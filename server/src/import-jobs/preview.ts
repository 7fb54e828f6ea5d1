import { contactImportKind } from '../imports/contacts/import-contacts.ts'
import type { ImportContext } from '../imports/import-file.ts'
import { type InspectContext, type Inspection, type InspectOptions, inspectFile } from '../imports/inspect-file.ts'
import { storeImportKind } from '../imports/stores/import-stores.ts'
import { inspectStoresAndContacts } from '../imports/stores-and-contacts.ts'
import { ApiError, OperatorError } from '../kernel/errors.ts'
import { type ImportJobContext, requireImportHere } from './context.ts'
import { canRun } from './job.ts'
import type { ImportJobOptions, ImportKindName } from './options.ts'

/** What reading a file needs besides the file. */
export type PreviewServices = Omit<ImportContext, 'db'>

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
  { on_bad_value: _onBadValue, extend_taxonomy: extendTaxonomy = false, ...read }: ImportJobOptions,
): Promise<ImportPreview> {
  const job = await requireImportHere(ctx, id)
  if (!canRun(job)) throw new ApiError('import_not_ready', 'The file of this import is not there, or is in use.')
  const file = ctx.files.sourceOf(job)
  try {
    const options = { ...read, extendTaxonomy }
    const { rows, ...inspection } = await inspectKind(job.kind, { ...services, db: ctx.db }, file, options)
    const hasColumns = inspection.format === 'csv'
    return {
      ...inspection,
      rows: rows.map(({ record, ...row }) => ({
        ...row,
        record: hasColumns || record === null ? null : JSON.stringify(record).slice(0, maxRecordLength),
      })),
    }
  } catch (cause) {
    if (!(cause instanceof OperatorError)) throw cause
    throw new ApiError('invalid_request', cause.message.replaceAll(file, job.fileName), { cause })
  }
}

function inspectKind(
  kind: ImportKindName,
  context: InspectContext,
  file: string,
  options: InspectOptions,
): Promise<Inspection> {
  if (kind === 'stores+contacts') return inspectStoresAndContacts(context, file, options)
  return inspectFile(context, kind === 'stores' ? storeImportKind : contactImportKind, file, options)
}
