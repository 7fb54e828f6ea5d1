import type { TObject } from 'typebox'
import type { ImportField } from './import-fields.ts'
import type { Synonyms } from './meanings.ts'

/** The names that a file's columns may have: the fields of a record, and their synonyms. */
export interface FieldNames {
  /** The noun for a record in messages: `store`, `contact`. */
  noun: string
  schema: TObject
  /** All fields, with index 0 for those of lists. */
  fields: readonly ImportField[]
  synonyms: Synonyms
  /** Columns that files of `POST /exports` have besides; ignored in one, which has a column `object`. */
  served?: readonly string[]
}

/**
 * The choices of the person who imports: column header to field; empty to ignore it. `#5` is the fifth column, `*` stands
 * for unknown columns.
 */
export type ColumnMap = Readonly<Record<string, string>>

/** A column of a file and the field it is read as. */
export interface HeaderColumn {
  /** Empty for a column without a name. */
  header: string
  /** What `--map` calls it: its header if no other column has it, otherwise its position. */
  reference: string
  /** Null if it is ignored or unknown. */
  field: string | null
  how: 'name' | 'synonym' | 'map' | 'ignored' | 'unknown'
  /** The most similar fields of an unknown column. */
  nearest: string[]
}

/** Columns that rejects files have besides the imported ones. */
export const rejectColumns = { line: '_line', reasons: '_reasons', nameless: '_nameless' } as const

/** Whether cells are the header of a rejects file. */
export function isRejectsHeader([first, second]: readonly string[]): boolean {
  return first === rejectColumns.line && second === rejectColumns.reasons
}
