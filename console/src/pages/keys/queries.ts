import { keepPreviousData, queryOptions, useQueryClient } from '@tanstack/react-query'
import { api, path } from '#api/client.ts'
import type { Scope } from './scopes.ts'

export interface ApiKey {
  id: string
  name: string
  mode: 'live' | 'test'
  /** The first and last characters of the secret. */
  display: string
  status: 'active' | 'suspended' | 'expired' | 'revoked'
  scopes: Scope[]
  created_at: string
  last_used_at: string | null
  expires_at: string | null
  suspended_at: string | null
  revoked_at: string | null
}

interface KeyList {
  data: ApiKey[]
  has_more: boolean
  next_cursor: string | null
}

export interface NewKey {
  name: string
  mode: 'live' | 'test'
  scopes: Scope[]
  expires_at: string | null
}

/** A key with its secret, which is in this reply and nowhere else. */
export interface IssuedKey {
  key: ApiKey
  secret: string
}

export const keysQuery = (account: string, state: 'usable' | 'ended', cursor: string | undefined) =>
  queryOptions({
    queryKey: [account, 'keys', state, cursor],
    queryFn: ({ signal }) =>
      api.get<KeyList>(path`/accounts/${account}/keys`, { query: { state, limit: 100, cursor }, signal }),
    placeholderData: keepPreviousData,
  })

export const createKey = (account: string, key: NewKey) => api.post<IssuedKey>(path`/accounts/${account}/keys`, key)

export const rotateKey = (account: string, key: string, overlapSeconds: number) =>
  api.post<IssuedKey>(path`/accounts/${account}/keys/${key}/rotate`, { overlap_seconds: overlapSeconds })

export const revokeKey = (account: string, key: string) => api.post(path`/accounts/${account}/keys/${key}/revoke`)

export const undoRevocation = (account: string, key: string) =>
  api.post(path`/accounts/${account}/keys/${key}/revoke/undo`)

export const suspendKey = (account: string, key: string) => api.post(path`/accounts/${account}/keys/${key}/suspend`)

export const resumeKey = (account: string, key: string) => api.post(path`/accounts/${account}/keys/${key}/resume`)

/** Loads the lists of keys anew, after a change. */
export function useReloadKeys(account: string): () => Promise<void> {
  const client = useQueryClient()
  return () => client.invalidateQueries({ queryKey: [account, 'keys'] })
}
