import { type TObject, Type } from 'typebox'
import { normalizeDomain } from '../../../foundation/kernel/domain.ts'
import { ClosedObject } from '../../../foundation/kernel/shapes.ts'
import { fault } from '../fields/faults.ts'
import type { FieldNames } from '../fields/field-names.ts'
import { OptionalNullable, type PatchField } from '../fields/fields.ts'
import { listFields } from '../fields/import-fields.ts'
import type { Synonyms } from '../fields/meanings.ts'
import { type ImportContext, type ImportInput, type ImportResult, importFile } from '../records/import-file.ts'
import type { WriteContext } from '../records/import-kind.ts'
import { type InspectContext, type Inspection, type InspectOptions, inspectAs } from '../records/inspect-file.ts'
import { isObject } from '../records/read-record.ts'
import type { RawRecord } from '../records/records.ts'
import { storeImportKind } from '../stores/import-stores.ts'
import { describeSharedHost } from '../stores/shared-hosts.ts'
import { type StorePatch, StoreRecord } from '../stores/store-record.ts'
import { ContactRecord } from './contact-record.ts'
import { contactImportKind } from './import-contacts.ts'

const { store_domain: _, ...contactFields } = ContactRecord.properties

/** A store with one of its contacts: the contact's fields begin with `contact.`. */
const StoreAndContact: TObject = ClosedObject({
  ...StoreRecord.properties,
  contact: OptionalNullable(Type.Object(contactFields, { additionalProperties: false })),
})

const contactPrefix = 'contact.'

/** A word that means a field of the store is not taken for one of the contact. */
const synonyms: Synonyms = { ...prefixed(contactImportKind), ...storeImportKind.synonyms }

function prefixed({ synonyms, fields }: FieldNames): Synonyms {
  const names = fields.filter(({ name }) => name !== 'store_domain').map(({ name }) => name)
  return Object.fromEntries(names.map((name) => [`${contactPrefix}${name}`, [name, ...(synonyms[name] ?? [])]]))
}

const names: FieldNames = {
  noun: 'store with a contact',
  schema: StoreAndContact,
  fields: listFields(StoreAndContact),
  synonyms,
}

/** The stores of a file that has a store and one of its contacts in each row. */
export const storesOfBothKind: typeof storeImportKind = { ...storeImportKind, ...names, select: selectStore }

const contactsOfBothKind: typeof contactImportKind = { ...contactImportKind, ...names, select: selectContact }

function selectStore(record: RawRecord): RawRecord {
  if (record.problem !== undefined || !isObject(record.value)) return record
  const { contact: _, ...store } = record.value
  return { ...record, value: store, faults: record.faults.filter(({ path }) => !path.startsWith(contactPrefix)) }
}

/** A row that is no record counts to the stores; one without a contact has none. */
function selectContact(record: RawRecord): RawRecord | null {
  if (record.problem !== undefined || !isObject(record.value)) return null
  const { contact, domain } = record.value
  const faults = record.faults
    .filter(({ path }) => path.startsWith(contactPrefix))
    .map((fault) => ({ ...fault, path: fault.path.slice(contactPrefix.length) }))
  if (!isObject(contact) && faults.length === 0) return null
  const storeFault = typeof domain === 'string' ? describeStoreHost(domain, record.value.name) : null
  if (storeFault !== null) faults.push(fault('store_domain', storeFault))
  const value = { ...(contact as object | undefined), ...(domain !== undefined && { store_domain: domain }) }
  return { ...record, value, faults }
}

/** Why the row's store was refused for its host; its people belong to no other store there. */
function describeStoreHost(domain: string, name: unknown): string | null {
  const host = normalizeDomain(domain)
  return host === null ? null : describeSharedHost(domain, host, typeof name === 'string' ? name : null)
}

/** Reads the beginning of a file with a store and one of its contacts in each row. */
export function inspectStoresAndContacts(
  context: InspectContext,
  file: string,
  options: InspectOptions,
): Promise<Inspection> {
  return inspectAs(context, [storesOfBothKind, contactsOfBothKind], file, options)
}

export interface StoresAndContactsResult {
  stores: ImportResult
  contacts: ImportResult
}

/**
 * Imports a file with a store and one of its contacts in each row: it is read twice, first for the stores. The rejected
 * contacts have a file of their own. A dry run expects the stores that it would have imported.
 */
export async function importStoresAndContacts(
  context: ImportContext,
  input: ImportInput,
): Promise<StoresAndContactsResult> {
  const expectedStores = new Map<string, PatchField<string>>()
  const expectStore = ({ domain, country }: StorePatch) =>
    expectedStores.set(domain, country === undefined ? expectedStores.get(domain) : country)
  const storeKind: typeof storesOfBothKind = {
    ...storesOfBothKind,
    async planChunk(client, context, chunk) {
      const plan = await storesOfBothKind.planChunk(client, context, chunk)
      const refused = new Set(plan.outcome.refused.map(({ record }) => record))
      if (input.dryRun) for (const record of chunk.records) if (!refused.has(record)) expectStore(record.patch)
      return plan
    },
  }
  const stores = await importFile(context, storeKind, input)
  const contactKind = expecting(contactsOfBothKind, expectedStores)
  const contacts = await importFile(context, contactKind, { ...input, rejectsName: 'contact-rejects' })
  return { stores, contacts }
}

function expecting(
  kind: typeof contactImportKind,
  expectedStores: NonNullable<WriteContext['expectedStores']>,
): typeof contactImportKind {
  return expectedStores.size === 0
    ? kind
    : {
        ...kind,
        planChunk: (client, context, chunk) => kind.planChunk(client, { ...context, expectedStores }, chunk),
      }
}
