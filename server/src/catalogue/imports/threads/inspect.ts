import { contactImportKind } from '../contacts/import-contacts.ts'
import { inspectStoresAndContacts } from '../contacts/stores-and-contacts.ts'
import { type InspectContext, type Inspection, type InspectOptions, inspectFile } from '../records/inspect-file.ts'
import { storeImportKind } from '../stores/import-stores.ts'

/** The contents of a file. */
export type InspectedKind = 'stores' | 'contacts' | 'stores+contacts'

/** Reads the beginning of a file; throws an `OperatorError` for a file that cannot be read. */
export type InspectImport = (
  context: InspectContext,
  kind: InspectedKind,
  file: string,
  options: InspectOptions,
) => Promise<Inspection>

/** Reads it in the calling thread, which serves nothing meanwhile if the file is made for that. */
export const inspectInProcess: InspectImport = (context, kind, file, options) => {
  if (kind === 'stores+contacts') return inspectStoresAndContacts(context, file, options)
  return inspectFile(context, kind === 'stores' ? storeImportKind : contactImportKind, file, options)
}
