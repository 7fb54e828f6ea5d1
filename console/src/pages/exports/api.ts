import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { Reply, RequestBody, Row } from '#api/operations.ts'
import { callQuery, reload } from '#api/query.ts'

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

const watchedEveryMs = 400

export const isActive = ({ status }: Pick<ExportJob, 'status'>) => status === 'queued' || status === 'running'

/** Asked for again while it is active and the window is in sight. */
export const exportQuery = (account: string, id: string) => ({
  ...callQuery('getExport', { account, id }),
  staleTime: 0,
  refetchOnWindowFocus: true,
  refetchInterval: ({ state }: { state: { data?: ExportJob | undefined } }) =>
    state.data && isActive(state.data) ? watchedEveryMs : false,
})

/** Shows what a call answered at once, wherever the export is shown. */
export function keepExport(client: QueryClient, account: string, job: Reply<'getExport'>): void {
  client.setQueryData(exportQuery(account, job.id).queryKey, job)
  void reload(client, 'listExports')
}

/** Reloads what an export changes when it ends: balances, quotes and revealed contacts. */
export function reloadAfterExport(client: QueryClient): void {
  void reload(client, 'listExports', 'getUsage', 'getDailyUsage', 'listLedger', 'createQuote')
  void reload(client, 'listRevealed', 'findRevealed')
}

/** Balances and lists are reloaded once it has ended while it is shown. */
export function useReloadAtEnd(job: ExportJob | undefined): void {
  const client = useQueryClient()
  const wasActive = useRef(false)
  const isNowActive = job !== undefined && isActive(job)
  useEffect(() => {
    if (wasActive.current && !isNowActive) reloadAfterExport(client)
    wasActive.current = isNowActive
  }, [isNowActive, client])
}
