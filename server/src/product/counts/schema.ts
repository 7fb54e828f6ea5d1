import { type Static, Type } from 'typebox'
import { ClosedObject, Count, Nullable, ObjectKind, OneOf, RequestId } from '../../foundation/kernel/shapes.ts'
import { ContactPersonFilters, ContactStoreFilters, StoreSearchFilters } from '../../search/query/filters.ts'
import { Exclude } from '../exclusion/exclude.ts'

/** The facets that both counts have. */
const sharedFacetNames = [
  'categories',
  'countries',
  'traffic_tiers',
  'revenue_tiers',
  'platform_plus',
  'apps',
  'pixels',
  'theme_types',
] as const
export const storeFacetNames = [...sharedFacetNames, 'contact_roles'] as const
export const contactFacetNames = [...sharedFacetNames, 'roles', 'seniorities'] as const

export type SharedFacetName = (typeof sharedFacetNames)[number]
export type StoreFacetName = (typeof storeFacetNames)[number]
export type ContactFacetName = (typeof contactFacetNames)[number]

export const defaultFacetLimit = 20
const greatestFacetLimit = 100

const facetParameters = <Name extends string>(names: readonly Name[], exception = '') => ({
  facets: Type.Optional(
    Type.Array(OneOf(names), {
      maxItems: names.length,
      description: `The facets to count; a facet that is named twice counts once.${exception}`,
      examples: [names.slice(0, 2)],
    }),
  ),
  facet_limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: greatestFacetLimit,
      default: defaultFacetLimit,
      description: 'The most values of each facet, those with the greatest counts.',
    }),
  ),
})

const FacetValue = ClosedObject(
  {
    value: Type.String({
      maxLength: 64,
      description: 'The value, as filters take it; true and false for platform_plus.',
    }),
    label: Type.String({ maxLength: 200, description: 'The label of the value, for people.' }),
    count: Count('How many a request with this value in its filter would find.'),
  },
  { title: 'FacetValue', description: 'A value of a facet and its count.' },
)
export type FacetValue = Static<typeof FacetValue>

const facetSubjects: Record<StoreFacetName | ContactFacetName, string> = {
  categories: 'category of the store',
  countries: 'country of the store',
  traffic_tiers: 'tier of monthly visits of the store',
  revenue_tiers: 'tier of monthly revenue of the store, in USD',
  platform_plus: "whether the store is on its platform's premium tier",
  apps: 'app that the store uses',
  pixels: 'tracking pixel that the store uses',
  theme_types: 'type of the theme of the store',
  contact_roles: 'role of a contact of the store',
  roles: 'role of the contact',
  seniorities: 'seniority of the contact',
}

const facetLists = <Name extends StoreFacetName | ContactFacetName>(names: readonly Name[]) =>
  Object.fromEntries(
    names.map((name) => [
      name,
      Type.Optional(
        Type.Array(FacetValue, {
          maxItems: greatestFacetLimit,
          description: `Counts by ${facetSubjects[name]}; only if facets lists ${name}.`,
        }),
      ),
    ]),
  ) as Record<Name, ReturnType<typeof Type.Optional<ReturnType<typeof Type.Array<typeof FacetValue>>>>>

const facetsDescription =
  'The facets that were asked for. Their counts leave the condition on the facet itself out, so that other values can be compared; of apps and pixels they leave out any, while all and none hold. Greatest count first, then by value; values without a match are missing.'

const EngineMs = Type.Number({
  minimum: 0,
  description: 'How long the search index took for the count, in milliseconds.',
})

export const StoreCountRequest = ClosedObject(
  { filters: StoreSearchFilters, exclude: Type.Optional(Exclude), ...facetParameters(storeFacetNames) },
  { title: 'StoreCountRequest', description: 'Which stores to count, and by what.' },
)
export type StoreCountRequest = Static<typeof StoreCountRequest>

export const StoreCount = ClosedObject(
  {
    object: ObjectKind('store_count'),
    total: Count('Stores that match.'),
    new_exports: Count('Stores among them that your account has not exported this period.'),
    facets: ClosedObject(facetLists(storeFacetNames), { title: 'StoreFacets', description: facetsDescription }),
    engine_ms: EngineMs,
    request_id: RequestId,
  },
  { title: 'StoreCount', description: 'How many stores match.' },
)
export type StoreCount = Static<typeof StoreCount>

export const ContactCountRequest = ClosedObject(
  {
    person: Type.Optional(ContactPersonFilters),
    store: Type.Optional(ContactStoreFilters),
    exclude: Type.Optional(Exclude),
    max_contacts_per_store: Type.Optional(
      Nullable(
        Type.Integer({
          minimum: 1,
          maximum: 10,
          description:
            'The most contacts counted per store, as a search would return them; null or left out counts all.',
        }),
      ),
    ),
    ...facetParameters(contactFacetNames, ' Refused with store.domains.'),
  },
  { title: 'ContactCountRequest', description: 'Which contacts to count, and by what.' },
)
export type ContactCountRequest = Static<typeof ContactCountRequest>

export const ContactCount = ClosedObject(
  {
    object: ObjectKind('contact_count'),
    contacts: Count('Contacts that match, at most max_contacts_per_store of each store.'),
    stores: Count('Stores that these contacts are at.'),
    unrevealed: Count('Contacts among them that can be revealed and that your account has not revealed yet.'),
    facets: ClosedObject(facetLists(contactFacetNames), {
      title: 'ContactFacets',
      description: `${facetsDescription} They count people.`,
    }),
    engine_ms: EngineMs,
    request_id: RequestId,
  },
  { title: 'ContactCount', description: 'How many contacts match.' },
)
export type ContactCount = Static<typeof ContactCount>
