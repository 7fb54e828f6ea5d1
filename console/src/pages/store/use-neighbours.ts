import { useQueryClient } from '@tanstack/react-query'
import { useLocation, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { messageOf } from '#api/failure.ts'
import { meteredPageQuery } from '#api/metered.ts'
import { storeFields } from '#lib/filters/fields.ts'
import { storeSearchBody } from '#lib/filters/request.ts'
import { parseFilters } from '#lib/filters/url.ts'
import { showToast } from '#ui/feedback/toasts.tsx'
import type { StoresSearch } from '../stores/search.ts'

interface Neighbours {
  /** Undefined at the ends of the result, and where the page before is not in memory any more. */
  onPrevious: (() => void) | undefined
  onNext: (() => void) | undefined
  /** `onNext` asks for the next page of the result, which costs search rows. */
  isNextOnNextPage: boolean
  isPending: boolean
  /** From 1, and how many there are on this page of the result. */
  position: number
  count: number
}

/** The stores beside this one in the result that led here, if that is still in memory: it is not asked for again. */
export function useNeighbours(account: string, domain: string, search: StoresSearch): Neighbours | undefined {
  const client = useQueryClient()
  const navigate = useNavigate()
  const cursors = useLocation({ select: ({ state }) => state.cursors }) ?? []
  const [isPending, setIsPending] = useState(false)
  const filters = parseFilters(storeFields, search)
  const pageAt = (cursor: string | undefined) =>
    meteredPageQuery('searchStores', { account, body: storeSearchBody(filters, cursor) })
  const inMemory = (cursor: string | undefined) => client.getQueryData(pageAt(cursor).queryKey)

  const page = inMemory(search.cursor)
  const index = page?.data.findIndex((store) => store.domain === domain) ?? -1
  if (!page || index < 0) return undefined

  const { page: number = 1 } = search
  const open = (store: { domain: string } | undefined, place: Pick<StoresSearch, 'cursor' | 'page'>, stack: string[]) =>
    store &&
    void navigate({
      to: '/stores/$domain',
      params: { domain: store.domain },
      search: { ...search, cursor: undefined, page: undefined, ...place },
      state: { cursors: stack },
    })
  const openHere = (at: number) => () => open(page.data[at], { cursor: search.cursor, page: search.page }, cursors)

  const back = cursors.at(-1)
  const before = back === undefined ? undefined : inMemory(back || undefined)
  const openBefore = () =>
    open(before?.data.at(-1), back ? { cursor: back, page: number - 1 } : {}, cursors.slice(0, -1))

  const nextCursor = page.next_cursor
  const openAfter = async (cursor: string) => {
    setIsPending(true)
    try {
      const after = await client.fetchQuery(pageAt(cursor))
      open(after.data[0], { cursor, page: number + 1 }, [...cursors, search.cursor ?? ''])
    } catch (error) {
      showToast(messageOf(error))
    } finally {
      setIsPending(false)
    }
  }

  const isLast = index === page.data.length - 1
  return {
    onPrevious: index > 0 ? openHere(index - 1) : before && openBefore,
    onNext: !isLast ? openHere(index + 1) : nextCursor ? () => void openAfter(nextCursor) : undefined,
    isNextOnNextPage: isLast && nextCursor !== null && !inMemory(nextCursor),
    isPending,
    position: index + 1,
    count: page.data.length,
  }
}
