import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useAccount } from '#api/account.tsx'
import { callQuery, pageQuery } from '#api/query.ts'
import { Link } from '#ui/actions/link.tsx'
import { PageHeader } from '#ui/data/page-header.tsx'
import { EmptyState } from '#ui/feedback/states.tsx'
import { PagedTable } from '../search/paged-table.tsx'
import { isActive } from './api.ts'
import { exportColumns } from './columns.tsx'
import { keptText } from './labels.ts'

const listedEveryMs = 1_000

/** The files that the account has made, and those that are being made. */
export default function ExportsPage() {
  const { id: account } = useAccount()
  const { data: usage } = useQuery(callQuery('getUsage', { account, mode: 'live' }))
  return (
    <>
      <PageHeader
        title="Exports"
        description={
          <>
            <p>One runs at a time, and goes on when this page is closed. Files are kept for three days.</p>
            <p>{usage && keptText(usage.kept_exports)}</p>
          </>
        }
      />
      <ExportTable />
    </>
  )
}

function ExportTable() {
  const { id: account } = useAccount()
  const search = useSearch({ from: '/app/exports' })
  const columns = useMemo(() => exportColumns(account), [account])
  const query = useQuery({
    ...pageQuery('listExports', { account, cursor: search.cursor }),
    staleTime: 0,
    refetchOnWindowFocus: true,
    // While one is active and the window is in sight.
    refetchInterval: ({ state }) => (state.data?.data.some(isActive) ? listedEveryMs : false),
  })
  return (
    <PagedTable
      label="Exports"
      query={query}
      to="/exports"
      place={search}
      columns={columns}
      getId={({ id }) => id}
      noun={['export']}
      keepsRows
      empty={
        <EmptyState title="Nothing was exported yet">
          Filter <Link href="/stores">Stores</Link> or <Link href="/people">People</Link> and press Export.
        </EmptyState>
      }
    />
  )
}
