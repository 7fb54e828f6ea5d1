import { useInfiniteQuery } from '@tanstack/react-query'
import type { StorePage } from '#api/catalogue.ts'
import { call } from '#api/client.ts'
import { failureProps } from '#api/failure.ts'
import { meteredQuery } from '#api/metered.ts'
import type { Row } from '#api/operations.ts'
import type { Taxonomy } from '#lib/filters/taxonomy.ts'
import { Button } from '#ui/actions/button.tsx'
import { RelativeTime } from '#ui/data/relative-time.tsx'
import { ErrorState } from '#ui/feedback/states.tsx'
import { describeStoreChange } from './store-change.ts'

interface StoreHistoryProps {
  account: string
  /** As the store was asked for: the cursor is bound to it. */
  domain: string
  /** The newest changes, which came with the store. */
  first: StorePage['history']
  taxonomy: Taxonomy
}

/** Changes of the store by imports, the newest first. Older pages cost nothing more. */
export function StoreHistory({ account, domain, first, taxonomy }: StoreHistoryProps) {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ['getStoreHistory', { account, domain }],
    queryFn: ({ pageParam, signal }) => call('getStoreHistory', { account, domain, cursor: pageParam }, { signal }),
    initialData: { pages: [first], pageParams: [''] },
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor,
    ...meteredQuery,
  })
  const changes = data.pages.flatMap((page) => page.data)
  return (
    <section aria-labelledby="history">
      <h2 id="history" className="mb-2 font-semibold text-lg">
        History
      </h2>
      {changes.length === 0 ? (
        <p className="rounded-lg border border-line bg-surface px-4 py-3 text-muted">
          No change is on record. The next import that changes this store begins its history.
        </p>
      ) : (
        <ol className="divide-y divide-line rounded-lg border border-line bg-surface">
          {changes.map((change) => (
            <li key={`${change.at} ${change.field}`} className="flex flex-wrap justify-between gap-x-6 px-4 py-2">
              <span className="min-w-0 wrap-anywhere">
                <Change change={change} taxonomy={taxonomy} />
              </span>
              <span className="text-muted">
                <RelativeTime time={change.at} />
              </span>
            </li>
          ))}
        </ol>
      )}
      {error && (
        <ErrorState {...failureProps(error)} onRetry={() => void fetchNextPage()} isRetrying={isFetchingNextPage} />
      )}
      {hasNextPage && !error && (
        <p className="mt-3 flex flex-wrap items-center gap-3 text-muted">
          <Button onPress={() => void fetchNextPage()} isPending={isFetchingNextPage}>
            Show older changes
          </Button>
          They cost nothing more.
        </p>
      )}
    </section>
  )
}

function Change({ change, taxonomy }: { change: Row<'getStoreHistory'>; taxonomy: Taxonomy }) {
  const { subject, values, added, removed } = describeStoreChange(change, taxonomy)
  const lists = [
    { items: added, verb: 'added' },
    { items: removed, verb: 'removed' },
  ].filter(({ items }) => items.length > 0)
  return (
    <>
      {subject}
      {values && (
        <>
          {' '}
          <bdi className="text-muted">{values.before}</bdi> → <bdi className="font-medium">{values.after}</bdi>
        </>
      )}
      {lists.map(({ items, verb }, index) => (
        <span key={verb}>
          {index > 0 ? ', ' : subject && ' '}
          <bdi className="font-medium">{items.join(', ')}</bdi> {verb}
        </span>
      ))}
    </>
  )
}
