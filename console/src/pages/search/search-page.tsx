import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useAccount } from '#api/account.tsx'
import { useTaxonomy } from '#api/catalogue.ts'
import { failureProps } from '#api/failure.ts'
import { type Metered, useRowsLeft } from '#api/metered.ts'
import { type Chip, chipsOf } from '#lib/filters/chips.ts'
import type { Facets } from '#lib/filters/facets.ts'
import type { FilterFields, FilterGroupName } from '#lib/filters/fields.ts'
import type { Taxonomy } from '#lib/filters/taxonomy.ts'
import type { Filters } from '#lib/filters/url.ts'
import { formatCount, formatNumber } from '#lib/format.ts'
import { useOptimisticValue } from '#lib/use-value.ts'
import { SkipLink } from '#ui/actions/skip-link.tsx'
import { classNames } from '#ui/class-names.ts'
import { PageHeader } from '#ui/data/page-header.tsx'
import { Pagination } from '#ui/data/pagination.tsx'
import { SkeletonRows, useDelayed } from '#ui/feedback/skeleton.tsx'
import { EmptyState, ErrorState } from '#ui/feedback/states.tsx'
import { useSingleStop } from '#ui/single-stop.ts'
import { ChipList } from './chip-list.tsx'
import { ClosedState } from './closed-state.tsx'
import { FilterColumn, FilterDrawer } from './filters/filter-column.tsx'
import { useListNames } from './filters/lists-filter.tsx'
import { ResultProblem } from './result-problem.tsx'
import { SearchBox } from './search-box.tsx'
import type { Paging } from './use-paging.ts'

type ResultRows<Row> = Metered<{ data: readonly Row[] }>

interface ResultCounts {
  /** Empty before the first count, and where there is none. */
  summary: string
  /** Undefined where they cannot be counted. */
  facets: Facets | undefined
  isOutdated: boolean
}

interface SearchPageProps<Row> {
  title: 'Stores' | 'People'
  noun: string
  nouns: string
  isOpen: boolean
  fields: FilterFields
  filters: Filters
  openGroups: readonly FilterGroupName[]
  onFilter: (filters: Filters) => void
  onOpenStore: (domain: string) => void
  result: UseQueryResult<ResultRows<Row>>
  /** How many match, in words and by the values of filters. */
  counts: ResultCounts
  paging: Paging
  /** The buttons above the table. */
  tools: ReactNode
  /** More filters that are no filters of the API, below the others. */
  moreFilters?: ReactNode
  /** Between the table and the foot. */
  bar?: ReactNode
  table: (rows: readonly Row[], taxonomy: Taxonomy, isOutdated: boolean) => ReactNode
}

/** The common parts of Stores and People: filters at the left, chips and tools above the rows, and the foot below. */
export function SearchPage<Row>(props: SearchPageProps<Row>) {
  const { title, isOpen, fields, openGroups, onOpenStore, result, counts, tools, moreFilters } = props
  const [filters, onFilter] = useOptimisticValue(props.filters, props.onFilter)
  const { data: taxonomy, error, refetch, isFetching } = useTaxonomy()
  const listNames = useListNames(filters)
  const toolbar = useSingleStop('horizontal')
  const chips = taxonomy ? chipsOf(fields, filters, taxonomy, listNames) : []
  const { summary, facets } = counts
  const column = taxonomy && (
    <>
      <FilterColumn {...{ fields, filters, taxonomy, listNames, facets, openGroups }} onChange={onFilter} />
      {moreFilters}
      {summary !== '' && (filters.domains || !facets) && (
        <p className="px-1 py-3 text-muted text-xs">
          {filters.domains
            ? 'Filters have no numbers while domains are chosen.'
            : 'The numbers beside filters cannot be counted at the moment.'}
        </p>
      )}
    </>
  )
  return (
    <div className="-m-4 sm:-m-6 flex flex-col desk:h-[calc(100dvh-3rem)]">
      <div className="border-line border-b px-4 pt-3 [&>header]:mb-3">
        <PageHeader
          title={title}
          summary={<Summary {...counts} />}
          actions={isOpen && <SearchBox {...{ fields, filters, taxonomy, onFilter, onOpenStore }} />}
        />
      </div>
      {isOpen ? (
        <div className="flex min-h-0 flex-1">
          <SkipLink to="results">Skip to results</SkipLink>
          <section
            aria-label="Filters"
            className="relative hidden w-60 shrink-0 overflow-y-auto border-line border-r bg-surface px-3 py-2 lg:block"
          >
            <h2 className="sr-only">Filters</h2>
            {column}
          </section>
          <div className="flex min-w-0 flex-1 flex-col px-4">
            <div className="flex flex-wrap items-start justify-between gap-2 py-3">
              <FilterDrawer count={chips.length}>{column}</FilterDrawer>
              <div className="order-last w-full min-w-0 empty:hidden 2xl:order-none 2xl:w-auto 2xl:flex-1">
                {hasRows(result) && <ChipList chips={chips} onChange={onFilter} />}
              </div>
              <div
                ref={toolbar}
                role="toolbar"
                aria-label="Results"
                className="ml-auto flex flex-wrap justify-end gap-2"
              >
                {tools}
              </div>
            </div>
            <div id="results" tabIndex={-1} className="flex min-w-0 flex-1 flex-col outline-none desk:min-h-0">
              {error ? (
                <ErrorState {...failureProps(error)} onRetry={() => void refetch()} isRetrying={isFetching} />
              ) : (
                <Result {...props} {...{ onFilter, taxonomy, chips }} />
              )}
            </div>
          </div>
        </div>
      ) : (
        <ClosedState what={title} />
      )}
    </div>
  )
}

