import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { CallOptions } from '#api/client.ts'
import { useSettled } from '#lib/use-settled.ts'

/** Counts are free, but quick changes of filters need only the last one. The first is asked for at once, beside the rows. */
const settledAfterMs = 150

interface Asked<Body, Count> {
  what: 'stores' | 'people'
  account: string
  body: Body
  count: (account: string, body: Body, options: CallOptions) => Promise<Count>
  isOpen: boolean
}

export interface UsedCount<Count> {
  /** Undefined before the first reply, and where there is none. */
  count: Count | undefined
  /** The count is of an earlier question, and another is on its way. */
  isOutdated: boolean
}

/** How many match. It blocks nothing: without it the page shows no numbers. */
export function useCount<Body extends object, Count>(asked: Asked<Body, Count>): UsedCount<Count> {
  const { what, account, body, count, isOpen } = asked
  const wanted = JSON.stringify(body)
  const settled = useSettled(wanted, settledAfterMs)
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: [`${what}-count`, account, settled],
    queryFn: ({ signal }) => count(account, JSON.parse(settled) as Body, { signal }),
    placeholderData: keepPreviousData,
    retry: false,
    enabled: isOpen,
  })
  return { count: error ? undefined : data, isOutdated: isPlaceholderData || settled !== wanted }
}
