import type { QueryClient } from '@tanstack/react-query'
import type { ContactPreview, StorePage } from '#api/catalogue.ts'
import { reload } from '#api/query.ts'

/** Shows people as revealed on all pages in memory, without asking for those again. */
export function markRevealed(client: QueryClient, account: string, ids: readonly string[]): void {
  const revealed = new Set(ids)
  const mark = (preview: ContactPreview) => (revealed.has(preview.id) ? { ...preview, revealed: true } : preview)
  client.setQueriesData<{ data: ContactPreview[] }>(
    { queryKey: ['searchContacts', { account }] },
    (page) => page && { ...page, data: page.data.map(mark) },
  )
  client.setQueriesData<StorePage>(
    { queryKey: ['viewStore', { account }] },
    (store) => store && { ...store, contact_previews: store.contact_previews.map(mark) },
  )
  void reload(client, 'listRevealed', 'findRevealed', 'quoteReveal', 'createQuote', 'getAccountUsage')
  void reload(client, 'countContacts', 'countStores')
}
