import type { ExportKind, ExportPreset, ExportQuery, ExportRequest } from '../exports/api.ts'

export type FormatId = 'csv' | 'ndjson' | ExportPreset

/** The rows to export. */
export interface ExportSource {
  /** The kinds of rows that can be had; the first one is chosen at first. */
  kinds: readonly [ExportKind, ...ExportKind[]]
  /** A search, whose page is ignored, or a list. */
  query: ExportQuery & { limit?: number; cursor?: string }
  /** How many match, if it is known. */
  matches?: number | undefined
}

export interface ExportFormState {
  kind: ExportKind
  format: FormatId
  /** In this order; null for all. */
  columns: readonly string[] | null
  /** The most rows; NaN for all. */
  maxRows: number
  /** The most credits; NaN for as many as rows. */
  maxCredits: number
  isCompressed: boolean
  leavesOutOwned: boolean
}

/** The most that one export holds. */
export const mostRows = 1_000_000

/** As many people as one step of a reveal: who wants to spend more says so. */
const firstContacts = 10

export function startingForm(
  { kinds: [kind], query }: ExportSource,
  format: FormatId,
  isAll: boolean,
): ExportFormState {
  return {
    kind,
    format: fitsFormat(kind, format) ? format : 'csv',
    columns: null,
    maxRows: startingRows(kind, isAll),
    maxCredits: Number.NaN,
    isCompressed: false,
    leavesOutOwned: query.exclude?.[ownedName(kind)] ?? false,
  }
}

export function startingRows(kind: ExportKind, isAll = false): number {
  return kind === 'contacts' && !isAll ? firstContacts : Number.NaN
}

/** CRMs take people with channels. */
export function fitsFormat(kind: ExportKind, format: FormatId): boolean {
  return kind === 'contacts' || (format !== 'hubspot' && format !== 'salesforce')
}

/** A workbook is compressed already. */
export function canCompress(format: FormatId): boolean {
  return format !== 'excel'
}

/** True if columns can be chosen: a CRM expects its own, and NDJSON has whole objects. */
export function hasColumns(format: FormatId): boolean {
  return format === 'csv' || format === 'excel'
}

/** `exclude` as the API names it: people are revealed, stores are exported. */
function ownedName(kind: ExportKind): 'revealed' | 'exported' {
  return kind === 'stores' ? 'exported' : 'revealed'
}

export function toRequest({ query }: ExportSource, form: ExportFormState): ExportRequest {
  const { kind, format, columns, maxRows, maxCredits, isCompressed } = form
  const rows = Number.isNaN(maxRows) ? mostRows : maxRows
  const { exclude, limit: _limit, cursor: _cursor, ...which } = query
  const left = excludeOf(exclude, form)
  return {
    kind,
    ...which,
    ...(left && { exclude: left }),
    ...formatOf(format),
    ...(columns && hasColumns(format) && { columns: [...columns] }),
    ...(isCompressed && canCompress(format) && { gzip: true }),
    max_rows: rows,
    ...(kind === 'contacts' && { max_credits: Number.isNaN(maxCredits) ? rows : maxCredits }),
  }
}

export function formatOf(format: FormatId): Pick<ExportRequest, 'format' | 'preset'> {
  if (format === 'csv' || format === 'ndjson') return { format }
  if (format === 'excel') return { format: 'xlsx' }
  return { format: 'csv', preset: format }
}

/** The choice that `formatOf` made a request of. */
export function formatIdOf({ format, preset }: ExportRequest): FormatId {
  return knownFormat(preset ?? (format === 'xlsx' ? 'excel' : format))
}

function excludeOf(exclude: ExportQuery['exclude'], { kind, leavesOutOwned }: ExportFormState): ExportQuery['exclude'] {
  const { [ownedName(kind)]: _owned, ...others } = exclude ?? {}
  const left = { ...others, ...(leavesOutOwned && { [ownedName(kind)]: true as const }) }
  return Object.keys(left).length > 0 ? left : undefined
}

/** Where the format that the user took last is kept, for the next time. */
export const settingGroup = 'export'

const formats: readonly FormatId[] = ['csv', 'excel', 'hubspot', 'salesforce', 'ndjson']

export function knownFormat(stored: unknown): FormatId {
  return formats.find((format) => format === stored) ?? 'csv'
}
