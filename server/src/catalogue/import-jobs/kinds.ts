import { contactImportKind } from '../imports/contacts/import-contacts.ts'
import type { ImportField } from '../imports/import-fields.ts'
import type { ImportKindName } from '../imports/report.ts'
import { storeImportKind } from '../imports/stores/import-stores.ts'
import { storesOfBothKind } from '../imports/stores-and-contacts.ts'

/** The fields that the columns of a file can be mapped to. */
export function fieldsOf(kind: ImportKindName): readonly ImportField[] {
  return fields[kind]
}

const fields: Record<ImportKindName, readonly ImportField[]> = {
  stores: storeImportKind.fields,
  contacts: contactImportKind.fields,
  'stores+contacts': storesOfBothKind.fields,
}
