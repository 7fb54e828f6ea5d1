import buildSerializer from 'fast-json-stringify'
import { type Static, Type } from 'typebox'
import { ClosedObject, Nullable, RequestId, TaxonomyValue, Timestamp } from '../../foundation/kernel/shapes.ts'

/** The most apps that an import accepts for one store, and the most pixels. */
export const maxTechnologies = 500

const Technologies = ClosedObject(
  {
    apps: Type.Array(TaxonomyValue(), { maxItems: maxTechnologies }),
    pixels: Type.Array(TaxonomyValue(), { maxItems: maxTechnologies }),
    theme: ClosedObject(
      { name: Nullable(Type.String({ maxLength: 200 })), type: Nullable(TaxonomyValue()) },
      { title: 'StoreTheme' },
    ),
  },
  { title: 'StoreTechnologies' },
)

export const storeIdPattern = '^st_[A-Za-z]+_[A-Za-z]{16}$'

export const Domain = Type.String({ maxLength: 253, examples: ['aurora-candles.example'] })
export const StoreName = Type.String({ maxLength: 500, examples: ['Aurora Candles'] })

const storeFields = {
  id: Type.String({ pattern: storeIdPattern, maxLength: 24, examples: ['st_live_KqWvTzHbNcRyLpXm'] }),
  object: Type.Literal('store'),
  domain: Domain,
  name: StoreName,
  category: Nullable(TaxonomyValue({ examples: ['home_garden'] })),
  country: Nullable(TaxonomyValue({ examples: ['DE'] })),
  traffic_tier: Nullable(TaxonomyValue({ examples: ['10k_50k'] })),
  revenue_tier: Nullable(TaxonomyValue({ examples: ['50k_100k'] })),
  platform_plus: Type.Boolean(),
  lead_fit_score: Nullable(Type.Number()),
  store_created_at: Nullable(
    ClosedObject(
      {
        estimate: Nullable(Timestamp('Estimated opening time of the store.')),
        resolution: Nullable(Type.Union([Type.Literal('exact'), Type.Literal('month'), Type.Literal('year')])),
        source: Nullable(TaxonomyValue()),
        confidence: Nullable(Type.Union([Type.Literal('high'), Type.Literal('medium'), Type.Literal('low')])),
      },
      { title: 'StoreCreatedAt' },
    ),
  ),
  first_discovered_at: Nullable(Timestamp('When the store was first seen.')),
  contacts_summary: ClosedObject(
    {
      total: Type.Integer({ minimum: 0, description: 'Contacts on file, revealable or not.' }),
      has_revealable_contacts: Type.Boolean(),
      verified_email_count: Type.Integer({ minimum: 0 }),
      roles: Type.Array(TaxonomyValue(), { maxItems: 1000 }),
    },
    { title: 'ContactsSummary' },
  ),
}

/** A store as every endpoint returns it. Technologies come last, so that `withoutTechnologies` can cut them off. */
export const Store = ClosedObject({ ...storeFields, technologies: Technologies }, { title: 'Store' })
export type Store = Static<typeof Store>

/** A store in an enrichment, with technologies only if requested. */
export const EnrichedStore = ClosedObject(
  { ...storeFields, technologies: Type.Optional(Technologies) },
  { title: 'EnrichedStore' },
)

export const StoreLookupReply = ClosedObject(
  { ...storeFields, technologies: Technologies, request_id: RequestId },
  { title: 'StoreLookupReply' },
)

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
