import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useAccount } from '#api/account.tsx'
import { messageOf } from '#api/failure.ts'
import { allListsQuery } from '#api/lists.ts'
import { maxLists } from '#lib/filters/fields.ts'
import { toSearchText } from '#lib/filters/taxonomy.ts'
import { type Filters, listOf } from '#lib/filters/url.ts'
import { formatNumber } from '#lib/format.ts'
import { ValueList } from './value-list.tsx'

/** The names of the lists that filters leave out, by their ids. */
export function useListNames(filters: Filters): ReadonlyMap<string, string> {
  const isNeeded = listOf(filters, 'exclude_lists').length > 0
  const { data } = useQuery({ ...allListsQuery(useAccount().id), enabled: isNeeded })
  return useMemo(() => new Map(data?.map(({ id, name }) => [id, name])), [data])
}

interface ListsFilterProps {
  chosen: readonly string[]
  isHeld: boolean
  onChange: (lists: string[]) => void
}

/** Lists whose stores or people are left out. */
export function ListsFilter({ chosen, isHeld, onChange }: ListsFilterProps) {
  const { data: lists, error } = useQuery(allListsQuery(useAccount().id))
  const nodes = useMemo(
    () => lists?.map(({ id, name }) => ({ value: id, label: name, depth: 0, searchText: toSearchText(name) })) ?? [],
    [lists],
  )
  const items = useMemo(() => new Map(lists?.map((list) => [list.id, list.items])), [lists])
  if (error) return <p className="pt-2 text-danger-text">{messageOf(error)}</p>
  if (nodes.length === 0) return null
  return (
    <fieldset className="pt-2">
      <legend className="py-1">Leave out lists</legend>
      <ValueList
        label="Leave out lists"
        nodes={nodes}
        chosen={chosen}
        isHeld={isHeld}
        onChange={onChange}
        counts={undefined}
        noteOf={(id) => (
          <span className="py-1 text-muted text-xs tabular-nums pointer-coarse:py-3">
            {formatNumber(items.get(id) ?? 0)}
          </span>
        )}
        most={maxLists}
        fullText={`${maxLists} lists are the most that a search leaves out.`}
      />
    </fieldset>
  )
}
