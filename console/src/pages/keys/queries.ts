import { keepPreviousData, queryOptions, useQueryClient } from '@tanstack/react-query'
import { api, path } from '#api/client.ts'
import type { CreateKeyData, CreateKeyResponses, ListKeysResponses, SetKeyBudgetData } from '#api/generated/console.ts'

type KeyList = ListKeysResponses[200]
export type ApiKey = KeyList['data'][number]

type NewKeyBody = CreateKeyData['body']
export type NewKey = Required<Omit<NewKeyBody, 'budget'>> & Pick<NewKeyBody, 'budget'>

/** New budgets; null removes one, and a meter that is missing keeps its own. */
export type BudgetChanges = SetKeyBudgetData['body']['budget']

/** A key with its secret, which is in this reply and nowhere else. */
export type IssuedKey = Pick<CreateKeyResponses[200], 'key' | 'secret'>

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

export const setKeyBudget = (account: string, key: string, budget: BudgetChanges) =>
  api.post(path`/accounts/${account}/keys/${key}/budget`, { budget })

export const setKeyScopes = (account: string, key: string, scopes: ApiKey['scopes']) =>
  api.post(path`/accounts/${account}/keys/${key}/scopes`, { scopes })

/** Loads the lists of keys anew, after a change. */
export function useReloadKeys(account: string): () => Promise<void> {
  const client = useQueryClient()
  return () => client.invalidateQueries({ queryKey: [account, 'keys'] })
}
