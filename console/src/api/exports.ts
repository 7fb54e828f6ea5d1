import type { Reply, RequestBody, Row } from './operations.ts'
import { callQuery } from './query.ts'

export type ExportJob = Row<'listExports'>
export type ExportKind = ExportJob['kind']
export type ExportColumns = Reply<'listExportColumns'>
export type ExportRequest = Omit<RequestBody<'createExport'>, 'quote'>
export type ExportPreset = NonNullable<ExportRequest['preset']>
export type ExportQuote = Reply<'createQuote'>

/** Which rows: those of a search of stores or people, or of a list. */
export type ExportQuery = Pick<
  ExportRequest,
  'filters' | 'person' | 'store' | 'max_contacts_per_store' | 'list' | 'exclude'
>

export const exportColumnsQuery = { ...callQuery('listExportColumns', {}), staleTime: Number.POSITIVE_INFINITY }
