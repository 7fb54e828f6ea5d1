import type { QueryClient } from '@tanstack/react-query'
import type { ContactPreview, StorePage } from '#api/catalogue.ts'

/** Shows people as revealed on all pages in memory, without asking for those again. */
export function markRevealed(client: QueryClient, account: string, ids: readonly string[]): void {
  const revealed = new Set(ids)
  const mark = (preview: ContactPreview) => (revealed.has(preview.id) ? { ...preview, revealed: true } : preview)
  client.setQueriesData<{ data: ContactPreview[] }>(
    { queryKey: ['people', account] },
    (page) => page && { ...page, data: page.data.map(mark) },
  )
  client.setQueriesData<StorePage>(
    { queryKey: ['store', account] },
    (store) => store && { ...store, contact_previews: store.contact_previews.map(mark) },
  )
  for (const name of ['revealed', 'quote', 'usage', 'people-count', 'stores-count'])
    void client.invalidateQueries({ queryKey: [name, account] })
}
