import { Link } from '@tanstack/react-router'
import type { ContactPreview, StorePage } from '#api/catalogue.ts'
import type { Taxonomy } from '#lib/filters/taxonomy.ts'
import { formatNumber } from '#lib/format.ts'
import { linkClass } from '#ui/actions/link.tsx'
import { Table, type TableColumn } from '#ui/data/table.tsx'
import { useRevealedContacts } from '../reveal/api.ts'
import { ContactCell, nameOf, renderChannels } from '../reveal/contact-cells.tsx'
import { RevealBar } from '../reveal/reveal-bar.tsx'
import { boxesOf, useSelection } from '../search/use-selection.ts'

interface StoreContactsProps {
  account: string
  store: StorePage
  taxonomy: Taxonomy
}

/** The first people of a store, to select and reveal. */
export function StoreContacts({ account, store, taxonomy }: StoreContactsProps) {
  const { contact_previews: previews, domain } = store
  const selection = useSelection(account, { store: domain })
  const revealed = useRevealedContacts(account, previews)
  const columns: TableColumn<ContactPreview>[] = [
    {
      id: 'person',
      label: 'Person',
      className: 'min-w-40',
      render: (preview) => <ContactCell preview={preview} contact={revealed.get(preview.id)} />,
    },
    { id: 'role', label: 'Role', render: ({ role }) => role && taxonomy.label('roles', role) },
    { id: 'seniority', label: 'Seniority', render: ({ seniority }) => taxonomy.label('seniorities', seniority) },
    {
      id: 'channels',
      label: 'Channels',
      className: revealed.size > 0 ? 'min-w-52 max-w-72' : '',
      render: (preview) => renderChannels(preview, revealed.get(preview.id)),
    },
  ]
  const more = store.contacts_summary.total - previews.length
  return (
    <section aria-labelledby="people">
      <div className="mb-2 flex flex-wrap items-baseline justify-between gap-2">
        <h2 id="people" className="font-semibold text-lg">
          People
        </h2>
        {more > 0 && (
          <Link to="/people" search={{ domains: domain, per_store: 10 }} className={linkClass}>
            Search among all {formatNumber(store.contacts_summary.total)}
          </Link>
        )}
      </div>
      {previews.length === 0 ? (
        <p className="rounded-lg border border-line bg-surface px-4 py-3 text-muted">Nobody is on file.</p>
      ) : (
        <Table
          label="People of the store"
          columns={columns}
          rows={previews}
          getId={({ id }) => id}
          getLabel={(preview) => nameOf(preview, revealed.get(preview.id))}
          selection={boxesOf(selection, previews)}
          hasCards
        />
      )}
      <RevealBar account={account} selection={selection} />
    </section>
  )
}
