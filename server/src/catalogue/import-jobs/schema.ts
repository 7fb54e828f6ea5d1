import { type Static, Type } from 'typebox'
import { RecordList } from '../../foundation/kernel/list-pages.ts'
import { ClosedObject, Count, Nullable, OneOf, RequestId, Timestamp } from '../../foundation/kernel/shapes.ts'
import { fileFormats } from '../imports/records/open-records.ts'
import { rejectsFormats } from '../imports/records/rejects-formats.ts'
import { badValueRules, ImportReport, importKinds, recordsOf } from '../imports/records/report.ts'
import { importStates } from './job.ts'
import { ImportJobOptions, importRuns } from './options.ts'
import { maxFileBytes } from './upload.ts'

const Text = Type.String()

export const NewImportBody = ClosedObject({
  kind: OneOf(importKinds),
  file_name: Type.String({ pattern: '^[^/\\\\\\u0000-\\u001f]+$', maxLength: 200 }),
  bytes: Type.Integer({ minimum: 1, maximum: maxFileBytes }),
  modified_at: Type.Optional(Timestamp('When the file was changed last, as the browser says.')),
})
export type NewImportBody = Static<typeof NewImportBody>

export const ImportParams = Type.Object({ id: Type.String({ pattern: '^[1-9]\\d{0,14}$' }) })

export const PartHeaders = Type.Object({
  'upload-offset': Type.String({ pattern: '^\\d{1,12}$', description: 'Bytes of the file before this part.' }),
})

export const RunBody = ClosedObject({ options: ImportJobOptions })

export const RejectsParams = Type.Object({ ...ImportParams.properties, of: OneOf(recordsOf) })

const importJob = {
  id: Count('Its number.'),
  kind: OneOf(importKinds),
  file_name: Text,
  bytes: Count('Size of the file.'),
  received: Count('Bytes that have arrived; the offset of the next part.'),
  modified_at: Nullable(Timestamp('When the file was changed last, as the browser said.')),
  state: OneOf(importStates),
  run: Nullable(OneOf(importRuns)),
  stopping: Type.Boolean({ description: 'Whether a running one ends after its current chunk.' }),
  progress: Nullable(
    ClosedObject({
      read: Count('Records read.'),
      rejected: Count('Records rejected.'),
      bytes_read: Count('Bytes read.'),
      bytes_total: Count('Bytes in all.'),
    }),
  ),
  report: Nullable(
    ClosedObject({
      run: OneOf(importRuns),
      on_bad_value: OneOf(badValueRules),
      parts: Type.Array(ImportReport, { maxItems: 2 }),
    }),
  ),
  error: Nullable(Text),
  by: ClosedObject({ id: Type.String(), name: Text }),
  created_at: Timestamp('When the upload began.'),
  started_at: Nullable(Timestamp('When the last run began.')),
  ended_at: Nullable(Timestamp('When it ended.')),
  has_file: Type.Boolean({ description: 'Whether the uploaded file is still there.' }),
  rejects: Type.Array(OneOf(recordsOf), { maxItems: 2, description: 'What there are rejects of, to download.' }),
  rejects_format: Nullable(OneOf(rejectsFormats)),
}

export const ImportListReply = RecordList(ClosedObject(importJob))
export type ImportListReply = Static<typeof ImportListReply>

export const ImportReply = ClosedObject({
  object: Type.Literal('import'),
  import: ClosedObject(importJob),
  /** Those of the last run. */
  options: ImportJobOptions,
  request_id: RequestId,
})
export type ImportReply = Static<typeof ImportReply>

export const FieldsQuery = ClosedObject({ kind: OneOf(importKinds) })

export const ImportFieldsReply = ClosedObject({
  object: Type.Literal('import_fields'),
  fields: Type.Array(
    ClosedObject({
      name: Text,
      description: Text,
      values: Nullable(Type.Array(Text, { description: 'All there are.' })),
      required: Type.Boolean({ description: 'Whether no record is known without it.' }),
    }),
  ),
  request_id: RequestId,
})
export type ImportFieldsReply = Static<typeof ImportFieldsReply>

export const PreviewReply = ClosedObject({
  object: Type.Literal('import_preview'),
  format: OneOf(fileFormats),
  encoding: Nullable(Text),
  delimiter: Nullable(Text),
  decimal: Nullable(Text),
  sheet: Nullable(Type.String({ description: 'The sheet that is read; null where one has to be chosen.' })),
  sheets: Type.Array(
    ClosedObject({
      name: Text,
      rows: Count('Rows with a value, the heading among them; at most 10,000 are counted.'),
      is_hidden: Type.Boolean(),
    }),
    { description: 'All sheets of a workbook that has several.' },
  ),
  columns: Type.Array(
    ClosedObject({
      header: Text,
      reference: Type.String({ description: 'The name of the column in `map`.' }),
      field: Nullable(Text),
      how: OneOf(['name', 'synonym', 'map', 'ignored', 'unknown']),
      nearest: Type.Array(Text),
      examples: Type.Array(Text),
    }),
  ),
  problems: Type.Array(Text, { description: 'What is wrong with the heading; none may be left for an import.' }),
  suggestion: Nullable(
    ClosedObject(
      { header_row: Nullable(Count('A line that looks like the heading.')), no_header: Nullable(Text) },
      { description: 'Options that would let the file be read, if the heading is not in its first line.' },
    ),
  ),
  notices: Type.Array(ClosedObject({ field: Text, reason: Text, hint: Nullable(Text) }), {
    description: 'What is worth knowing of how the columns are read.',
  }),
  rows: Type.Array(
    ClosedObject({
      line: Count('Line in the file.'),
      cells: Type.Array(Text),
      record: Nullable(Type.String({ description: 'The record as JSON, of a file without columns.' })),
      faults: Type.Array(ClosedObject({ field: Text, reason: Text, value: Nullable(Text), hint: Nullable(Text) })),
    }),
  ),
  request_id: RequestId,
})
export type PreviewReply = Static<typeof PreviewReply>
