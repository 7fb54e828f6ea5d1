import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, path } from '#api/client.ts'
import type {
  AddSuppressionsResponse,
  ChangeAccountData,
  ChangeAccountResponse,
  CreateAccountData,
  CreateAccountResponse,
  ErasePersonData,
  ErasePersonResponse,
  GetAccountResponse,
  GetCatalogueResponse,
  GetSuppressionsResponse,
  GetSystemResponse,
  ListAccountsData,
  ListAccountsResponse,
  ListBillingEventsResponse,
  ListPrivacyRequestsResponse,
  StartSeeAsResponse,
} from '#api/generated/console.ts'

export type AccountRow = ListAccountsResponse['data'][number]
export type AccountDetails = GetAccountResponse
export type OperatorAccount = GetAccountResponse['account']
export type NewAccount = NonNullable<CreateAccountData['body']>
export type AccountChanges = NonNullable<ChangeAccountData['body']>
export type AccountQuestion = NonNullable<ListAccountsData['body']>
export type Erasure = NonNullable<ErasePersonData['body']>
export type SuppressionKind = GetSuppressionsResponse['kinds'][number]
export type SuppressionsResult = AddSuppressionsResponse
export type PrivacyRequestRow = ListPrivacyRequestsResponse['data'][number]
export type BillingEventRow = ListBillingEventsResponse['data'][number]
export type CatalogueBatch = GetCatalogueResponse['batches'][number]
export type SystemState = GetSystemResponse
export type SearchState = GetSystemResponse['search']

/** All queries of these pages; none depends on an account of the person. */
const root = 'operator'
const refreshMs = 15_000

export const accountsQuery = (question: AccountQuestion) =>
  queryOptions({
    queryKey: [root, 'accounts', question],
    // By POST: what is searched may be a part of an address.
    queryFn: ({ signal }) => api.post<ListAccountsResponse>('/operator/accounts/search', question, { signal }),
    placeholderData: keepPreviousData,
  })

export const accountQuery = (id: string) =>
  queryOptions({
    queryKey: [root, 'account', id],
    queryFn: ({ signal }) => api.get<GetAccountResponse>(path`/operator/accounts/${id}`, { signal }),
  })

export const catalogueQuery = queryOptions({
  queryKey: [root, 'catalogue'],
  queryFn: ({ signal }) => api.get<GetCatalogueResponse>('/operator/catalogue', { signal }),
  refetchInterval: refreshMs,
})

export const systemQuery = queryOptions({
  queryKey: [root, 'system'],
  queryFn: ({ signal }) => api.get<GetSystemResponse>('/operator/system', { signal }),
  refetchInterval: refreshMs,
})

export const suppressionsQuery = queryOptions({
  queryKey: [root, 'suppressions'],
  queryFn: ({ signal }) => api.get<GetSuppressionsResponse>('/operator/suppressions', { signal }),
})

export const privacyRequestsQuery = (cursor: string | undefined) =>
  queryOptions({
    queryKey: [root, 'privacy-requests', cursor],
    queryFn: ({ signal }) =>
      api.get<ListPrivacyRequestsResponse>('/operator/privacy-requests', { query: { cursor }, signal }),
    placeholderData: keepPreviousData,
  })

export const billingEventsQuery = (cursor: string | undefined) =>
  queryOptions({
    queryKey: [root, 'webhooks', cursor],
    queryFn: ({ signal }) => api.get<ListBillingEventsResponse>('/operator/webhooks', { query: { cursor }, signal }),
    placeholderData: keepPreviousData,
  })

export const createAccount = (account: NewAccount) => api.post<CreateAccountResponse>('/operator/accounts', account)

export const changeAccount = (id: string, changes: AccountChanges) =>
  api.patch<ChangeAccountResponse>(path`/operator/accounts/${id}`, changes)

export const setSuspended = (id: string, isSuspended: boolean) =>
  api.post<ChangeAccountResponse>(
    isSuspended ? path`/operator/accounts/${id}/suspend` : path`/operator/accounts/${id}/resume`,
  )

export const startSeeAs = (account: string) => api.post<StartSeeAsResponse>('/operator/see-as', { account })

export const erasePerson = (erasure: Erasure) => api.post<ErasePersonResponse>('/operator/erasures', erasure)

export const addSuppressions = (text: string) => api.post<AddSuppressionsResponse>('/operator/suppressions', { text })
