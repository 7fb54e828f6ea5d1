import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useAccount } from '#api/account.tsx'
import type { Count } from '#api/catalogue.ts'
import { useTaxonomy } from '#api/catalogue.ts'
import { meteredPageQuery } from '#api/metered.ts'
import { contactFields } from '#lib/filters/fields.ts'
import { contactQuestion, contactSearchBody, countBody } from '#lib/filters/request.ts'
import { type Filters, parseFilters, toSearch } from '#lib/filters/url.ts'
import { formatCount, formatNumber } from '#lib/format.ts'
import { Table } from '#ui/data/table.tsx'
import { ExportButton } from '../export-dialog/export-button.tsx'
import { useRevealedContacts } from '../reveal/api.ts'
import { nameOf } from '../reveal/contact-cells.tsx'
import { RevealBar } from '../reveal/reveal-bar.tsx'
import { ColumnsMenu, useColumnChoice } from '../search/columns-menu.tsx'
import { CopyAsMenu } from '../search/copy-as-menu.tsx'
import { SearchPage } from '../search/search-page.tsx'
import { useCount } from '../search/use-count.ts'
import { usePaging } from '../search/use-paging.ts'
import { boxesOf, useSelection } from '../search/use-selection.ts'
import { contactColumns, defaultContactColumns } from './columns.tsx'
import { MaxPerStore, SelectFirst, SelectMatching } from './controls.tsx'
import { type ContactsSearch, defaultMaxPerStore } from './search.ts'

export default function ContactsPage() {
  const { id: account, access } = useAccount()
  const search = useSearch({ from: '/app/people' })
  const navigate = useNavigate()
  const { data: taxonomy } = useTaxonomy()
  const filters = useMemo(() => parseFilters(contactFields, search), [search])
  const { per_store: maxPerStore = defaultMaxPerStore } = search
  const question = useMemo(() => contactQuestion(filters, maxPerStore), [filters, maxPerStore])
  const body = contactSearchBody(filters, maxPerStore, search.cursor)
  const result = useQuery({ ...meteredPageQuery('searchContacts', { account, body }), enabled: access })
  const counted = useMemo(() => countBody(contactFields, question), [question])
  const { count, isOutdated: isCountOutdated } = useCount('countContacts', { account, body: counted }, access)
  const paging = usePaging('/people', search, result.data?.next_cursor ?? null)
  const revealed = useRevealedContacts(account, result.data?.data ?? [])
  const columns = useMemo(() => (taxonomy ? contactColumns(taxonomy, revealed) : []), [taxonomy, revealed])
  const known = useMemo(() => columns.map(({ id }) => id), [columns])
  const { chosen, choose } = useColumnChoice('/people', known, defaultContactColumns, search.columns)
  const selection = useSelection(account, question)
  const ask = (next: ContactsSearch) =>
    void navigate({ to: '/people', search: { ...next, columns: search.columns }, resetScroll: false })
  const askFor = (next: Filters, perStore = maxPerStore) =>
    ask({ ...toSearch(contactFields, next), per_store: perStore })
  return (
    <SearchPage
      title="People"
      noun="person"
      nouns="people"
      isOpen={access}
      fields={contactFields}
      filters={filters}
      openGroups={['Roles', 'Seniority', 'Countries']}
      onFilter={askFor}
      onOpenStore={(domain) => void navigate({ to: '/stores/$domain', params: { domain } })}
      result={result}
      counts={{ summary: count ? summaryOf(count) : '', facets: count?.facets, isOutdated: isCountOutdated }}
      paging={paging}
      moreFilters={<MaxPerStore value={maxPerStore} onChange={(perStore) => askFor(filters, perStore)} />}
      tools={
        <>
          <SelectFirst rows={result.data?.data ?? []} isOutdated={result.isPlaceholderData} selection={selection} />
          <SelectMatching count={count?.contacts} selection={selection} />
          <ColumnsMenu columns={columns} chosen={chosen} onChange={choose} />
          <CopyAsMenu path="/api/v1/contacts/search" body={contactSearchBody(filters, maxPerStore)} />
          <ExportButton account={account} kinds={['contacts', 'previews']} query={question} matches={count?.contacts} />
        </>
      }
      bar={<RevealBar account={account} selection={selection} matching={{ question, count }} />}
      table={(rows, _taxonomy, isOutdated) => (
        <Table
          label="People"
          columns={columns}
          visibleColumns={chosen}
          rows={rows}
          getId={({ id }) => id}
          getLabel={(preview) => nameOf(preview, revealed.get(preview.id))}
          selection={boxesOf(selection, rows)}
          isOutdated={isOutdated}
          hasCards
          className="desk:min-h-0"
        />
      )}
    />
  )
}

function summaryOf({ contacts, stores, unrevealed }: Count<'countContacts'>): string {
  return `${formatCount(contacts, 'contact')} in ${formatCount(stores, 'store')}, ${formatNumber(unrevealed)} not yet revealed`
}
