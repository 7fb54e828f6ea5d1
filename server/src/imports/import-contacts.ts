import { type ContactPatch, ContactRecord, readContactRecord } from './contacts/contact-record.ts'
import { planContacts } from './contacts/import-contacts.ts'
import { type ImportContext, type ImportInput, type ImportResult, importFile } from './import-file.ts'
import type { ImportKind } from './kind.ts'

export const contactRecords: ImportKind<ContactPatch> = {
  schema: ContactRecord,
  readRecord: readContactRecord,
  planChunk: planContacts,
}

/** People at stores that are there already. */
export function importContacts(context: ImportContext, input: ImportInput): Promise<ImportResult> {
  return importFile(context, contactRecords, input)
}
