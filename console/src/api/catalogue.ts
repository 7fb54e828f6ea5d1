import type { PeopleSearchBody, StoreSearchBody } from '#lib/filters/request.ts'
import type { TaxonomyReply } from '#lib/filters/taxonomy.ts'
import { api, apiUrl, type CallOptions, path } from './client.ts'
import type { RevealContactsResponses, SearchContactsResponses, SearchStoresResponses } from './generated/v1.ts'

export type Store = SearchStoresResponses[200]['data'][number]

/** A person without channels. */
export type ContactPreview = SearchContactsResponses[200]['data'][number]

export type RevealReply = RevealContactsResponses[200]

/** A person with channels. Kept in memory only, and only as long as they are shown. */
export type Contact = RevealReply['data'][number]

export interface RevealedContact extends Contact {
  /** Null where nobody knows any more. */
  revealed_by: { kind: 'key' | 'person'; id: string; name: string } | null
}

export interface List<Item> {
  object: 'list'
  data: Item[]
  has_more: boolean
  next_cursor: string | null
  request_id: string
}

export interface StorePage extends Store {
  contact_previews: ContactPreview[]
  request_id: string
}

/** What a reveal would cost now. Asking changes nothing. */
export interface RevealQuote {
  object: 'reveal_quote'
  contacts: number
  /** Credits that it would spend: one for each person who is new. */
  credits: number
  already_revealed: number
  unrevealable: number
  new_exports: number
  credits_remaining: number
  credits_after: number
  exports_remaining: number
  exports_after: number
  sufficient: boolean
  request_id: string
}

export interface StoreCopy {
  object: 'store_copy'
  format: 'json' | 'csv'
  filename: string
  content: string
  request_id: string
}

export const getTaxonomy = (signal: AbortSignal) => api.get<TaxonomyReply>('/taxonomy', { signal })

export const searchStores = (account: string, body: StoreSearchBody, options: CallOptions) =>
  api.post<List<Store>>(path`/accounts/${account}/stores/search`, body, options)

export const searchPeople = (account: string, body: PeopleSearchBody, options: CallOptions) =>
  api.post<List<ContactPreview>>(path`/accounts/${account}/contacts/search`, body, options)

export const getStore = (account: string, domain: string, options: CallOptions) =>
  api.get<StorePage>(path`/accounts/${account}/stores/${domain}`, options)

export const copyStore = (account: string, domain: string, format: StoreCopy['format']) =>
  api.post<StoreCopy>(path`/accounts/${account}/stores/${domain}/copy`, { format })

export const quoteReveal = (account: string, ids: readonly string[], signal: AbortSignal) =>
  api.post<RevealQuote>(path`/accounts/${account}/contacts/quote`, { contact_ids: ids }, { signal })

/** Spends credits. Repeated with the same key it spends nothing more. */
export const revealContacts = (account: string, ids: readonly string[], idempotencyKey: string) =>
  api.post<RevealReply>(
    path`/accounts/${account}/contacts/reveal`,
    { contact_ids: ids },
    { headers: { 'idempotency-key': idempotencyKey } },
  )

export const listRevealed = (
  account: string,
  query: { search: string | undefined; cursor: string | undefined },
  signal: AbortSignal,
) => api.get<List<RevealedContact>>(path`/accounts/${account}/revealed`, { query: { ...query, limit: 25 }, signal })

/** The address of all revealed people as a CSV file. */
export const revealedFileUrl = (account: string) => apiUrl(path`/accounts/${account}/revealed/file`)
