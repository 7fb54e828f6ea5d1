import { type Static, type TSchema, type TStringOptions, Type } from 'typebox'
import { listParameters, RecordList } from '../../foundation/kernel/list-pages.ts'
import {
  ClosedObject,
  Count,
  linePattern,
  Nullable,
  OneOf,
  RequestId,
  Timestamp,
  textPattern,
} from '../../foundation/kernel/shapes.ts'
import { ContactPersonFilters, ContactStoreFilters, StoreSearchFilters } from '../../search/query/filters.ts'
import { contactIdPattern, invalidContactId } from '../delivery/contact-preview.ts'
import { Domain, StoreName, storeIdPattern } from '../delivery/store-document.ts'
import { Exclude } from '../exclusion/exclude.ts'

const maxNamed = 1_000
const maxFound = 10_000

const listKinds = ['stores', 'contacts'] as const
export type ListKind = (typeof listKinds)[number]
const Kind = OneOf(listKinds)

const Name = Type.String({
  minLength: 1,
  maxLength: 120,
  pattern: linePattern,
  description: 'Unique among the lists of the account, compared without case.',
  examples: ['Shops for spring'],
})
const Description = Nullable(Type.String({ maxLength: 1_000, pattern: textPattern }))

export const NewList = ClosedObject(
  { name: Name, kind: Kind, description: Type.Optional(Description) },
  { title: 'NewList' },
)
export type NewList = Static<typeof NewList>

export const ListChanges = ClosedObject(
  { name: Type.Optional(Name), description: Type.Optional(Description) },
  { title: 'ListChanges', description: 'What is left out stays; a description of null is removed.' },
)
export type ListChanges = Static<typeof ListChanges>

const listFields = {
  id: Type.String({
    pattern: '^lst_[a-z]+_[A-Za-z]{16}$',
    maxLength: 25,
    examples: ['lst_live_VbNmPkJhGfDsWqRt'],
  }),
  object: OneOf(['list_of_stores', 'list_of_contacts']),
  name: Type.String({ maxLength: 120 }),
  kind: Kind,
  description: Nullable(Type.String({ maxLength: 1_000 })),
  items: Count('Stores or contacts in the list.'),
  pending: Count('Domains that wait for an import to bring their store; they are not among the items.'),
  created_at: Timestamp('When the list was created.'),
  updated_at: Timestamp('When its name, description or items changed last.'),
}

const ListItem = ClosedObject(listFields, { title: 'List' })
export type ListItem = Static<typeof ListItem>
export const ListDetails = ClosedObject({ ...listFields, request_id: RequestId }, { title: 'ListDetails' })
export type ListDetails = Static<typeof ListDetails>

/** A page with a name of its own in the API document. */
const NamedPage = <T extends TSchema>(item: T, title: string) => ({ ...RecordList(item), title })

export const ListPage = NamedPage(ListItem, 'ListPage')
export const ListPageQuery = ClosedObject(
  { kind: Type.Optional({ ...Kind, description: 'Lists of this kind only.' }), ...listParameters },
  { title: 'ListPageQuery' },
)
export type ListPageQuery = Static<typeof ListPageQuery>

export const ListDeleted = ClosedObject(
  { object: Type.Literal('deleted'), id: listFields.id, request_id: RequestId },
  { title: 'ListDeleted' },
)
export type ListDeleted = Static<typeof ListDeleted>

const Named = (what: string, item: TStringOptions) =>
  Type.Optional(Type.Array(Type.String(item), { maxItems: maxNamed, description: what }))

const ListSource = ClosedObject(
  {
    filters: Type.Optional(StoreSearchFilters),
    exclude: Type.Optional(Exclude),
    person: Type.Optional(ContactPersonFilters),
    store: Type.Optional(ContactStoreFilters),
    max_contacts_per_store: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10,
        description: 'As in a search of contacts, where it is 1 when left out.',
      }),
    ),
  },
  {
    title: 'ListSource',
    description:
      'A search without limit and cursor: filters and exclude for a list of stores; person, store, exclude and max_contacts_per_store for a list of contacts.',
  },
)
export type ListSource = Static<typeof ListSource>

export const ListItemsRequest = ClosedObject(
  {
    domains: Named('Domains or URLs, for a list of stores.', { maxLength: 2_000, errorCode: 'invalid_domain' }),
    store_ids: Named('Ids of stores, for a list of stores.', { maxLength: 100 }),
    contact_ids: Named('Ids of contacts, for a list of contacts.', { maxLength: 100, ...invalidContactId }),
    from: Type.Optional(ListSource),
    max: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: maxFound,
        description:
          'With from: at most this many of its first results. To add them, it must fit into the search rows left.',
      }),
    ),
  },
  { title: 'ListItemsRequest', description: 'Either domains, store_ids or contact_ids, or from and max.' },
)
export type ListItemsRequest = Static<typeof ListItemsRequest>

const itemCounts = { items: listFields.items, pending: listFields.pending, request_id: RequestId }

export const ListItemsAdded = ClosedObject(
  {
    added: Count('Items that the list did not have.'),
    already: Count('Items that it had.'),
    unknown: Type.Array(Type.String(), {
      maxItems: 2 * maxNamed,
      description: 'Domains that no store has, in their normal form, which are kept as pending; ids that name nothing.',
    }),
    ...itemCounts,
  },
  { title: 'ListItemsAdded' },
)
export type ListItemsAdded = Static<typeof ListItemsAdded>

export const ListItemsRemoved = ClosedObject(
  {
    removed: Count('Items and pending domains that were taken off.'),
    absent: Count('Values that the list did not have.'),
    ...itemCounts,
  },
  { title: 'ListItemsRemoved' },
)
export type ListItemsRemoved = Static<typeof ListItemsRemoved>

const AddedAt = Timestamp('When it was added to the list.')

const StoreListItem = ClosedObject(
  {
    store_id: Nullable(Type.String({ pattern: storeIdPattern, maxLength: 24 })),
    domain: Domain,
    name: Nullable(StoreName),
    pending: Type.Boolean({ description: 'Whether the domain waits for its store; then it has neither id nor name.' }),
    added_at: AddedAt,
  },
  { title: 'StoreListItem' },
)
export type StoreListItem = Static<typeof StoreListItem>

const ContactListItem = ClosedObject(
  {
    contact_id: Type.String({ pattern: contactIdPattern, maxLength: 24 }),
    first_name: Nullable(Type.String({ maxLength: 500 })),
    last_name_obfuscated: Nullable(Type.String({ maxLength: 8 })),
    store_id: Type.String({ pattern: storeIdPattern, maxLength: 24 }),
    domain: Domain,
    added_at: AddedAt,
  },
  { title: 'ContactListItem' },
)
export type ContactListItem = Static<typeof ContactListItem>

export const ListItemPage = NamedPage(Type.Union([StoreListItem, ContactListItem]), 'ListItemPage')
export type ListItemPage = Static<typeof ListItemPage>
export const ListItemQuery = ClosedObject(listParameters, { title: 'ListItemQuery' })
export type ListItemQuery = Static<typeof ListItemQuery>
