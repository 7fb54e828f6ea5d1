/** Exports as callers ask for them and as replies describe them. */
import { type Static, Type } from 'typebox'
import {
  ClosedObject,
  Count,
  Described,
  GrowingEnum,
  Nullable,
  ObjectKind,
  OneOf,
  RequestId,
  Timestamp,
} from '../../foundation/kernel/shapes.ts'
import { ContactPersonFilters, ContactStoreFilters, StoreSearchFilters } from '../../search/query/filters.ts'
import { Exclude } from '../exclusion/exclude.ts'
import type { ExportFailure, ExportStatus, StopReason } from './export-states.ts'
import { type ExportKind, exportKinds } from './format/columns.ts'

const maxRowsOfExport = 1_000_000

const kindMeanings: Record<ExportKind, string> = {
  stores: 'stores',
  previews: 'contacts without channels, with their store',
  contacts: 'revealed contacts with their channels',
}

/** The properties of a request for an export, without the quote. */
export const exportProperties = {
  kind: OneOf<ExportKind>(exportKinds, {
    description: `What the rows of the file are. ${Object.entries(kindMeanings)
      .map(([kind, meaning]) => `${kind}: ${meaning}.`)
      .join(' ')}`,
  }),
  filters: Type.Optional(Described(StoreSearchFilters, 'For kind stores: which stores.')),
  person: Type.Optional(Described(ContactPersonFilters, 'For kinds previews and contacts: which contacts.')),
  store: Type.Optional(Described(ContactStoreFilters, 'For kinds previews and contacts: contacts of which stores.')),
  list: Type.Optional(
    Type.String({
      maxLength: 1_000,
      published: { maxLength: 25 },
      description: 'The id of a list: exports the members of this list instead of what filters find.',
      examples: ['lst_live_QmWvTzHbNcRyLpXk'],
    }),
  ),
  exclude: Type.Optional(Described(Exclude, 'What to leave out.')),
  max_contacts_per_store: Type.Optional(
    Type.Union([Type.Integer({ minimum: 1, maximum: 10 }), Type.Null()], {
      default: null,
      description: 'The most contacts of each store; null for all.',
    }),
  ),
  format: Type.Optional(
    OneOf(['csv', 'ndjson', 'xlsx'], {
      description: 'Format of the file; csv if left out. xlsx is a workbook for Excel.',
    }),
  ),
  columns: Type.Optional(
    Type.Array(Type.String({ maxLength: 100 }), {
      minItems: 1,
      maxItems: 100,
      description: 'Columns of a CSV file or workbook, in this order; all by default.',
    }),
  ),
  preset: Type.Optional(
    OneOf(['hubspot', 'salesforce', 'excel'], {
      description: 'Columns and form as this program imports them; not together with columns.',
    }),
  ),
  gzip: Type.Optional(Type.Boolean({ default: false, description: 'Whether to compress the file; not for xlsx.' })),
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
  { title: 'ExportRequest', description: 'What to export, in which form, and what it may cost.' },
)
export type ExportRequest = Static<typeof ExportRequest>

export const exportIdPattern = '^exp_[A-Za-z]+_[A-Za-z]{16}$'

const failureMeanings: Record<ExportFailure, string> = {
  api_access_required: 'the account lost its access',
  revoked_api_key: 'the key was revoked or suspended',
  insufficient_role: 'the person may no longer spend for the account',
  list_not_found: 'a list was deleted',
  internal_error: 'something failed inside',
}

export const Export = ClosedObject(
  {
    id: Type.String({
      pattern: exportIdPattern,
      maxLength: 25,
      description: 'Id of the export.',
      examples: ['exp_live_HcRwTzQbNvKyLpXm'],
    }),
    object: ObjectKind('export'),
    kind: GrowingEnum<ExportKind>('What the rows of the file are.', kindMeanings),
    status: GrowingEnum<ExportStatus>('Where the export stands.', {
      queued: 'it waits for its turn',
      running: 'it writes the file',
      ready: 'the file can be downloaded',
      canceled: 'it was canceled; what was paid until then can be downloaded while file is not null',
      failed: 'it ended early, see error; what was paid until then can be downloaded while file is not null',
      expired: 'its file was removed',
    }),
    progress: ClosedObject(
      { rows: Count('Rows in the file so far.'), of: Count('Rows that were expected when it started.') },
      { title: 'ExportProgress', description: 'How far the export is.' },
    ),
    cost: ClosedObject(
      { store_exports: Count('Store exports spent so far.'), contact_credits: Count('Contact credits spent so far.') },
      { title: 'ExportCost', description: 'What the export has spent so far.' },
    ),
    stopped_by: Nullable(
      GrowingEnum<StopReason>('Which bound ended the file; null until it has ended, and if it did not end by itself.', {
        max_rows: 'the row limit of the request',
        max_credits: 'the credit limit of the request',
        credits: 'the contact credits of the account or the key were used up',
        exports: 'the store exports of the account or the key were used up',
        end: 'there was no more',
      }),
    ),
    file: Nullable(
      ClosedObject(
        {
          bytes: Count('Length of the file, in bytes, as it is downloaded.'),
          sha256: Type.String({
            pattern: '^[0-9a-f]{64}$',
            maxLength: 64,
            description: 'SHA-256 of these bytes, in hexadecimal digits.',
          }),
          rows: Count('Rows, without the header.'),
          expires_at: Timestamp('Until when the file can be downloaded, in UTC.'),
        },
        { title: 'ExportFile', description: 'The finished file.' },
      ),
      'The finished file, for GET /exports/{id}/file; null before, and after it was removed.',
    ),
    error: Nullable(
      ClosedObject(
        {
          code: GrowingEnum<ExportFailure>('Why, for programs.', failureMeanings),
          message: Type.String({ maxLength: 500, description: 'Why, in one sentence for a person.' }),
        },
        { title: 'ExportError', description: 'Why an export failed.' },
      ),
      'Why the export failed; null otherwise.',
    ),
    created_at: Timestamp('When the export was requested, in UTC.'),
    finished_at: Nullable(Timestamp('When the export ended, in UTC; null before.')),
    request_id: Type.Optional({
      ...RequestId,
      description:
        'Names the reply, as the X-Request-Id header does; a replayed reply repeats that of the first one. Not in lists of exports.',
    }),
  },
  { title: 'Export', description: 'An export: its state, what it has cost, and its file.' },
)
export type Export = Static<typeof Export>
