import { type Static, Type } from 'typebox'
import { ClosedObject, OneOf } from '../../foundation/kernel/shapes.ts'
import { delimiters } from '../imports/csv/dialect.ts'
import { givenReadingOptions, type ReadingOptions } from '../imports/records/reading-options.ts'
import { badValueRules } from '../imports/records/report.ts'

/** The run of an uploaded file: `check` changes nothing. */
export const importRuns = ['check', 'import'] as const
export type ImportRun = (typeof importRuns)[number]

/** The options of reading. A missing one is detected, or has the default of the command. */
export const ImportJobOptions = ClosedObject({
  delimiter: Type.Optional(OneOf(delimiters)),
  encoding: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9][\\w.:-]*$', maxLength: 40 })),
  decimal: Type.Optional(OneOf(['dot', 'comma'])),
  dates: Type.Optional(OneOf(['dmy', 'mdy'])),
  map: Type.Optional(
    Type.Record(Type.String({ maxLength: 2_000 }), Type.String({ maxLength: 200 }), {
      maxProperties: 1_000,
      description: 'Field of a column, by its heading, or by its position as `#5`; empty text ignores it.',
    }),
  ),
  sheet: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'Name of a sheet of the workbook, or its number from 1.',
    }),
  ),
  short_rows: Type.Optional(OneOf(['reject', 'fill'])),
  header_row: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Line of the heading.' })),
  no_header: Type.Optional(
    Type.String({
      maxLength: 20_000,
      description: 'The file has no heading: fields of the first columns, with commas. Others are named by `map`.',
    }),
  ),
  on_bad_value: Type.Optional(OneOf(badValueRules)),
  extend_taxonomy: Type.Optional(Type.Boolean()),
})
export type ImportJobOptions = Static<typeof ImportJobOptions>

/** The options as the import reads them. */
export function readingOptionsOf(options: ImportJobOptions): ReadingOptions {
  const { short_rows: shortRows, header_row: headerRow, no_header: fields, ...others } = options
  const noHeader = fields === '' ? [] : fields?.split(',').map((field) => field.trim())
  return givenReadingOptions({ ...others, shortRows, headerRow, noHeader })
}
