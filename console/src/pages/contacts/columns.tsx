import { Link } from '@tanstack/react-router'
import type { Contact, ContactPreview } from '#api/catalogue.ts'
import type { Taxonomy } from '#lib/filters/taxonomy.ts'
import type { TableColumn } from '#ui/data/table.tsx'
import { ContactCell, renderChannels } from '../reveal/contact-cells.tsx'
import { TechnologyNames, Tier } from '../search/cells.tsx'

export const defaultContactColumns = ['person', 'role', 'seniority', 'channels', 'store']

/** The columns of the table of people; `revealed` are those whom the account has paid for. */
export function contactColumns(
  taxonomy: Taxonomy,
  revealed: ReadonlyMap<string, Contact>,
): TableColumn<ContactPreview>[] {
  return [
    {
      id: 'person',
      label: 'Person',
      className: 'min-w-36 max-w-72',
      render: (preview) => <ContactCell preview={preview} contact={revealed.get(preview.id)} />,
    },
    {
      id: 'role',
      label: 'Role',
      render: ({ role }) => role && taxonomy.label('roles', role),
    },
    {
      id: 'seniority',
      label: 'Seniority',
      className: 'whitespace-nowrap',
      render: ({ seniority }) => taxonomy.label('seniorities', seniority),
    },
    {
      id: 'channels',
      label: 'Channels',
      className: revealed.size > 0 ? 'min-w-52 max-w-72' : '',
      render: (preview) => renderChannels(preview, revealed.get(preview.id)),
    },
    {
      id: 'store',
      opensRow: true,
      label: 'Store',
      className: 'min-w-36 max-w-64',
      render: ({ store: { name, domain } }) => (
        <>
          <Link
            to="/stores/$domain"
            params={{ domain }}
            className="line-clamp-2 rounded-sm wrap-anywhere hover:underline"
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
      className: 'min-w-32 max-w-56',
      render: ({ store: { category } }) => category && taxonomy.label('categories', category),
    },
    {
      id: 'traffic',
      label: 'Traffic',
      className: 'whitespace-nowrap',
      render: ({ store }) => <Tier taxonomy={taxonomy} list="traffic_tiers" value={store.traffic_tier} />,
    },
    {
      id: 'apps',
      label: 'Apps',
      className: 'min-w-36 max-w-56',
      render: ({ store }) => <TechnologyNames taxonomy={taxonomy} list="apps" values={store.technologies.apps} />,
    },
    {
      id: 'pixels',
      label: 'Pixels',
      className: 'min-w-36 max-w-56',
      render: ({ store }) => <TechnologyNames taxonomy={taxonomy} list="pixels" values={store.technologies.pixels} />,
    },
  ]
}
