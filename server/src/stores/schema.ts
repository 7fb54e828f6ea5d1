import { type Static, Type } from 'typebox'
import { Closed, Moment, Nullable, RequestId } from '../kernel/shapes.ts'

export const Mode = Type.Union([Type.Literal('live'), Type.Literal('test')])

export const Technologies = Closed({
  apps: Type.Array(Type.String()),
  pixels: Type.Array(Type.String()),
  theme: Closed({ name: Nullable(Type.String()), type: Nullable(Type.String()) }),
})

const storeFields = {
  id: Type.String({ pattern: '^st_[A-Za-z]+_[A-Za-z]{16}$', examples: ['st_live_KqWvTzHbNcRyLpXm'] }),
  object: Type.Literal('store'),
  domain: Type.String({ examples: ['aurora-candles.example'] }),
  name: Type.String({ examples: ['Aurora Candles'] }),
  category: Nullable(Type.String({ examples: ['home_garden'] })),
  country: Nullable(Type.String({ examples: ['DE'] })),
  traffic_tier: Nullable(Type.String({ examples: ['10k_50k'] })),
  revenue_tier: Nullable(Type.String({ examples: ['50k_100k'] })),
  platform_plus: Type.Boolean(),
  lead_fit_score: Nullable(Type.Number()),
  store_created_at: Nullable(
    Closed({
      estimate: Nullable(Moment('When the store opened, as well as is known.')),
      resolution: Nullable(Type.Union([Type.Literal('exact'), Type.Literal('month'), Type.Literal('year')])),
      source: Nullable(Type.String()),
      confidence: Nullable(Type.Union([Type.Literal('high'), Type.Literal('medium'), Type.Literal('low')])),
    }),
  ),
  first_discovered_at: Nullable(Moment('When the store was first seen.')),
  contacts_summary: Closed({
    total: Type.Integer({ minimum: 0, description: 'Contacts on file, revealable or not.' }),
    has_revealable_contacts: Type.Boolean(),
    verified_email_count: Type.Integer({ minimum: 0 }),
    roles: Type.Array(Type.String()),
  }),
}

/** A store as every endpoint tells it. The technologies come last, so that a rendered document can be cut before them. */
export const Store = Closed({ ...storeFields, technologies: Technologies })
export type Store = Static<typeof Store>

/** A store in an enrichment, where the technologies are there only when asked for. */
export const EnrichedStore = Closed({ ...storeFields, technologies: Type.Optional(Technologies) })

export const StoreLookupReply = Closed({ ...storeFields, technologies: Technologies, request_id: RequestId })
