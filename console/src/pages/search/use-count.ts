import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type Count, type CountOperation, count } from '#api/catalogue.ts'
import type { CallRequest } from '#api/operations.ts'
import { useSettled } from '#lib/use-value.ts'

/** Counts are free, but quick changes of filters need only the last one. The first is asked for at once, beside the rows. */
const settledAfterMs = 150

interface UsedCount<Id extends CountOperation> {
  /** Undefined before the first reply, and where there is none. */
  count: Count<Id> | undefined
  /** The count is of an earlier question, and another is on its way. */
  isOutdated: boolean
}

/** How many match. It blocks nothing: without it the page shows no numbers. */
export function useCount<Id extends CountOperation>(id: Id, request: CallRequest<Id>, isOpen: boolean): UsedCount<Id> {
  const wanted = JSON.stringify(request)
  const settled = useSettled(wanted, settledAfterMs)
  const asked = JSON.parse(settled) as CallRequest<Id>
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: [id, asked],
    queryFn: ({ signal }) => count(id, asked, { signal }),
    placeholderData: keepPreviousData,
    retry: false,
    enabled: isOpen,
  })
  return { count: error ? undefined : data, isOutdated: isPlaceholderData || settled !== wanted }
}
