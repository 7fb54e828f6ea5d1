import buildSerializer from 'fast-json-stringify'
import { type Static, Type } from 'typebox'
import { ClosedObject, Nullable, RequestId, TaxonomyValue, Timestamp } from '../kernel/shapes.ts'

/** An import takes no more than this many apps, and as many pixels, for one store. */
export const maxTechnologies = 500

const Technologies = ClosedObject({
  apps: Type.Array(TaxonomyValue(), { maxItems: maxTechnologies }),
  pixels: Type.Array(TaxonomyValue(), { maxItems: maxTechnologies }),
  theme: ClosedObject({ name: Nullable(Type.String({ maxLength: 200 })), type: Nullable(TaxonomyValue()) }),
})

export const storeIdPattern = '^st_[A-Za-z]+_[A-Za-z]{16}$'

export const Domain = Type.String({ format: 'hostname', maxLength: 253, examples: ['aurora-candles.example'] })
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
    ClosedObject({
      estimate: Nullable(Timestamp('When the store opened, as well as is known.')),
      resolution: Nullable(Type.Union([Type.Literal('exact'), Type.Literal('month'), Type.Literal('year')])),
      source: Nullable(TaxonomyValue()),
      confidence: Nullable(Type.Union([Type.Literal('high'), Type.Literal('medium'), Type.Literal('low')])),
    }),
  ),
  first_discovered_at: Nullable(Timestamp('When the store was first seen.')),
  contacts_summary: ClosedObject({
    total: Type.Integer({ minimum: 0, description: 'Contacts on file, revealable or not.' }),
    has_revealable_contacts: Type.Boolean(),
    verified_email_count: Type.Integer({ minimum: 0 }),
    roles: Type.Array(TaxonomyValue(), { maxItems: 1000 }),
  }),
}

/** A store as every endpoint tells it. The technologies come last, so that a rendered document can be cut before them. */
export const Store = ClosedObject({ ...storeFields, technologies: Technologies })
export type Store = Static<typeof Store>

/** A store in an enrichment, where the technologies are there only when asked for. */
export const EnrichedStore = ClosedObject({ ...storeFields, technologies: Type.Optional(Technologies) })

export const StoreLookupReply = ClosedObject({ ...storeFields, technologies: Technologies, request_id: RequestId })

/**
 * The public Store JSON is rendered once, when the catalogue changes, with the contract's own schema, and kept as text:
 * replies splice it. What the schema lacks cannot get into a document, so it cannot leave in a reply.
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

/** The same document without its technologies. Inside a JSON string the quotes would be escaped, so the cut is exact. */
export function withoutTechnologies(document: string): string {
  return `${document.slice(0, document.lastIndexOf(technologiesStart))}}`
}
