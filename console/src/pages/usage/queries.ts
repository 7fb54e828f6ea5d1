import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, path } from '#api/client.ts'
import type {
  GetAccountUsageResponses,
  GetDailyUsageResponses,
  ListKeysResponses,
  ListLedgerResponses,
} from '#api/generated/console.ts'
import { type DayRange, timesOf } from './days.ts'
import type { Meter } from './search.ts'

type Mode = 'live' | 'test'

export type UsageReply = GetAccountUsageResponses[200]
export type DailyReply = GetDailyUsageResponses[200]
type LedgerReply = ListLedgerResponses[200]
export type LedgerItem = LedgerReply['data'][number]
type KeyNames = ListKeysResponses[200]

export const usageQuery = (account: string, mode: Mode) =>
  queryOptions({
    queryKey: [account, 'usage', mode],
    queryFn: ({ signal }) => api.get<UsageReply>(path`/accounts/${account}/usage`, { query: { mode }, signal }),
  })

export const dailyQuery = (account: string, query: { mode: Mode; by: DailyReply['by'] } & DayRange) =>
  queryOptions({
    queryKey: [account, 'usage', 'daily', query],
    queryFn: ({ signal }) =>
      api.get<DailyReply>(path`/accounts/${account}/usage/daily`, { query: { ...query }, signal }),
    placeholderData: keepPreviousData,
  })

export interface LedgerFilters {
  mode: Mode
  meter?: Meter | undefined
  who?: string | undefined
  range: DayRange
}

export const ledgerQuery = (account: string, filters: LedgerFilters, cursor: string | undefined) =>
  queryOptions({
    queryKey: [account, 'usage', 'ledger', filters, cursor],
    queryFn: ({ signal }) =>
      api.get<LedgerReply>(path`/accounts/${account}/ledger`, {
        query: { ...ledgerParams(filters), limit: 50, cursor },
        signal,
      }),
    placeholderData: keepPreviousData,
  })

/** The address of the ledger as CSV, with the same filters. */
export function ledgerFileHref(account: string, filters: LedgerFilters): string {
  const given = Object.entries(ledgerParams(filters)).flatMap(([name, value]) => (value ? [[name, value]] : []))
  return `/console/api${path`/accounts/${account}/ledger/file`}?${new URLSearchParams(given)}`
}

function ledgerParams({ mode, meter, who, range }: LedgerFilters) {
  const kind = who?.startsWith('key_') ? 'key' : 'person'
  return { mode, meter, ...(who && { [kind]: who }), ...timesOf(range) }
}

/** The account's keys, for choosing one. */
export const keyNamesQuery = (account: string) =>
  queryOptions({
    queryKey: [account, 'keys', 'names'],
    queryFn: ({ signal }) => api.get<KeyNames>(path`/accounts/${account}/keys`, { query: { limit: 100 }, signal }),
  })
