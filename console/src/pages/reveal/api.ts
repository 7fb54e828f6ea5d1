import { keepPreviousData, type QueryClient, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useIsAtLeast } from '#api/account.tsx'
import type { Contact, ContactPreview, StorePage } from '#api/catalogue.ts'
import { call } from '#api/client.ts'
import { pageQuery, reload } from '#api/query.ts'

const freshForMs = 10_000

/** The cost of revealing these contacts now. A quote is free. */
export const quoteQuery = (account: string, ids: readonly string[]) => ({
  ...pageQuery('createQuote', { account, body: { for: 'reveal', contact_ids: [...ids].sort() } }),
  staleTime: freshForMs,
})

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
  void reload(client, 'listRevealed', 'findRevealed', 'createQuote', 'getUsage')
  void reload(client, 'countContacts', 'countStores')
}

/** The channels are not kept when the page is left. */
const keptForMs = 60_000

/**
 * The people of a page that the account has paid for, with channels, by id; costs nothing. Empty for a viewer, who does not see
 * channels, and until they have come.
 */
export function useRevealedContacts(
  account: string,
  previews: readonly ContactPreview[],
): ReadonlyMap<string, Contact> {
  const maySee = useIsAtLeast('member')
  const ids = useMemo(() => previews.flatMap(({ id, revealed }) => (revealed ? [id] : [])), [previews])
  const { data = none } = useQuery({
    queryKey: ['findRevealed', { account, ids }],
    queryFn: async ({ signal }) => {
      const { data } = await call('findRevealed', { account, body: { contact_ids: ids } }, { signal })
      return new Map(data.map((contact) => [contact.id, contact]))
    },
    enabled: maySee && ids.length > 0,
    placeholderData: keepPreviousData,
    gcTime: keptForMs,
  })
  // While a page loads, what was loaded before may be of an account that has revealed others.
  return useMemo(() => {
    const shown = maySee ? ids : []
    return new Map(shown.flatMap((id) => (data.has(id) ? [[id, data.get(id)!] as const] : [])))
  }, [maySee, ids, data])
}

const none: ReadonlyMap<string, Contact> = new Map()
