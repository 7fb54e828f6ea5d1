import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, apiUrl, path } from '#api/client.ts'
import type {
  CreateImportData,
  CreateImportResponse,
  GetImportResponse,
  ListImportFieldsResponse,
  ListImportsResponse,
  PreviewImportData,
  PreviewImportResponse,
} from '#api/generated/console.ts'

export type ImportRow = ListImportsResponse['data'][number]
export type ImportState = ImportRow['state']
export type ImportKind = ImportRow['kind']
export type ImportReport = NonNullable<ImportRow['report']>
export type ReportPart = ImportReport['parts'][number]
export type ImportProblem = ReportPart['problems'][number]
export type ImportReading = GetImportResponse
export type ImportOptions = NonNullable<PreviewImportData['body']>['options']
export type ImportField = ListImportFieldsResponse['fields'][number]
export type ImportPreview = PreviewImportResponse
export type PreviewColumn = PreviewImportResponse['columns'][number]
type NewImport = NonNullable<CreateImportData['body']>

const root = 'operator'
const runningMs = 1_000

export const importsKey = [root, 'imports']
export const importKey = (id: number) => [root, 'import', id]

export const isRunning = ({ state }: Pick<ImportRow, 'state'>) =>
  state === 'waiting' || state === 'checking' || state === 'importing'

export const importsQuery = (cursor: string | undefined) =>
  queryOptions({
    queryKey: [...importsKey, cursor],
    queryFn: ({ signal }) => api.get<ListImportsResponse>('/operator/imports', { query: { cursor }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.data.some(isRunning) ? runningMs : false),
  })

export const importQuery = (id: number) =>
  queryOptions({
    queryKey: importKey(id),
    queryFn: ({ signal }) => readImport(id, signal),
    refetchInterval: ({ state }) => (state.data && isRunning(state.data.import) ? runningMs : false),
  })

export const readImport = (id: number, signal?: AbortSignal) =>
  api.get<GetImportResponse>(path`/operator/imports/${id}`, { signal })

export const fieldsQuery = (kind: ImportKind) =>
  queryOptions({
    queryKey: [root, 'import-fields', kind],
    queryFn: ({ signal }) => api.get<ListImportFieldsResponse>('/operator/imports/fields', { query: { kind }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })

/** What matters to how the first rows are read. */
export const previewQuery = (id: number, { on_bad_value: _drop, ...read }: ImportOptions) =>
  queryOptions({
    queryKey: [root, 'import-preview', id, read],
    queryFn: ({ signal }) =>
      api.post<PreviewImportResponse>(path`/operator/imports/${id}/preview`, { options: read }, { signal }),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    // Personal data is not kept longer than it is looked at.
    gcTime: 0,
  })

export const createImport = (body: NewImport) => api.post<CreateImportResponse>('/operator/imports', body)

export const appendPart = (id: number, offset: number, part: Blob, signal: AbortSignal) =>
  api.patch<GetImportResponse>(path`/operator/imports/${id}/file`, part, {
    headers: { 'upload-offset': String(offset) },
    signal,
  })

export const startRun = (id: number, run: 'check' | 'import', options: ImportOptions) =>
  api.post<GetImportResponse>(
    run === 'check' ? path`/operator/imports/${id}/check` : path`/operator/imports/${id}/import`,
    { options },
  )

export const stopImport = (id: number) => api.post<GetImportResponse>(path`/operator/imports/${id}/stop`)

export const removeImportFiles = (id: number) => api.delete<GetImportResponse>(path`/operator/imports/${id}/files`)

export const rejectsUrl = (id: number, of: 'stores' | 'contacts') => apiUrl(path`/operator/imports/${id}/rejects/${of}`)
