import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { listRevealed } from '#api/catalogue.ts'
import type { RevealedSearch } from './search.ts'

/** The channels are not kept when the page is left. */
const keptForMs = 60_000

/** A page of the people that the account has revealed; costs nothing. */
export function revealedQuery(account: string, { store, cursor }: RevealedSearch) {
  return queryOptions({
    queryKey: ['revealed', account, { store, cursor }],
    queryFn: ({ signal }) => listRevealed(account, { search: store, cursor }, signal),
    placeholderData: keepPreviousData,
    gcTime: keptForMs,
  })
}
