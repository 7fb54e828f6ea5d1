import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useAccount } from '#api/account.tsx'
import type { Count } from '#api/catalogue.ts'
import { useTaxonomy } from '#api/catalogue.ts'
import { meteredPageQuery } from '#api/metered.ts'
import { storeFields } from '#lib/filters/fields.ts'
import { countBody, storeQuestion, storeSearchBody } from '#lib/filters/request.ts'
import { type Filters, parseFilters, toSearch } from '#lib/filters/url.ts'
import { formatCount, formatNumber } from '#lib/format.ts'
import { Table } from '#ui/data/table.tsx'
import { ExportButton } from '../export-dialog/export-button.tsx'
import { AddToListButton } from '../lists/add-to-list-button.tsx'
import { itemsOfSearch } from '../lists/search-items.ts'
import { ColumnsMenu, useColumnChoice } from '../search/columns-menu.tsx'
import { CopyAsMenu } from '../search/copy-as-menu.tsx'
import { SearchPage } from '../search/search-page.tsx'
import { useCount } from '../search/use-count.ts'
import { usePaging } from '../search/use-paging.ts'
import { defaultStoreColumns, storeColumns } from './columns.tsx'

export default function StoresPage() {
  const { id: account, access } = useAccount()
  const search = useSearch({ from: '/app/stores' })
  const navigate = useNavigate()
  const { data: taxonomy } = useTaxonomy()
  const filters = useMemo(() => parseFilters(storeFields, search), [search])
  const result = useQuery({
    ...meteredPageQuery('searchStores', { account, body: storeSearchBody(filters, search.cursor) }),
    enabled: access,
  })
  const body = useMemo(() => countBody(storeFields, storeQuestion(filters)), [filters])
  const { count, isOutdated } = useCount('countStores', { account, body }, access)
  const paging = usePaging('/stores', search, result.data?.next_cursor ?? null)
  const columns = useMemo(() => (taxonomy ? storeColumns(taxonomy, search) : []), [taxonomy, search])
  const known = useMemo(() => columns.map(({ id }) => id), [columns])
  const { chosen, choose } = useColumnChoice('/stores', known, defaultStoreColumns, search.columns)
  const filterBy = (next: Filters) =>
    void navigate({
      to: '/stores',
      search: { ...toSearch(storeFields, next), columns: search.columns },
      resetScroll: false,
    })
  return (
    <SearchPage
      title="Stores"
      noun="store"
      nouns="stores"
      isOpen={access}
      fields={storeFields}
      filters={filters}
      openGroups={['Countries', 'Categories']}
      onFilter={filterBy}
      onOpenStore={(domain) => void navigate({ to: '/stores/$domain', params: { domain }, search })}
      result={result}
      counts={{ summary: count ? summaryOf(count) : '', facets: count?.facets, isOutdated }}
      paging={paging}
      tools={
        <>
          <ColumnsMenu columns={columns} chosen={chosen} onChange={choose} />
          <CopyAsMenu path="/api/v1/stores/search" body={storeSearchBody(filters)} />
          {access && (
            <AddToListButton
              account={account}
              kind="stores"
              items={itemsOfSearch(storeSearchBody(filters), count?.total)}
              isSmall
            />
          )}
          <ExportButton account={account} kinds={['stores']} query={storeSearchBody(filters)} matches={count?.total} />
        </>
      }
      table={(rows, _taxonomy, isOutdated) => (
        <Table
          label="Stores"
          columns={columns}
          visibleColumns={chosen}
          rows={rows}
          getId={({ id }) => id}
          isOutdated={isOutdated}
          hasCards
          className="desk:min-h-0"
        />
      )}
    />
  )
}

function summaryOf({ total, new_exports }: Count<'countStores'>): string {
  return `${formatCount(total, 'store')}, ${formatNumber(new_exports)} not yet exported this period`
}
