import type { RawSearch } from '#lib/search-params.ts'
import { parsePagePlace } from '#lib/search-params.ts'

/** What the address of the page says. */
export interface WebhooksSearch {
  cursor?: string
  page?: number
}

export function validateWebhooksSearch(search: RawSearch): WebhooksSearch {
  return parsePagePlace(search)
}