function Summary({ summary, isOutdated }: ResultCounts) {
  const isOld = useDelayed(isOutdated)
  return (
    <p role="status" aria-busy={isOld} className={classNames('text-muted', isOld && 'opacity-85')}>
      {summary}
    </p>
  )
}

/** Where there are none, the chips stand below the reason instead. */
function hasRows({ data, error }: UseQueryResult<ResultRows<unknown>>): boolean {
  return !error && data?.data.length !== 0
}

interface ResultProps<Row> extends SearchPageProps<Row> {
  taxonomy: Taxonomy | undefined
  chips: readonly Chip[]
}

function Result<Row>({ title, noun, nouns, onFilter, result, paging, bar, table, taxonomy, chips }: ResultProps<Row>) {
  const { data, error, isFetching, isPlaceholderData, refetch } = result
  const rowsLeft = useRowsLeft(useAccount().id)
  const isOutdated = useDelayed(isPlaceholderData)
  const isLoading = useDelayed(!data || !taxonomy)
  if (error && !isPlaceholderData)
    return (
      <ResultProblem
        what={title}
        error={error}
        chips={chips}
        onChange={onFilter}
        onFirstPage={paging.goToFirst}
        onRetry={() => void refetch()}
        isRetrying={isFetching}
      />
    )
  if (!data || !taxonomy) return isLoading && <SkeletonRows rows={12} />
  if (data.data.length === 0) return <NothingMatches {...{ noun, chips, onFilter }} />
  return (
    <>
      {table(data.data, taxonomy, isOutdated)}
      {bar}
      <ResultFoot
        count={data.data.length}
        {...{ noun, nouns }}
        rowsCharged={data.rowsCharged ?? data.data.length}
        rowsLeft={rowsLeft}
        searchEnd={data.searchEnd}
        page={paging.page}
        onPrevious={paging.onPrevious}
        onNext={paging.onNext}
        isPending={isPlaceholderData}
      />
    </>
  )
}

function NothingMatches({ noun, chips, onFilter }: Pick<ResultProps<never>, 'noun' | 'chips' | 'onFilter'>) {
  if (chips.length === 0)
    return (
      <EmptyState title="The catalogue is empty">
        The operator of this installation fills it with <code>npx storedex import</code>.
      </EmptyState>
    )
  return (
    <div role="status">
      <EmptyState title={`No ${noun} matches`} actions={<ChipList chips={chips} onChange={onFilter} isCentered />}>
        Remove a filter:
      </EmptyState>
    </div>
  )
}

interface ResultFootProps {
  /** Rows on this page. */
  count: number
  /** Their cost: nothing if the same page showed them within ten minutes. */
  rowsCharged: number
  /** `store`, and `people` where the plural is irregular. */
  noun: string
  nouns?: string
  rowsLeft: number | undefined
  /** Why there is no next page although more matches. */
  searchEnd: string | undefined
  page: number
  onPrevious: (() => void) | undefined
  onNext: (() => void) | undefined
  isPending: boolean
}

/** The cost of the page, the rows left, and links to the pages beside it. */
function ResultFoot(props: ResultFootProps) {
  const { count, noun, nouns = `${noun}s`, rowsCharged, rowsLeft, searchEnd, page, ...paging } = props
  return (
    <Pagination {...paging}>
      <span role="status">
        {formatCount(count, noun, nouns)}
        {page > 1 && <> on page {formatNumber(page)}</>}
      </span>
      <span className="max-sm:block">
        <span className="max-sm:hidden"> · </span>
        {formatCount(rowsCharged, 'search row')} used
        {rowsLeft !== undefined && <> · {formatNumber(rowsLeft)} left</>}
      </span>
      {searchEnd !== undefined && <span className="block">{searchEnd}</span>}
    </Pagination>
  )
}
