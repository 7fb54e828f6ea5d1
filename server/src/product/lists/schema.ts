import { type Static, type TSchema, type TStringOptions, Type } from 'typebox'
import { listParameters, RecordList } from '../../foundation/kernel/list-pages.ts'
import {
  ClosedObject,
  Count,
  Described,
  GrowingEnum,
  linePattern,
  Nullable,
  ObjectKind,
  OneOf,
  RequestId,
  Timestamp,
  textPattern,
} from '../../foundation/kernel/shapes.ts'
import { ContactPersonFilters, ContactStoreFilters, StoreSearchFilters } from '../../search/query/filters.ts'
import { ContactId, invalidContactId, LastNameObfuscated, personProperties } from '../delivery/contact-preview.ts'
import { Domain, StoreId, StoreName } from '../delivery/store-document.ts'
import { Exclude } from '../exclusion/exclude.ts'

const maxNamed = 1_000
const maxFound = 10_000

const listKinds = ['stores', 'contacts'] as const
export type ListKind = (typeof listKinds)[number]
const Kind = OneOf(listKinds, { description: 'What the list is to hold: stores or contacts.' })

const Name = Type.String({
  minLength: 1,
  maxLength: 120,
  pattern: linePattern,
  description: 'Unique among the lists of the account, compared without case.',
  examples: ['Shops for spring'],
})
const Description = Nullable(
  Type.String({ maxLength: 1_000, pattern: textPattern, description: 'What the list is for; null for no text.' }),
)

export const NewList = ClosedObject(
  { name: Name, kind: Kind, description: Type.Optional(Description) },
  { title: 'NewList', description: 'The list to create.' },
)
export type NewList = Static<typeof NewList>

export const ListChanges = ClosedObject(
  { name: Type.Optional(Name), description: Type.Optional(Description) },
  { title: 'ListChanges', description: 'What is left out stays; a description of null is removed.' },
)
export type ListChanges = Static<typeof ListChanges>

const ListId = Type.String({
  pattern: '^lst_[a-z]+_[A-Za-z]{16}$',
  maxLength: 25,
  description: 'Id of the list.',
  examples: ['lst_live_VbNmPkJhGfDsWqRt'],
})
const Items = Count('Stores or contacts in the list, without those that are pending.')
const Pending = Count('Domains that wait for an import to bring their store; they are not among the items.')

export const List = ClosedObject(
  {
    id: ListId,
    object: GrowingEnum<'list_of_stores' | 'list_of_contacts'>('What this object is.', {
      list_of_stores: null,
      list_of_contacts: null,
    }),
    name: Type.String({ maxLength: 120, description: 'Name of the list.', examples: ['Shops for spring'] }),
    kind: GrowingEnum<ListKind>('What the list holds.', { stores: null, contacts: null }),
    description: Nullable(Type.String({ maxLength: 1_000, description: 'What the list is for; null without a text.' })),
    items: Items,
    pending: Pending,
    created_at: Timestamp('When the list was created, in UTC.'),
    updated_at: Timestamp('When its name, description or items changed last, in UTC.'),
    request_id: Type.Optional({
      ...RequestId,
      description: 'Names the reply, as the X-Request-Id header does. Only in the reply to a call for one list.',
    }),
  },
  { title: 'List', description: 'A list of stores or of contacts; its items are read by GET /lists/{id}/items.' },
)
export type List = Static<typeof List>

/** A page with a name of its own in the API document. */
const NamedPage = <T extends TSchema>(item: T, title: string) => ({ ...RecordList(item), title })

export const ListPage = NamedPage(List, 'ListPage')
export const ListPageQuery = ClosedObject(
  { kind: Type.Optional({ ...Kind, description: 'Lists of this kind only.' }), ...listParameters },
  { title: 'ListPageQuery' },
)
export type ListPageQuery = Static<typeof ListPageQuery>

export const ListDeleted = ClosedObject(
  { object: ObjectKind('deleted'), id: ListId, request_id: RequestId },
  { title: 'ListDeleted', description: 'The list was deleted.' },
)
export type ListDeleted = Static<typeof ListDeleted>

const Named = (what: string, item: TStringOptions) =>
  Type.Optional(Type.Array(Type.String(item), { maxItems: maxNamed, description: what }))

const ListSource = ClosedObject(
  {
    filters: Type.Optional(Described(StoreSearchFilters, 'For a list of stores: which stores.')),
    exclude: Type.Optional(Described(Exclude, 'What to leave out.')),
    person: Type.Optional(Described(ContactPersonFilters, 'For a list of contacts: which contacts.')),
    store: Type.Optional(Described(ContactStoreFilters, 'For a list of contacts: contacts of which stores.')),
    max_contacts_per_store: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10,
        description: 'The most contacts of each store, as in a search of contacts; 1 if left out.',
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
    from: Type.Optional(Described(ListSource, 'A search, whose first results are meant.')),
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

const itemCounts = { items: Items, pending: Pending, request_id: RequestId }

export const ListItemsAdded = ClosedObject(
  {
    added: Count('Items that the list did not have.'),
    already: Count('Items that it had.'),
    unknown: Type.Array(Type.String({ maxLength: 16_000 }), {
      maxItems: 2 * maxNamed,
      description: 'Domains that no store has, in their normal form, which are kept as pending; ids that name nothing.',
    }),
    ...itemCounts,
  },
  { title: 'ListItemsAdded', description: 'What was added, and what the list holds now.' },
)
export type ListItemsAdded = Static<typeof ListItemsAdded>

export const ListItemsRemoved = ClosedObject(
  {
    removed: Count('Items and pending domains that were taken off.'),
    absent: Count('Values that the list did not have.'),
    ...itemCounts,
  },
  { title: 'ListItemsRemoved', description: 'What was removed, and what the list holds now.' },
)
export type ListItemsRemoved = Static<typeof ListItemsRemoved>

const AddedAt = Timestamp('When it was added to the list, in UTC.')

const StoreListItem = ClosedObject(
  {
    store_id: Nullable({ ...StoreId, description: 'Id of the store; null for a pending domain.' }),
    domain: { ...Domain, description: 'Main domain of the store, or the pending domain.' },
    name: Nullable({ ...StoreName, description: 'Name of the store; null for a pending domain.' }),
    pending: Type.Boolean({ description: 'Whether the domain waits for its store; then it has neither id nor name.' }),
    added_at: AddedAt,
  },
  { title: 'StoreListItem', description: 'A store in a list of stores, or a domain that waits for its store.' },
)
export type StoreListItem = Static<typeof StoreListItem>

const ContactListItem = ClosedObject(
  {
    contact_id: ContactId,
    first_name: personProperties.first_name,
    last_name_obfuscated: LastNameObfuscated,
    store_id: StoreId,
    domain: Domain,
    added_at: AddedAt,
  },
  { title: 'ContactListItem', description: 'A contact in a list of contacts.' },
)
export type ContactListItem = Static<typeof ContactListItem>

export const ListItemPage = NamedPage(Type.Union([StoreListItem, ContactListItem]), 'ListItemPage')
export type ListItemPage = Static<typeof ListItemPage>
export const ListItemQuery = ClosedObject(listParameters, { title: 'ListItemQuery' })
export type ListItemQuery = Static<typeof ListItemQuery>
