import { Link } from '@tanstack/react-router'
import type { Store } from '#api/catalogue.ts'
import type { Taxonomy } from '#lib/filters/taxonomy.ts'
import { formatDay, formatEstimate, formatNumber } from '#lib/format.ts'
import { Badge } from '#ui/data/badge.tsx'
import type { TableColumn } from '#ui/data/table.tsx'
import { TechnologyNames, Tier } from '../search/cells.tsx'
import type { StoresSearch } from './search.ts'

export const defaultStoreColumns = ['store', 'category', 'country', 'traffic', 'revenue', 'people', 'fit']

/** The columns of the table of stores. `search` goes with the links, so that a store's page knows the result. */
export function storeColumns(taxonomy: Taxonomy, search: StoresSearch): TableColumn<Store>[] {
  return [
    {
      id: 'store',
      opensRow: true,
      label: 'Store',
      className: 'min-w-40 max-w-72',
      render: ({ name, domain }) => (
        <>
          <Link
            to="/stores/$domain"
            params={{ domain }}
            search={search}
            className="line-clamp-2 rounded-sm font-medium wrap-anywhere hover:underline"
          >
            <bdi>{name}</bdi>
          </Link>
          <span className="block truncate text-muted text-xs">{domain}</span>
        </>
      ),
    },
    {
      id: 'category',
      label: 'Category',
      className: 'min-w-28 max-w-44',
      render: ({ category }) => category && taxonomy.label('categories', category),
    },
    {
      id: 'country',
      label: 'Country',
      className: 'min-w-20 max-w-36',
      render: ({ country }) => country && taxonomy.label('countries', country),
    },
    {
      id: 'traffic',
      label: 'Traffic',
      className: 'whitespace-nowrap',
      render: ({ traffic_tier }) => <Tier taxonomy={taxonomy} list="traffic_tiers" value={traffic_tier} />,
    },
    {
      id: 'revenue',
      label: 'Revenue',
      className: 'whitespace-nowrap',
      render: ({ revenue_tier }) => <Tier taxonomy={taxonomy} list="revenue_tiers" value={revenue_tier} />,
    },
    {
      id: 'apps',
      label: 'Apps',
      className: 'min-w-36 max-w-56',
      render: ({ technologies }) => (
        <TechnologyNames taxonomy={taxonomy} list="apps" values={technologies?.apps ?? []} />
      ),
    },
    {
      id: 'pixels',
      label: 'Pixels',
      className: 'min-w-36 max-w-56',
      render: ({ technologies }) => (
        <TechnologyNames taxonomy={taxonomy} list="pixels" values={technologies?.pixels ?? []} />
      ),
    },
    {
      id: 'theme',
      label: 'Theme',
      className: 'max-w-48',
      render: ({ technologies }) => <bdi className="wrap-anywhere">{technologies?.theme.name}</bdi>,
    },
    {
      id: 'premium',
      label: 'Platform tier',
      render: ({ platform_plus }) => platform_plus && <Badge>Premium</Badge>,
    },
    {
      id: 'opened',
      label: 'Opened',
      className: 'whitespace-nowrap',
      render: ({ store_created_at }) =>
        store_created_at?.estimate && formatEstimate(store_created_at.estimate, store_created_at.resolution),
    },
    {
      id: 'seen',
      label: 'First seen',
      className: 'whitespace-nowrap',
      render: ({ first_discovered_at }) => first_discovered_at && formatDay(first_discovered_at),
    },
    {
      id: 'people',
      label: 'People',
      align: 'end',
      render: ({ contacts_summary: { total } }) => total > 0 && formatNumber(total),
    },
    {
      id: 'emails',
      label: 'Verified emails',
      align: 'end',
      render: ({ contacts_summary: { verified_email_count: count } }) => count > 0 && formatNumber(count),
    },
    {
      id: 'fit',
      label: 'Fit',
      align: 'end',
      render: ({ lead_fit_score: score }) =>
        score !== null && formatNumber(score, { minimumFractionDigits: 1, maximumFractionDigits: 1 }),
    },
  ]
}
