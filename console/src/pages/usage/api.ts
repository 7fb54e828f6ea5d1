import { addressOf, type CallRequest, type Reply, type Row } from '#api/operations.ts'
import { pageQuery } from '#api/query.ts'
import { type DayRange, timesOf } from './days.ts'
import type { Meter } from './search.ts'

type Mode = 'live' | 'test'

export type UsageReply = Reply<'getUsage'>
export type DailyReply = Reply<'getDailyUsage'>
export type LedgerItem = Row<'listLedger'>

export interface LedgerFilters {
  mode: Mode
  meter?: Meter | undefined
  who?: string | undefined
  range: DayRange
}

export const ledgerQuery = (account: string, filters: LedgerFilters, cursor: string | undefined) =>
  pageQuery('listLedger', { ...ledgerRequest(account, filters), limit: 50, cursor })

/** The address of the ledger as CSV, with the same filters. */
export const ledgerFileHref = (account: string, filters: LedgerFilters) =>
  addressOf('getLedgerFile', ledgerRequest(account, filters))

function ledgerRequest(account: string, { mode, meter, who, range }: LedgerFilters): CallRequest<'getLedgerFile'> {
  const kind = who?.startsWith('key_') ? 'key' : 'person'
  return { account, mode, meter, ...(who && { [kind]: who }), ...timesOf(range) }
}

export const meterNames: Record<Meter | 'api_requests', string> = {
  contact_credits: 'Contact credits',
  store_exports: 'Store exports',
  search_rows: 'Search rows',
  api_requests: 'API requests',
}
