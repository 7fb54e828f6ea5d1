import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, path } from '#api/client.ts'
import type { AuditSearch } from './search.ts'

export interface AuditEntry {
  id: string
  at: string
  action: string
  /** Null for the command line and for an operator; without a name for somebody who was removed. */
  person: { id: string; name: string | null; email: string | null } | null
  by_operator: boolean
  target: { id: string; name: string | null } | null
  details: Record<string, string | number | boolean | null>
  address: string | null
}

interface AuditList {
  data: AuditEntry[]
  has_more: boolean
  next_cursor: string | null
}

export const auditQuery = (account: string, { person, subject, cursor }: AuditSearch) =>
  queryOptions({
    queryKey: [account, 'audit', person, subject, cursor],
    queryFn: ({ signal }) =>
      api.get<AuditList>(path`/accounts/${account}/audit`, { query: { limit: 50, person, subject, cursor }, signal }),
    placeholderData: keepPreviousData,
    // Somebody else may have done something since.
    staleTime: 0,
  })
