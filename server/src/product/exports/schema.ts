/** Exports as callers ask for them and as replies describe them. */
import { type Static, Type } from 'typebox'
import { ClosedObject, Count, Nullable, OneOf, RequestId, Timestamp } from '../../foundation/kernel/shapes.ts'
import { ContactPersonFilters, ContactStoreFilters, StoreSearchFilters } from '../../search/query/filters.ts'
import { Exclude } from '../exclusion/exclude.ts'
import { type ExportFailure, exportFailures, exportStatuses, stopReasons } from './export-states.ts'
import { type ExportKind, exportKinds } from './format/columns.ts'

const maxRowsOfExport = 1_000_000

const Kind = OneOf<ExportKind>(exportKinds, {
  description:
    'stores: stores. previews: contacts without channels, with their store. contacts: revealed contacts with their channels.',
})

/** The properties of a request for an export, without the quote. */
export const exportProperties = {
  kind: Kind,
  filters: Type.Optional(StoreSearchFilters),
  person: Type.Optional(ContactPersonFilters),
  store: Type.Optional(ContactStoreFilters),
  list: Type.Optional(
    Type.String({
      maxLength: 1_000,
      description: 'Exports the members of this list instead of what filters find.',
      examples: ['lst_live_QmWvTzHbNcRyLpXk'],
    }),
  ),
  exclude: Type.Optional(Exclude),
  max_contacts_per_store: Type.Optional(
    Type.Union([Type.Integer({ minimum: 1, maximum: 10 }), Type.Null()], {
      default: null,
      description: 'The most contacts of each store; null for all.',
    }),
  ),
  format: Type.Optional(OneOf(['csv', 'ndjson'], { description: 'Default: csv.' })),
  columns: Type.Optional(
    Type.Array(Type.String({ maxLength: 100 }), {
      minItems: 1,
      maxItems: 100,
      description: 'Columns of a CSV file, in this order; all by default.',
    }),
  ),
  preset: Type.Optional(
    OneOf(['hubspot', 'salesforce', 'excel'], { description: 'Columns and form as this program imports them.' }),
  ),
  gzip: Type.Optional(Type.Boolean({ default: false, description: 'Compresses the file.' })),
  max_rows: Type.Integer({ minimum: 1, maximum: maxRowsOfExport, description: 'The most rows of the file.' }),
  max_credits: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: maxRowsOfExport,
      description: 'The most contact credits it may spend. Required for kind contacts.',
    }),
  ),
}

export const ExportRequest = ClosedObject(
  {
    ...exportProperties,
    quote: Type.Optional(
      Type.String({ maxLength: 1_000, description: 'A quote for this body: the export spends at most what it says.' }),
    ),
  },
  { title: 'ExportRequest' },
)
export type ExportRequest = Static<typeof ExportRequest>

export const exportIdPattern = '^exp_[A-Za-z]+_[A-Za-z]{16}$'

const fields = {
  id: Type.String({ pattern: exportIdPattern, maxLength: 25, examples: ['exp_live_HcRwTzQbNvKyLpXm'] }),
  object: Type.Literal('export'),
  kind: Kind,
  status: OneOf(exportStatuses),
  progress: ClosedObject(
    { rows: Count('Rows in the file so far.'), of: Count('Rows that were expected when it started.') },
    { title: 'ExportProgress' },
  ),
  cost: ClosedObject(
    { store_exports: Count('Store exports spent so far.'), contact_credits: Count('Contact credits spent so far.') },
    { title: 'ExportCost' },
  ),
  stopped_by: Nullable(OneOf(stopReasons, { description: 'The bound that was reached; end: there was no more.' })),
  file: Nullable(
    ClosedObject(
      {
        bytes: Count('Length of the file.'),
        sha256: Type.String({ pattern: '^[0-9a-f]{64}$', maxLength: 64 }),
        rows: Count('Rows, without the header.'),
        expires_at: Timestamp('Until when the file can be downloaded.'),
      },
      { title: 'ExportFile' },
    ),
  ),
  error: Nullable(
    ClosedObject(
      { code: OneOf(Object.keys(exportFailures) as ExportFailure[]), message: Type.String({ maxLength: 500 }) },
      { title: 'ExportError' },
    ),
  ),
  created_at: Timestamp('When it was asked for.'),
  finished_at: Nullable(Timestamp('When it ended; null before.')),
}

export const Export = ClosedObject(fields, { title: 'Export' })
export type Export = Static<typeof Export>

export const ExportReply = ClosedObject({ ...fields, request_id: RequestId }, { title: 'ExportReply' })
