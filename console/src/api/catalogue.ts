import type { PeopleSearchBody, StoreSearchBody } from '#lib/filters/request.ts'
import { api, type CallOptions, path } from './client.ts'
import type {
  CopyStoreResponses,
  FindRevealedResponses,
  GetTaxonomyResponses,
  ListRevealedResponses,
  QuoteRevealResponses,
  RevealContactsResponses,
  SearchContactsResponses,
  SearchStoresResponses,
  ViewStoreHistoryResponses,
  ViewStoreResponses,
} from './generated/console.ts'

type StoreList = SearchStoresResponses[200]
type PeopleList = SearchContactsResponses[200]
type StoreHistoryPage = ViewStoreHistoryResponses[200]
type RevealedList = ListRevealedResponses[200]

export type Store = StoreList['data'][number]

/** A change of one field of a store. */
export type StoreChange = StoreHistoryPage['data'][number]

/** A store with its first people and its newest changes. */
export type StorePage = ViewStoreResponses[200]

/** A person without channels. */
export type ContactPreview = PeopleList['data'][number]

/** A person with channels. Kept in memory only, and only as long as they are shown. */
export type Contact = RevealContactsResponses[200]['data'][number]

export type RevealedContact = RevealedList['data'][number]

/** What a reveal would cost now. Asking changes nothing. */
export type RevealQuote = QuoteRevealResponses[200]

export type StoreCopy = CopyStoreResponses[200]

export const getTaxonomy = (signal: AbortSignal) => api.get<GetTaxonomyResponses[200]>('/taxonomy', { signal })

export const searchStores = (account: string, body: StoreSearchBody, options: CallOptions) =>
  api.post<StoreList>(path`/accounts/${account}/stores/search`, body, options)

export const searchPeople = (account: string, body: PeopleSearchBody, options: CallOptions) =>
  api.post<PeopleList>(path`/accounts/${account}/contacts/search`, body, options)

export const getStore = (account: string, domain: string, options: CallOptions) =>
  api.get<StorePage>(path`/accounts/${account}/stores/${domain}`, options)

/** The changes after those that came with the store, or with the page before. */
export const viewStoreHistory = (account: string, domain: string, cursor: string, signal: AbortSignal) =>
  api.get<StoreHistoryPage>(path`/accounts/${account}/stores/${domain}/history`, { query: { cursor }, signal })

export const copyStore = (account: string, domain: string, format: StoreCopy['format']) =>
  api.post<StoreCopy>(path`/accounts/${account}/stores/${domain}/copy`, { format })

export const quoteReveal = (account: string, ids: readonly string[], signal: AbortSignal) =>
  api.post<RevealQuote>(path`/accounts/${account}/contacts/quote`, { contact_ids: ids }, { signal })

/** Spends credits. Repeated with the same key it spends nothing more. */
export const revealContacts = (account: string, ids: readonly string[], idempotencyKey: string) =>
  api.post<RevealContactsResponses[200]>(
    path`/accounts/${account}/contacts/reveal`,
    { contact_ids: ids },
    { headers: { 'idempotency-key': idempotencyKey } },
  )

/** Those of these people that the account has revealed, with channels; costs nothing. */
export const findRevealed = (account: string, ids: readonly string[], signal: AbortSignal) =>
  api.post<FindRevealedResponses[200]>(path`/accounts/${account}/revealed/find`, { contact_ids: ids }, { signal })

export const listRevealed = (
  account: string,
  query: { search: string | undefined; cursor: string | undefined },
  signal: AbortSignal,
) => api.get<RevealedList>(path`/accounts/${account}/revealed`, { query: { ...query, limit: 25 }, signal })
