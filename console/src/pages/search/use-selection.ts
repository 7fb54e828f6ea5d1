import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query'
import { useReducer } from 'react'
import { meteredQuery } from '#api/metered.ts'
import { formatNumber } from '#lib/format.ts'
import { showToast } from '#ui/feedback/toasts.tsx'

/** The most that can be quoted at once. */
const maxSelected = 1_000

/** Some rows by their ids, or all that match, whatever page they are on. */
interface Selection {
  ids: ReadonlySet<string>
  isAll: boolean
}

export interface UsedSelection extends Selection {
  select: (ids: ReadonlySet<string>) => void
  selectAll: () => void
  clear: () => void
}

const nothing: Selection = { ids: new Set(), isAll: false }

/**
 * The selection in the results of one question. Kept in the tab's memory beside the pages themselves, so that it survives
 * paging and the way to a store and back. Another question starts without anything.
 */
export function useSelection(account: string, question: unknown): UsedSelection {
  const client = useQueryClient()
  const [, draw] = useReducer((drawn: number) => drawn + 1, 0)
  const queryKey = ['selection', account, question]
  const { data: selection = nothing } = useQuery<Selection>({
    queryKey,
    queryFn: skipToken,
    ...meteredQuery,
    structuralSharing: false,
  })
  const change = (next: Selection) => {
    client.setQueryData(queryKey, next)
    // The memory tells of it a moment later; until then the box that was pressed would be off again.
    draw()
  }
  const select = (ids: ReadonlySet<string>) => {
    if (ids.size > maxSelected) showToast(`${formatNumber(maxSelected)} are the most that can be selected one by one.`)
    else change({ ids, isAll: false })
  }
  return {
    ...selection,
    select,
    selectAll: () => change({ ids: nothing.ids, isAll: true }),
    clear: () => change(nothing),
  }
}

/** The boxes of the rows that are shown. To press one of them ends the choice of all that match. */
export function boxesOf<Row extends { id: string }>({ ids, isAll, select }: UsedSelection, rows: readonly Row[]) {
  return { selected: isAll ? new Set(rows.map(({ id }) => id)) : ids, onChange: select }
}
