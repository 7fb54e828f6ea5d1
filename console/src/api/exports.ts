import { queryOptions } from '@tanstack/react-query'
import { api, apiUrl, path } from './client.ts'
import type { Exclude, Export, ExportColumns, ExportList, ExportRequest, Quote } from './generated/console.ts'

export type { Exclude, ExportColumns, ExportRequest }

export type ExportJob = Export
export type ExportKind = ExportJob['kind']
export type ExportPreset = NonNullable<ExportRequest['preset']>
export type ExportQuote = Quote

/** Which rows: those of a search of stores or people, or of a list. */
export type ExportQuery = Pick<
  ExportRequest,
  'filters' | 'person' | 'store' | 'max_contacts_per_store' | 'list' | 'exclude'
>

export const listExports = (account: string, cursor: string | undefined, signal: AbortSignal) =>
  api.get<ExportList>(path`/accounts/${account}/exports`, { query: { cursor }, signal })

export const getExport = (account: string, id: string, signal: AbortSignal) =>
  api.get<ExportJob>(path`/accounts/${account}/exports/${id}`, { signal })

export const quoteExport = (account: string, request: ExportRequest, signal: AbortSignal) =>
  api.post<ExportQuote>(path`/accounts/${account}/quotes`, { for: 'export', ...request }, { signal })

/** Begins what spends. Repeated with the same key it begins nothing more. */
export const createExport = (account: string, request: ExportRequest & { quote: string }, idempotencyKey: string) =>
  api.post<ExportJob>(path`/accounts/${account}/exports`, request, { headers: { 'idempotency-key': idempotencyKey } })

export const cancelExport = (account: string, id: string) =>
  api.post<ExportJob>(path`/accounts/${account}/exports/${id}/cancel`)

/** Deletes the file; the export stays in the list. */
export const deleteExport = (account: string, id: string) =>
  api.delete<ExportJob>(path`/accounts/${account}/exports/${id}`)

export const exportFileUrl = (account: string, id: string) => apiUrl(path`/accounts/${account}/exports/${id}/file`)

export const exportColumnsQuery = queryOptions({
  queryKey: ['export-columns'],
  queryFn: ({ signal }) => api.get<ExportColumns>('/export-columns', { signal }),
  staleTime: Number.POSITIVE_INFINITY,
})
