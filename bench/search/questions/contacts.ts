import type { ContactPersonFilters, StoreConditions } from '../../../server/src/search/query/filters.ts'
import type { ValuesByRank } from '../catalogue/taxonomy.ts'
import type { QuestionDefinition } from './stores.ts'

/** The filters of a contact search. */
export interface ContactFilters {
  person: ContactPersonFilters
  store?: StoreConditions
  maxPerStore?: number
  /** Restricts the search to this number of listed stores. */
  namedStores?: number
}

export function contactQuestions({
  app,
  apps,
  pixels,
  category,
  categories,
  country,
  countries,
  traffic,
  revenue,
}: ValuesByRank): QuestionDefinition<ContactFilters>[] {
  return [
    ['C1', 'a verified email', { person: { has_verified_email: true } }],
    ['C2', 'founders', { person: { roles_any: ['founder'] } }],
    [
      'C3',
      'marketing decision makers of a country',
      {
        person: { roles_any: ['marketing'], seniority_any: ['decision_maker'] },
        store: { countries: [country(0)] },
      },
    ],
    [
      'C4',
      'executives of a country and a tier',
      {
        person: { seniority_any: ['executive'] },
        store: { countries: [country(1)], traffic_tiers: traffic(4) },
      },
    ],
    [
      'C5',
      'all three channels at premium stores',
      {
        person: { has_verified_email: true, has_phone: true, has_profile: true },
        store: { platform_plus: true },
      },
    ],
    [
      'C6',
      'a role and a seniority that never meet',
      {
        person: { roles_any: ['customer_support'], seniority_any: ['executive'] },
      },
    ],
    [
      'C7',
      'an executive of technology where a rare app is used',
      {
        person: { roles_any: ['technology'], seniority_any: ['executive'] },
        store: { apps: { all: [app(600)] } },
      },
    ],
    [
      'C8',
      'a role in a category, three a store',
      {
        person: { roles_any: ['ecommerce'] },
        store: { categories: [category(2)] },
        maxPerStore: 3,
      },
    ],
    [
      'C9',
      'a role without a verified email',
      {
        person: { roles_any: ['sales'], has_verified_email: false },
        store: { categories: [category(6)] },
      },
    ],
    ['C10', 'everybody, all of each store', { person: {}, maxPerStore: 100 }],
    [
      'C11',
      'eight roles, twenty countries, none of fifty apps',
      {
        person: {
          roles_any: ['marketing', 'growth', 'ecommerce', 'sales', 'product', 'design', 'technology', 'finance'],
          has_verified_email: true,
        },
        store: { countries: countries(0, 20), apps: { none: apps(0, 50) } },
        maxPerStore: 5,
      },
    ],
    [
      'C12',
      'marketers with a phone where any of ten rare apps is used',
      { person: { roles_any: ['marketing'], has_phone: true }, store: { apps: { any: apps(700, 710) } } },
    ],
    [
      'C13',
      'decision makers at fifty named stores',
      {
        person: { seniority_any: ['decision_maker'] },
        namedStores: 50,
        maxPerStore: 10,
      },
    ],
    [
      'C14',
      'others at the highest tiers, three a store',
      {
        person: { seniority_any: ['other'] },
        store: { traffic_tiers: traffic(6), revenue_tiers: revenue(6) },
        maxPerStore: 3,
      },
    ],
    [
      'C15',
      'designers with phone and profile at the lowest tier, none of ten apps and pixels',
      {
        person: { roles_any: ['design'], seniority_any: ['decision_maker'], has_phone: true, has_profile: true },
        store: { revenue_tiers: revenue(0), apps: { none: apps(0, 10) }, pixels: { none: pixels(0, 10) } },
      },
    ],
    [
      'C16',
      'nobody to reveal by email or phone, ten categories, many ads',
      {
        person: { has_verified_email: false, has_phone: false, has_profile: false },
        store: { categories: categories(0, 10), meta_ads: { active_ads_min: 300 } },
      },
    ],
  ]
}
