import { queryOptions, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useAccount } from '#api/account.tsx'
import { api, path } from '#api/client.ts'
import { messageOf } from '#api/failure.ts'
import { maxLists } from '#lib/filters/fields.ts'
import { type Filters, listOf } from '#lib/filters/url.ts'
import { formatNumber } from '#lib/format.ts'

interface ListPage {
  data: { id: string; name: string; items: number }[]
  next_cursor: string | null
}

/** All lists of the account; it has 200 at most. */
function allListsQuery(account: string) {
  return queryOptions({
    queryKey: [account, 'lists', 'all'],
    queryFn: async ({ signal }) => {
      const lists: ListPage['data'] = []
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const query = { limit: 100, cursor }
        const page: ListPage = await api.get<ListPage>(path`/accounts/${account}/lists`, { query, signal })
        lists.push(...page.data)
        cursor = page.next_cursor
      }
      return lists
    },
  })
}

/** The names of the lists that filters leave out, by their ids. */
export function useListNames(filters: Filters): ReadonlyMap<string, string> {
  const isNeeded = listOf(filters, 'exclude_lists').length > 0
  const { data } = useQuery({ ...allListsQuery(useAccount().id), enabled: isNeeded })
  return useMemo(() => new Map(data?.map(({ id, name }) => [id, name])), [data])
}

interface ListsFilterProps {
  chosen: readonly string[]
  onChange: (lists: string[]) => void
}

/** Lists whose stores or people are left out. */
export function ListsFilter({ chosen, onChange }: ListsFilterProps) {
  const { data: lists, error } = useQuery(allListsQuery(useAccount().id))
  if (error) return <p className="pt-2 text-danger-text">{messageOf(error)}</p>
  if (!lists || lists.length === 0) return null
  const isFull = chosen.length >= maxLists
  return (
    <fieldset className="pt-2">
      <legend className="py-1">Leave out lists</legend>
      <ul className="max-h-56 overflow-y-auto overscroll-contain">
        {lists.map(({ id, name, items }) => (
          <li key={id}>
            <label className="flex items-start gap-2 py-0.5 pointer-coarse:py-2.5">
              <input
                type="checkbox"
                checked={chosen.includes(id)}
                disabled={isFull && !chosen.includes(id)}
                onChange={() => onChange(chosen.includes(id) ? chosen.filter((each) => each !== id) : [...chosen, id])}
                className="mt-0.5 size-4 shrink-0 accent-accent pointer-coarse:size-5"
              />
              <bdi className="min-w-0 flex-1 wrap-anywhere">{name}</bdi>
              <span className="text-muted text-xs tabular-nums">{formatNumber(items)}</span>
            </label>
          </li>
        ))}
      </ul>
      {isFull && <p className="pt-1 text-muted text-xs">{maxLists} lists are the most that a search leaves out.</p>}
    </fieldset>
  )
}
