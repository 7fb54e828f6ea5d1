import { createHash } from 'node:crypto'
import buildSerializer from 'fast-json-stringify'
import { Type } from 'typebox'
import type { Queryable } from '../../foundation/db/pool.ts'
import { ClosedObject, Nullable, ObjectKind, RequestId, TaxonomyValue } from '../../foundation/kernel/shapes.ts'
import { type Facet, facets, Vocabulary } from '../query/vocabulary.ts'
import { readTaxonomy, readTaxonomyVersion, type TaxonomyRow } from './queries.ts'

const item = {
  value: TaxonomyValue({ description: 'The value as used in filters, records and replies.' }),
  label: Type.String({ maxLength: 200, description: 'The label to show to people.' }),
  deprecated: Type.Optional(
    Type.Literal(true, {
      description: 'Present if the value is kept for old data only and should not be used in new requests.',
    }),
  ),
}

// Extensions by imports can add many.
const maxItems = 100_000

const Item = ClosedObject(item, { title: 'TaxonomyItem', description: 'A value with its label.' })
const Items = (description: string) => Type.Array(Item, { maxItems, description })
const Tier = ClosedObject(
  {
    ...item,
    min: Nullable(Type.Integer({ description: 'Lower bound, inclusive; null if there is none.' })),
    max: Nullable(Type.Integer({ description: 'Upper bound, exclusive; null for the highest tier.' })),
  },
  { title: 'TaxonomyTier', description: 'A tier with its label and bounds.' },
)
const Technology = ClosedObject(
  {
    ...item,
    category: Nullable(
      TaxonomyValue({
        description: 'What the technology is used for; null if unknown.',
        examples: ['email_marketing'],
      }),
    ),
  },
  { title: 'TaxonomyTechnology', description: 'An app or a pixel.' },
)
const Technologies = (description: string) =>
  Type.Array(Technology, {
    maxItems,
    description,
    examples: [[{ value: 'klaviyo', label: 'Klaviyo', category: 'email_marketing' }]],
  })

const contentFields = {
  object: ObjectKind('taxonomy'),
  version: TaxonomyValue({ description: 'Changes whenever the content changes.' }),
  categories: Type.Array(
    ClosedObject(
      {
        ...item,
        parent: Nullable(TaxonomyValue({ description: 'The parent category; null at the top level.' })),
      },
      { title: 'TaxonomyCategory', description: 'A category of what stores sell.' },
    ),
    {
      maxItems,
      description: 'What stores sell, as a tree of categories.',
      examples: [[{ value: 'home_garden_decor', label: 'Decor', parent: 'home_garden' }]],
    },
  ),
  countries: Items('Countries, by ISO 3166-1 alpha-2 code.'),
  traffic_tiers: Type.Array(Tier, { maxItems, description: 'Tiers of visits a month.' }),
  revenue_tiers: Type.Array(Tier, { maxItems, description: 'Tiers of revenue a month, in USD.' }),
  theme_types: Items('Types of theme.'),
  roles: Items('Roles of contacts.'),
  seniorities: Items('Seniorities of contacts.'),
  apps: Technologies('Apps that stores use.'),
  pixels: Technologies('Tracking pixels that stores use.'),
}

/** The reply without what differs from request to request. */
const TaxonomyContent = ClosedObject(contentFields)

export const TaxonomyReply = ClosedObject(
  { ...contentFields, request_id: RequestId },
  {
    title: 'Taxonomy',
    description:
      'The values of filters and replies, with their labels. Values can be added at any time; none is removed.',
  },
)

/** The name of each facet's list in the reply; the taxonomy files have the same names. */
export const facetListNames = {
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

/** One version of the taxonomy: the vocabulary of filters and the reply of `GET /taxonomy`. Immutable. */
export interface Taxonomy {
  /** The database's change counter. */
  version: number
  vocabulary: Vocabulary
  /** The rendered reply without its request id. */
  content: string
  /** Strong ETag, a hash of the content: equal in all processes that serve the same content. */
  etag: string
}

export async function loadTaxonomy(db: Queryable): Promise<Taxonomy> {
  const { version, values } = await readTaxonomy(db)
  return { version, vocabulary: new Vocabulary(values), ...renderContent(values) }
}

/** Adds the request id to the rendered content. */
export function renderTaxonomyReply(taxonomy: Taxonomy, requestId: string): string {
  return `${taxonomy.content.slice(0, -1)},"request_id":${JSON.stringify(requestId)}}`
}

const serialize = buildSerializer(TaxonomyContent as object)

function renderContent(values: TaxonomyRow[]): { content: string; etag: string } {
  const itemsOf = (facet: Facet) =>
    values
      .filter((row) => row.facet === facet)
      .map(({ deprecated, ...item }) => (deprecated ? { ...item, deprecated } : item))
  const lists = Object.fromEntries(facets.map((facet) => [facetListNames[facet], itemsOf(facet)]))
  const render = (version: string) => serialize({ object: 'taxonomy', version, ...lists })
  const hash = createHash('sha256').update(render('')).digest('hex')
  return { content: render(hash.slice(0, 12)), etag: `"${hash.slice(0, 32)}"` }
}

/** The taxonomy that this process serves, refreshed from the database. A request reads `current` once. */
export class LiveTaxonomy {
  readonly #db: Queryable
  #current: Taxonomy
  #lastRefresh: Promise<unknown> = Promise.resolve()

  private constructor(db: Queryable, current: Taxonomy) {
    this.#db = db
    this.#current = current
  }

  static async open(db: Queryable): Promise<LiveTaxonomy> {
    return new LiveTaxonomy(db, await loadTaxonomy(db))
  }

  get current(): Taxonomy {
    return this.#current
  }

  /** Makes `current` at least as new as this call. Refreshes run one after another, so none overwrites a newer one. */
  refresh(): Promise<void> {
    const refreshed = this.#lastRefresh.then(async () => {
      if ((await readTaxonomyVersion(this.#db)) !== this.#current.version) this.#current = await loadTaxonomy(this.#db)
    })
    this.#lastRefresh = refreshed.catch(() => {})
    return refreshed
  }
}
