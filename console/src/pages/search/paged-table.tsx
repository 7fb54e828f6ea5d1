import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { failureProps } from '#api/failure.ts'
import { formatCount, formatNumber } from '#lib/format.ts'
import { Pagination } from '#ui/data/pagination.tsx'
import { Table, type TableColumn } from '#ui/data/table.tsx'
import { SkeletonRows, useDelayed } from '#ui/feedback/skeleton.tsx'
import { ErrorState } from '#ui/feedback/states.tsx'
import { type PagedRoute, type PagePlace, usePaging } from './use-paging.ts'

interface PagedTableProps<Item> {
  label: string
  query: UseQueryResult<{ data: Item[]; has_more: boolean; next_cursor: string | null }>
  /** The page of the console, and the place in the list that its address has. */
  to: PagedRoute
  place: PagePlace
  columns: readonly TableColumn<Item>[]
  getId: (item: Item) => string
  /** `entry`, and `entries` where the plural is irregular. */
  noun: readonly [one: string, many?: string]
  /** In place of a list without rows. */
  empty: ReactNode
  skeletonRows?: number
  /** For a list that is asked for every second: when that fails, its rows stay. */
  keepsRows?: boolean
}

/** A list by pages: its rows, or what there is instead, and the way to the pages beside this one. */
export function PagedTable<Item>(props: PagedTableProps<Item>) {
  const { label, query, to, place, columns, getId, noun, empty, skeletonRows, keepsRows = false } = props
  const { data, error, isPlaceholderData, isFetching, refetch } = query
  const { page, onPrevious, onNext } = usePaging(to, place, data?.next_cursor ?? null)
  const isOutdated = useDelayed(isPlaceholderData)
  const isLoading = useDelayed(!data)
  if (error && !(keepsRows && data))
    return <ErrorState {...failureProps(error)} onRetry={() => void refetch()} isRetrying={isFetching} />
  if (!data) return isLoading && <SkeletonRows {...(skeletonRows && { rows: skeletonRows })} />
  // Where very many in a row were removed, a page without rows has a next one.
  if (data.data.length === 0 && !place.cursor && !data.has_more) return empty
  return (
    <>
      <Table label={label} columns={columns} rows={data.data} getId={getId} isOutdated={isOutdated} hasCards />
      <Pagination onPrevious={onPrevious} onNext={onNext} isPending={isPlaceholderData}>
        <span role="status">
          {formatCount(data.data.length, ...noun)}
          {page > 1 && ` on page ${formatNumber(page)}`}
        </span>
      </Pagination>
    </>
  )
}
