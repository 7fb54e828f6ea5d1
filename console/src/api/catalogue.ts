import type { PeopleSearchBody, StoreSearchBody } from '#lib/filters/request.ts'
import type { TaxonomyReply } from '#lib/filters/taxonomy.ts'
import { api, path } from './client.ts'

export interface Store {
  id: string
  object: 'store'
  domain: string
  name: string
  category: string | null
  country: string | null
  traffic_tier: string | null
  revenue_tier: string | null
  platform_plus: boolean
  lead_fit_score: number | null
  store_created_at: {
    estimate: string | null
    resolution: 'exact' | 'month' | 'year' | null
    source: string | null
    confidence: 'high' | 'medium' | 'low' | null
  } | null
  first_discovered_at: string | null
  contacts_summary: {
    total: number
    has_revealable_contacts: boolean
    verified_email_count: number
    roles: string[]
  }
  technologies: { apps: string[]; pixels: string[]; theme: { name: string | null; type: string | null } }
}

/** A person without channels. */
export interface ContactPreview {
  id: string
  object: 'contact_preview'
  first_name: string | null
  last_name_obfuscated: string | null
  role: string | null
  seniority: string
  title: string | null
  has_verified_email: boolean
  has_phone: boolean
  has_profile: boolean
  /** Whether the account has revealed the person already. */
  revealed: boolean
  store: {
    id: string
    domain: string
    name: string
    category: string | null
    traffic_tier: string | null
    technologies: { apps: string[]; pixels: string[] }
  }
}

/** A person with channels. Kept in memory only, and only as long as they are shown. */
export interface Contact {
  id: string
  object: 'contact'
  full_name: string | null
  first_name: string | null
  last_name: string | null
  title: string | null
  role: string | null
  seniority: string
  profile_url: string | null
  reveal_status: 'newly_revealed' | 'already_revealed'
  charged: boolean
  emails: { email: string; status: string; type: string; is_primary: boolean }[]
  phones: { phone: string; type: string; is_primary: boolean }[]
  store: { id: string; domain: string; name: string }
  revealed_at: string
}

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

/** A page of a search with what it cost. */
export interface SearchPage<Item> extends List<Item> {
  /** Search rows left of the period after it was sent. */
  rowsLeft: number | undefined
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

export interface RevealReply {
  object: 'contact_reveal_result'
  credits: { spent: number; remaining: number }
  data: Contact[]
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

export const searchStores = (account: string, body: StoreSearchBody, signal: AbortSignal) =>
  search<Store>(path`/accounts/${account}/stores/search`, body, signal)

export const searchPeople = (account: string, body: PeopleSearchBody, signal: AbortSignal) =>
  search<ContactPreview>(path`/accounts/${account}/contacts/search`, body, signal)

export const getStore = (account: string, domain: string, signal: AbortSignal) =>
  api.get<StorePage>(path`/accounts/${account}/stores/${domain}`, { signal })

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

async function search<Item>(url: string, body: object, signal: AbortSignal): Promise<SearchPage<Item>> {
  let rowsLeft: number | undefined
  const onHeaders = (headers: Headers) => {
    const value = headers.get('x-search-rows-remaining')
    rowsLeft = value === null ? undefined : Number(value)
  }
  const list = await api.post<List<Item>>(url, body, { signal, onHeaders })
  return { ...list, rowsLeft }
}
