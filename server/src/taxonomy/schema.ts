import { Type } from 'typebox'
import { Closed, Nullable, RequestId, Word } from '../kernel/shapes.ts'
import type { Facet } from '../search/query/vocabulary.ts'

const item = {
  value: Word({ description: 'What filters, records and replies say.' }),
  label: Type.String({ maxLength: 200, description: 'What people read.' }),
  deprecated: Type.Optional(
    Type.Literal(true, { description: 'Only there when the value is kept for old data and should not be used anew.' }),
  ),
}

// Extensions by imports can add many.
const maxItems = 100_000

const Items = Type.Array(Closed(item), { maxItems })
const Categories = Type.Array(
  Closed({ ...item, parent: Nullable(Word({ description: 'The category above; null at the top.' })) }),
  { maxItems, examples: [[{ value: 'home_garden_decor', label: 'Decor', parent: 'home_garden' }]] },
)
const Tiers = (description: string) =>
  Type.Array(
    Closed({
      ...item,
      min: Nullable(Type.Integer({ description: 'Lower end, inclusive.' })),
      max: Nullable(Type.Integer({ description: 'Upper end, exclusive; null for the open one.' })),
    }),
    { maxItems, description },
  )
const Technologies = Type.Array(Closed({ ...item, category: Nullable(Word({ description: 'What it is for.' })) }), {
  maxItems,
  examples: [[{ value: 'klaviyo', label: 'Klaviyo', category: 'email_marketing' }]],
})

const contentFields = {
  object: Type.Literal('taxonomy'),
  version: Word({ description: 'Changes whenever the content does.' }),
  categories: Categories,
  countries: Type.Array(Closed(item), { maxItems, description: 'ISO 3166-1 alpha-2.' }),
  traffic_tiers: Tiers('Monthly visits.'),
  revenue_tiers: Tiers('Monthly revenue in USD.'),
  theme_types: Items,
  roles: Items,
  seniorities: Items,
  apps: Technologies,
  pixels: Technologies,
}

/** The reply without what differs from request to request. */
export const TaxonomyContent = Closed(contentFields)

export const TaxonomyReply = Closed({ ...contentFields, request_id: RequestId })

/** Where the values of a facet stand in the reply; the catalogue's files have the same names. */
export const facetLists = {
  category: 'categories',
  country: 'countries',
  traffic_tier: 'traffic_tiers',
  revenue_tier: 'revenue_tiers',
  theme_type: 'theme_types',
  role: 'roles',
  seniority: 'seniorities',
  app: 'apps',
  pixel: 'pixels',
} as const satisfies Record<Facet, keyof typeof contentFields>
