import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query'
import { useReducer } from 'react'
import { meteredQuery } from '#api/metered.ts'
import { formatNumber } from '#lib/format.ts'
import { showToast } from '#ui/feedback/toasts.tsx'

/** The most that can be quoted at once. */
const maxSelected = 1_000

const nobody: ReadonlySet<string> = new Set()

/**
 * Who is selected in the answers to one question. Kept in the tab's memory beside the pages themselves, so that it survives
 * paging and the way to a store and back. Another question starts without anybody.
 */
export function useSelection(account: string, question: unknown) {
  const client = useQueryClient()
  const [, draw] = useReducer((drawn: number) => drawn + 1, 0)
  const queryKey = ['selection', account, question]
  const { data: selected = nobody } = useQuery<ReadonlySet<string>>({
    queryKey,
    queryFn: skipToken,
    ...meteredQuery,
    structuralSharing: false,
  })
  const select = (next: ReadonlySet<string>) => {
    if (next.size > maxSelected) showToast(`${formatNumber(maxSelected)} people are the most that can be selected.`)
    else {
      client.setQueryData(queryKey, next)
      // The memory tells of it a moment later; until then the box that was pressed would be off again.
      draw()
    }
  }
  return { selected, select }
}
