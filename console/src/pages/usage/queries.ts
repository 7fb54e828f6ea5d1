import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, path } from '#api/client.ts'
import { type DayRange, timesOf } from './days.ts'
import type { Meter } from './search.ts'

type Mode = 'live' | 'test'

interface MeterFigures {
  limit: number
  used: number
  remaining: number
  period_start: string
  period_end: string
}

export interface UsageReply {
  plan: { slug: string; name: string; status: string; trial: { active: boolean; ends_at: string | null } }
  contact_credits: Omit<MeterFigures, 'limit'> & { total: number; paid_plan_total: number }
  store_exports: MeterFigures & { reserved: number }
  search_rows: MeterFigures
  api_requests: MeterFigures
  alerts: { meter: Meter | 'api_requests'; level: 80 | 100 }[]
}

export interface DailyReply extends DayRange {
  kept_since: string
  by: 'meter' | 'key' | 'person'
  series: {
    meter: Meter
    kind: 'meter' | 'key' | 'person' | 'keys' | 'people' | 'unknown' | 'others'
    id: string | null
    name: string
    days: { day: string; amount: number }[]
  }[]
}

export interface LedgerItem {
  entry: string
  spent_at: string
  meter: Meter
  amount: number
  spent_by: { kind: 'key' | 'person'; id: string; name: string } | null
  spent_by_request: string
}

interface LedgerReply {
  data: LedgerItem[]
  has_more: boolean
  next_cursor: string | null
}

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

interface KeyNames {
  data: { id: string; name: string; display: string }[]
}

/** The account's keys, for choosing one. */
export const keyNamesQuery = (account: string) =>
  queryOptions({
    queryKey: [account, 'keys', 'names'],
    queryFn: ({ signal }) => api.get<KeyNames>(path`/accounts/${account}/keys`, { query: { limit: 100 }, signal }),
  })
