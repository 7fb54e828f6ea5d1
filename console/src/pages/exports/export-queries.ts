import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query'
import { type ExportJob, getExport, listExports } from '#api/exports.ts'

const listedEveryMs = 1_000
const watchedEveryMs = 400

export const isActive = ({ status }: Pick<ExportJob, 'status'>) => status === 'queued' || status === 'running'

const listKey = (account: string) => [account, 'exports']
const jobKey = (account: string, id: string) => [account, 'export', id]

/** A page of exports, newest first; asked for again while one is active and the window is in sight. */
export const exportsQuery = (account: string, cursor: string | undefined) =>
  queryOptions({
    queryKey: [...listKey(account), cursor],
    queryFn: ({ signal }) => listExports(account, cursor, signal),
    placeholderData: keepPreviousData,
    staleTime: 0,
    refetchOnWindowFocus: true,
    refetchInterval: ({ state }) => (state.data?.data.some(isActive) ? listedEveryMs : false),
  })

export const exportQuery = (account: string, id: string) =>
  queryOptions({
    queryKey: jobKey(account, id),
    queryFn: ({ signal }) => getExport(account, id, signal),
    staleTime: 0,
    refetchOnWindowFocus: true,
    refetchInterval: ({ state }) => (state.data && isActive(state.data) ? watchedEveryMs : false),
  })

/** Shows what a call answered at once, wherever the export is shown. */
export function keepExport(client: QueryClient, account: string, job: ExportJob): void {
  client.setQueryData(jobKey(account, job.id), job)
  void client.invalidateQueries({ queryKey: listKey(account) })
}

/** What an export that has ended changed: balances, quotes, and who is revealed. */
export function reloadAfterExport(client: QueryClient, account: string): void {
  for (const queryKey of [
    listKey(account),
    [account, 'usage'],
    ['usage', account],
    ['quote', account],
    [account, 'export-quote'],
    ['revealed', account],
  ])
    void client.invalidateQueries({ queryKey })
}
