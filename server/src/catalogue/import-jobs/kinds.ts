import { contactImportKind } from '../imports/contacts/import-contacts.ts'
import { storesOfBothKind } from '../imports/contacts/stores-and-contacts.ts'
import type { ImportField } from '../imports/fields/import-fields.ts'
import type { ImportKindName } from '../imports/records/report.ts'
import { storeImportKind } from '../imports/stores/import-stores.ts'

/** The fields that the columns of a file can be mapped to. */
export function fieldsOf(kind: ImportKindName): readonly ImportField[] {
  return fields[kind]
}

const fields: Record<ImportKindName, readonly ImportField[]> = {
  stores: storeImportKind.fields,
  contacts: contactImportKind.fields,
  'stores+contacts': storesOfBothKind.fields,
}
