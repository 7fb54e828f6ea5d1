import type { ContactSortKey, PersonQuery, StoreQuery, StoreSortKey } from '@storedex/search-index'
import type { WorkbookState } from '@storedex/workbook/write'
import type { IdSealer, Mode } from '../../foundation/kernel/ids.ts'
import type { Exclude } from '../exclusion/exclude.ts'
import { type ExportFailure, type ExportStatus, exportFailures, type StopReason } from './export-states.ts'
import type { ExportKind } from './format/columns.ts'
import type { Export } from './schema.ts'

/** How the file is written. */
export interface FileLayout {
  format: 'csv' | 'ndjson' | 'xlsx'
  columns?: string[]
  preset?: 'hubspot' | 'salesforce' | 'excel'
  gzip: boolean
}

/** The exported selection, in normal form. */
export interface ExportQuery {
  store: StoreQuery
  /** Null for kind `stores`. */
  person: PersonQuery | null
  /** Only stores with these hosts; empty for any. */
  hosts: string[]
  maxPerStore: number
  /** The kind of the list's members; null without a list. */
  listKind: 'stores' | 'contacts' | null
  exclude: Exclude | null
  /** Items that the account had before this time (ISO 8601) are excluded; its own deliveries are not earlier. */
  startedAt: string
}

/** A place in the order of a search; `contact` is null among stores. */
export type ExportPosition = (StoreSortKey & { contact: null }) | ContactSortKey

/** A row of `exports`. */
export interface ExportRow {
  accountId: number
  id: number
  mode: Mode
  kind: ExportKind
  status: ExportStatus
  layout: FileLayout
  query: ExportQuery
  maxRows: number
  maxCredits: number | null
  maxStoreExports: number | null
  requestId: string
  keyId: number | null
  userId: number | null
  plannedRows: number | null
  periodStart: Date | null
  reservedExports: number
  creditsPeriodStart: Date | null
  reservedCredits: number
  chargedExports: number
  chargedCredits: number
  after: ExportPosition | null
  rows: number
  pieces: number
  bytes: number
  /** Of the file as it would be if the export ended now. */
  sha256: Buffer
  /** By which a workbook is continued and ended; null for other formats. */
  workbook: WorkbookState | null
  lease: number
  stoppedBy: StopReason | null
  error: ExportFailure | null
  createdAt: Date
  finishedAt: Date | null
  expiresAt: Date | null
}

/** Whether there is a file to download. */
export function hasFile({ status, expiresAt }: ExportRow, now: Date): boolean {
  return expiresAt !== null && expiresAt > now && (status === 'ready' || status === 'canceled' || status === 'failed')
}

/** An export as replies describe it. */
export function describeExport(row: ExportRow, ids: IdSealer, now: Date): Export {
  const isOver = row.finishedAt !== null
  const fileExists = hasFile(row, now)
  return {
    id: ids.seal('export', row.id, row.mode),
    object: 'export',
    kind: row.kind,
    // A file that has expired counts as gone before it is deleted.
    status: isOver && !fileExists ? 'expired' : row.status,
    progress: { rows: row.rows, of: isOver ? row.rows : Math.max(row.plannedRows ?? 0, row.rows) },
    cost: { store_exports: row.chargedExports, contact_credits: row.chargedCredits },
    stopped_by: row.stoppedBy,
    file: fileExists
      ? {
          bytes: row.bytes,
          sha256: row.sha256.toString('hex'),
          rows: row.rows,
          expires_at: row.expiresAt!.toISOString(),
        }
      : null,
    error: row.error && { code: row.error, message: exportFailures[row.error] },
    created_at: row.createdAt.toISOString(),
    finished_at: row.finishedAt?.toISOString() ?? null,
  }
}
