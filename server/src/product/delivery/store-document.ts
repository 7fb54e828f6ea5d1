import buildSerializer from 'fast-json-stringify'
import { type Static, Type } from 'typebox'
import {
  ClosedObject,
  Count,
  Described,
  GrowingEnum,
  Nullable,
  ObjectKind,
  OneOf,
  RequestId,
  TaxonomyValue,
  Timestamp,
} from '../../foundation/kernel/shapes.ts'

/** The most apps that an import accepts for one store, and the most pixels. */
export const maxTechnologies = 500

/** The apps and pixels of a store in a reply. */
export const technologyLists = {
  apps: Type.Array(TaxonomyValue(), {
    maxItems: maxTechnologies,
    description: 'Apps that the store uses, as values of the taxonomy.',
    examples: [['klaviyo']],
  }),
  pixels: Type.Array(TaxonomyValue(), {
    maxItems: maxTechnologies,
    description: 'Tracking pixels that the store uses, as values of the taxonomy.',
    examples: [['meta_pixel']],
  }),
}

export const StoreTechnologies = ClosedObject(
  {
    ...technologyLists,
    theme: ClosedObject(
      {
        name: Nullable(Type.String({ maxLength: 200, description: 'Name of the theme; null if unknown.' })),
        type: Nullable(
          GrowingEnum('Type of the theme, as a value of the taxonomy; null if unknown.', {
            free: null,
            paid: null,
            custom: 'made for this store',
          }) as ReturnType<typeof Type.Unsafe<string>>,
        ),
      },
      { title: 'StoreTheme', description: 'The theme of the store.' },
    ),
  },
  { title: 'StoreTechnologies', description: 'What the store is built with.' },
)

export const storeIdPattern = '^st_[A-Za-z]+_[A-Za-z]{16}$'

/** The id of a store in a reply. */
export const StoreId = Type.String({
  pattern: storeIdPattern,
  maxLength: 24,
  description: 'Id of the store. It stays the same when its domain changes.',
  examples: ['st_live_KqWvTzHbNcRyLpXm'],
})
export const Domain = Type.String({
  maxLength: 253,
  description: 'Main domain of the store, in lower case, without a path.',
  examples: ['aurora-candles.example'],
})
export const StoreName = Type.String({
  maxLength: 500,
  description: 'Name of the store; its domain if no name is known.',
  examples: ['Aurora Candles'],
})

export const StoreCategory = Nullable(
  TaxonomyValue({
    description: 'What the store sells, as a category of the taxonomy; null if unknown.',
    examples: ['home_garden'],
  }),
)
export const TrafficTier = Nullable(
  TaxonomyValue({
    description: 'Estimated visits a month, as a tier of the taxonomy, which has the bounds; null if unknown.',
    examples: ['10k_50k'],
  }),
)

const CreatedAt = ClosedObject(
  {
    estimate: Nullable(
      Timestamp('Estimated moment, in UTC; null if unknown. Read it no more exactly than resolution says.'),
    ),
    resolution: Nullable(
      OneOf(['exact', 'month', 'year'], {
        description:
          'How exact the estimate is. exact: to the day or better. month, year: some time in the month or year of the estimate. null: unknown.',
      }),
    ),
    source: Nullable(
      GrowingEnum('Where the estimate comes from; null if unknown.', {
        platform: 'the store platform says it',
        domain_registration: 'the domain was registered',
        certificate_log: 'first certificate for the domain in a public log',
        first_product: 'oldest product of the store',
        first_page: 'oldest dated page of the store',
        web_archive: 'first copy in a web archive',
        first_discovered: 'when the store was first seen',
      }) as ReturnType<typeof Type.Unsafe<string>>,
    ),
    confidence: Nullable(
      OneOf(['high', 'medium', 'low'], {
        description:
          'How certain the estimate is, as the supplier of the catalogue judges it: high, medium or low; it does not follow from source or resolution. null: not judged.',
      }),
    ),
  },
  { title: 'StoreCreatedAt', description: 'When the store was created, as an estimate with its basis.' },
)

/** A store as every endpoint returns it. Technologies come last, so that `withoutTechnologies` can cut them off. */
export const Store = ClosedObject(
  {
    id: StoreId,
    object: ObjectKind('store'),
    domain: Domain,
    name: StoreName,
    category: StoreCategory,
    country: Nullable(
      TaxonomyValue({
        description: 'Where the store is, as an ISO 3166-1 alpha-2 code; null if unknown.',
        examples: ['DE'],
      }),
    ),
    traffic_tier: TrafficTier,
    revenue_tier: Nullable(
      TaxonomyValue({
        description:
          'Estimated revenue a month in USD, as a tier of the taxonomy, which has the bounds; null if unknown.',
        examples: ['50k_100k'],
      }),
    ),
    platform_plus: Type.Boolean({ description: "Whether the store is on the store platform's premium tier." }),
    lead_fit_score: Nullable(
      Type.Number({
        description:
          'How well the store fits as a lead, as the supplier of the catalogue rates it: a number without a unit, greater is better. Its scale is that of the catalogue, 0 to 100 in the sandbox; the service sets no bounds. null: not rated. Searches return the greatest first, stores without a score last.',
        examples: [71.5],
      }),
    ),
    store_created_at: Nullable(CreatedAt, 'When the store was created, as an estimate; null if nothing is known.'),
    first_discovered_at: Nullable(
      Timestamp('When the store was first seen by the source of the data, in UTC; null if unknown.'),
    ),
    contacts_summary: ClosedObject(
      {
        total: Count('Contacts on file, revealable or not.'),
        has_revealable_contacts: Type.Boolean({
          description: 'Whether at least one contact has a channel that a reveal may deliver.',
        }),
        verified_email_count: Count('Verified emails of all contacts.'),
        roles: Type.Array(TaxonomyValue(), {
          maxItems: 1000,
          description: 'Roles that contacts of the store have, as values of the taxonomy.',
          examples: [['founder', 'marketing']],
        }),
      },
      { title: 'ContactsSummary', description: 'What is on file about the contacts of the store.' },
    ),
    technologies: Type.Optional(
      Described(
        StoreTechnologies,
        'What the store is built with. Always there, but in an enrichment whose include does not list technologies.',
      ),
    ),
    request_id: Type.Optional({
      ...RequestId,
      description: 'Names the reply, as the X-Request-Id header does. Only in the reply to a lookup of one store.',
    }),
  },
  { title: 'Store', description: 'A store of the catalogue.' },
)
/** A store with all that the catalogue has. */
export type Store = Static<typeof Store> & { technologies: Static<typeof StoreTechnologies> }

/**
 * An import renders the public JSON of a store with the API's schema and stores the text, which replies copy. A field that
 * the schema lacks cannot reach a reply. The version is stored with each document.
 */
export const documentVersion = 1

const serialize = buildSerializer(Store as object)

export function renderStore(store: Store): string {
  return serialize(store)
}

export function parseStore(document: string): Store {
  return JSON.parse(document) as Store
}

const technologiesStart = ',"technologies":'

/** The document without its technologies. The marker cannot occur inside a JSON string, whose quotes are escaped. */
export function withoutTechnologies(document: string): string {
  return `${document.slice(0, document.lastIndexOf(technologiesStart))}}`
}
