import { useQuery } from '@tanstack/react-query'
import { failureProps } from '#api/failure.ts'
import type { Reply } from '#api/operations.ts'
import { formatNumber } from '#lib/format.ts'
import { Link } from '#ui/actions/link.tsx'
import { PageHeader } from '#ui/data/page-header.tsx'
import { Num, RelativeTime } from '#ui/data/relative-time.tsx'
import { Table, type TableColumn } from '#ui/data/table.tsx'
import { Tile, Tiles } from '#ui/data/tile.tsx'
import { PageSpinner } from '#ui/feedback/spinner.tsx'
import { EmptyState, ErrorState } from '#ui/feedback/states.tsx'
import { catalogueQuery } from '../api.ts'
import { none } from '../facts.tsx'
import { SearchFacts } from '../search-facts.tsx'

/** How large the catalogue is, when it was written, and which engine answers. */
export default function CataloguePage() {
  const { data, error, isFetching, refetch } = useQuery(catalogueQuery)
  return (
    <>
      <PageHeader
        title="Catalogue"
        description={
          data && (
            <>
              Counted <RelativeTime time={data.counted_at} />. Version {formatNumber(data.taxonomy_version)} of the
              taxonomy.
            </>
          )
        }
      />
      {error && !data ? (
        <ErrorState {...failureProps(error)} onRetry={() => void refetch()} isRetrying={isFetching} />
      ) : data ? (
        <div className="space-y-4">
          <Tiles>
            <Tile label="Stores" value={data.live.stores} />
            <Tile label="People" value={data.live.contacts} />
            <Tile label="Stores of the sandbox" value={data.test.stores} />
            <Tile label="People of the sandbox" value={data.test.contacts} />
          </Tiles>
          <div className="grid items-start gap-4 lg:grid-cols-2">
            <SearchFacts search={data.search} />
            {data.batches.length === 0 ? (
              <EmptyState title="Nothing was imported yet">
                Bring in a file under <Link href="/operator/imports">Imports</Link>, or with{' '}
                <code>npx storedex import stores FILE</code>.
              </EmptyState>
            ) : (
              <Table
                label="Last batches"
                columns={batchColumns}
                rows={data.batches}
                getId={({ batch }) => String(batch)}
              />
            )}
          </div>
        </div>
      ) : (
        <PageSpinner />
      )}
    </>
  )
}

const batchColumns: TableColumn<Reply<'getCatalogue'>['batches'][number]>[] = [
  { id: 'batch', label: 'Batch', render: ({ batch }) => <Num value={batch} /> },
  { id: 'stores', label: 'Stores changed last', align: 'end', render: ({ stores }) => <Num value={stores} /> },
  {
    id: 'written',
    label: 'Written',
    render: ({ written_at }) => (written_at ? <RelativeTime time={written_at} /> : none),
  },
]
