import type { QueryClient } from '@tanstack/react-query'
import type { Reply, RequestBody, Row } from '#api/operations.ts'
import { callQuery, pageQuery, reload } from '#api/query.ts'

export type AccountDetails = Reply<'getAccount'>
export type OperatorAccount = AccountDetails['account']
export type AccountChanges = RequestBody<'changeAccount'>

export type ImportRow = Row<'listImports'>
export type ImportKind = ImportRow['kind']
export type ImportReport = NonNullable<ImportRow['report']>
export type ImportReading = Reply<'getImport'>
export type ImportOptions = RequestBody<'previewImport'>['options']
export type ImportField = Reply<'listImportFields'>['fields'][number]
export type ImportPreview = Reply<'previewImport'>

const refreshMs = 15_000
const runningMs = 1_000

export const catalogueQuery = { ...callQuery('getCatalogue', {}), refetchInterval: refreshMs }

export const systemQuery = { ...callQuery('getSystem', {}), refetchInterval: refreshMs }

export const isRunning = ({ state }: Pick<ImportRow, 'state'>) =>
  state === 'waiting' || state === 'checking' || state === 'importing'

export const importsQuery = (cursor: string | undefined) => ({
  ...pageQuery('listImports', { cursor }),
  refetchInterval: ({ state }: { state: { data?: Reply<'listImports'> | undefined } }) =>
    state.data?.data.some(isRunning) ? runningMs : (false as const),
})

export const importQuery = (id: number) => ({
  ...callQuery('getImport', { id: String(id) }),
  refetchInterval: ({ state }: { state: { data?: ImportReading | undefined } }) =>
    state.data && isRunning(state.data.import) ? runningMs : (false as const),
})

/** Shows what a call answered at once. */
export function keepImport(client: QueryClient, reply: ImportReading): void {
  client.setQueryData(importQuery(reply.import.id).queryKey, reply)
  void reload(client, 'listImports')
}
