import type { StoreSearchFilters } from '../../../server/src/search/query/filters.ts'
import { catalogueMoment } from '../catalogue/generate.ts'
import type { ValuesByRank } from '../catalogue/taxonomy.ts'
import type { QuestionClass } from '../engine.ts'

export type QuestionDefinition<Filters> = readonly [name: string, about: string, filters: Filters]

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** The store searches of the set. Values are chosen by frequency: 0 is the most frequent. */
export function storeQuestions(
  values: ValuesByRank,
): Record<Exclude<QuestionClass, 'contact'>, QuestionDefinition<StoreSearchFilters>[]> {
  const { app, apps, pixel, pixels, category, categories, country, countries, traffic, revenue } = values
  const before = (days: number, lengthMs: number) => {
    const from = catalogueMoment - days * dayMs
    return { from: new Date(from).toISOString(), to: new Date(from + lengthMs).toISOString() }
  }
  const since = (days: number) => ({ from: before(days, 0).from })
  return {
    broad: [
      ['B1', 'everything', {}],
      ['B2', 'the largest country', { countries: [country(0)] }],
      ['B3', 'the largest category', { categories: [category(0)] }],
      ['B4', 'three upper traffic tiers', { traffic_tiers: traffic(4, 5, 6) }],
      ['B5', 'two lower revenue tiers', { revenue_tiers: revenue(0, 1) }],
      ['B6', 'not premium', { platform_plus: false }],
      ['B7', 'free or bought themes', { themes: { types: ['free', 'paid'] } }],
      ['B8', 'the most used app', { apps: { any: [app(0)] } }],
      ['B9', 'somebody to reveal', { contacts: { has_revealable_contacts: true } }],
      ['B10', 'any ads at all', { meta_ads: { active_ads_min: 1 } }],
      ['B11', 'opened in the last five years', { store_created_at: since(5 * 365) }],
      ['B12', 'discovered in the last two years', { first_discovered_at: since(2 * 365) }],
      ['B13', 'five largest countries', { countries: countries(0, 5) }],
      ['B14', 'a marketer on file', { contacts: { roles_any: ['marketing'] } }],
    ],
    typical: [
      [
        'T1',
        'country, category, three tiers',
        { countries: [country(0)], categories: [category(0)], traffic_tiers: traffic(2, 3, 4) },
      ],
      [
        'T2',
        'two countries, two categories, either of two apps',
        {
          countries: countries(1, 3),
          categories: categories(2, 4),
          apps: { any: apps(10, 12) },
        },
      ],
      ['T3', 'two apps together in a country', { countries: [country(0)], apps: { all: [app(2), app(7)] } }],
      [
        'T4',
        'a whole branch of categories, middle revenue',
        { categories: [values.branch(0)], revenue_tiers: revenue(3, 4) },
      ],
      ['T5', 'premium in a country', { platform_plus: true, countries: [country(2)] }],
      [
        'T6',
        'either of two pixels, some ads, a country',
        { pixels: { any: pixels(1, 3) }, meta_ads: { active_ads_min: 5 }, countries: [country(0)] },
      ],
      [
        'T7',
        'own themes with much traffic in a country',
        { themes: { types: ['custom'] }, traffic_tiers: traffic(5, 6), countries: [country(3)] },
      ],
      [
        'T8',
        'opened in the last year, category, country',
        { store_created_at: since(365), categories: [category(1)], countries: [country(0)] },
      ],
      [
        'T9',
        'discovered in the last month, with a pixel',
        { first_discovered_at: since(30), pixels: { all: [pixel(0)] } },
      ],
      [
        'T10',
        'one app and not its rival, in a country, middle revenue',
        { apps: { any: [app(4)], none: [app(3)] }, countries: [country(0)], revenue_tiers: revenue(2, 3, 4) },
      ],
      [
        'T11',
        'founders known, country, category',
        { contacts: { roles_any: ['founder'] }, countries: [country(1)], categories: [category(3)] },
      ],
      [
        'T12',
        'any, all and none of apps in a country',
        { apps: { any: apps(5, 10), all: [app(0)], none: apps(20, 25) }, countries: [country(0)] },
      ],
      [
        'T13',
        'somebody to reveal, category, upper revenue',
        {
          contacts: { has_revealable_contacts: true },
          categories: [category(5)],
          revenue_tiers: revenue(4, 5, 6),
        },
      ],
      [
        'T14',
        'twenty countries, ten categories, three tiers',
        { countries: countries(2, 22), categories: categories(4, 14), traffic_tiers: traffic(1, 2, 3) },
      ],
    ],
    narrow: [
      ['N1', 'a rare app in the largest country', { apps: { all: [app(900)] }, countries: [country(0)] }],
      ['N2', 'any of five rare apps', { apps: { any: apps(1_000, 1_005) } }],
      [
        'N3',
        'middling country and category, premium',
        { countries: [country(12)], categories: [category(25)], platform_plus: true },
      ],
      ['N4', 'three middling apps together', { apps: { all: [app(30), app(45), app(60)] } }],
      ['N5', 'discovered in one hour', { first_discovered_at: before(500, hourMs) }],
      ['N6', 'more ads than nearly everybody', { meta_ads: { active_ads_min: 5_000 } }],
      [
        'N7',
        'a small country, premium, own theme',
        { countries: [country(120)], platform_plus: true, themes: { types: ['custom'] } },
      ],
      ['N8', 'a rare pixel in a small country', { pixels: { any: [pixel(130)] }, countries: [country(60)] }],
      [
        'N9',
        'opened within one week, the most used app',
        { store_created_at: before(1_000, 7 * dayMs), apps: { all: [app(0)] } },
      ],
      [
        'N10',
        'middling category, app and pixel, one tier',
        {
          categories: [category(20)],
          apps: { all: [app(40)] },
          pixels: { all: [pixel(15)] },
          traffic_tiers: traffic(3),
        },
      ],
    ],
    empty: [
      [
        'E1',
        'rarest country, rarest app, highest tier',
        { countries: [country(-1)], apps: { all: [app(-1)] }, traffic_tiers: traffic(6) },
      ],
      ['E2', 'five of the rarest apps together', { apps: { all: apps(1_400, 1_405) } }],
      [
        'E3',
        'opened before any store was',
        { store_created_at: { from: '1990-01-01T00:00:00Z', to: '1990-12-31T00:00:00Z' } },
      ],
      [
        'E4',
        'most ads there can be, lowest tiers',
        { meta_ads: { active_ads_min: 100_000 }, traffic_tiers: traffic(0), revenue_tiers: revenue(0) },
      ],
      [
        'E5',
        'eight frequent apps together, none of eight as frequent ones',
        { apps: { all: apps(4, 12), none: apps(12, 20) }, pixels: { all: pixels(2, 7) } },
      ],
      [
        'E6',
        'opened in one hour, discovered in another',
        { store_created_at: before(700, hourMs), first_discovered_at: before(300, hourMs) },
      ],
    ],
    adversarial: [
      [
        'X1',
        'highest traffic, lowest revenue, premium',
        { traffic_tiers: traffic(6), revenue_tiers: revenue(0), platform_plus: true },
      ],
      ['X2', 'highest traffic, lowest revenue', { traffic_tiers: traffic(6), revenue_tiers: revenue(0) }],
      [
        'X3',
        'none of the fifty most used apps, one rare',
        { apps: { all: [app(700)], none: apps(0, 50) }, pixels: { none: pixels(0, 10) } },
      ],
      ['X4', 'nothing but fifty apps excluded', { apps: { none: apps(0, 50) } }],
      ['X5', 'the seven most used apps together', { apps: { all: apps(0, 7) } }],
      [
        'X6',
        'lowest traffic, highest revenue, a country',
        {
          traffic_tiers: traffic(0),
          revenue_tiers: revenue(6),
          countries: [country(0)],
        },
      ],
      ['X7', 'any of fifty middling apps, none of the top fifty', { apps: { any: apps(100, 150), none: apps(0, 50) } }],
      ['X8', 'any of fifty rare apps', { apps: { any: apps(1_300, 1_350) } }],
      [
        'X9',
        'broad and broad and rare',
        { apps: { all: [app(0)] }, countries: [country(0)], pixels: { all: [pixel(-1)] } },
      ],
      [
        'X10',
        'any of fifty apps, none of fifty, none of 38 pixels',
        { apps: { any: apps(50, 100), none: apps(0, 50) }, pixels: { none: pixels(0, 38) } },
      ],
      [
        'X11',
        'one hour and long lists',
        {
          first_discovered_at: before(900, hourMs),
          countries: countries(0, 50),
          categories: categories(0, 50),
          traffic_tiers: traffic(0, 1, 2, 3, 4, 5),
        },
      ],
      ['X12', 'a thousand ads at the lowest tier', { meta_ads: { active_ads_min: 1_000 }, traffic_tiers: traffic(0) }],
      [
        'X13',
        'fifty apps and fifty pixels excluded, premium',
        { apps: { none: apps(0, 50) }, pixels: { none: pixels(0, 50) }, platform_plus: true },
      ],
      [
        'X14',
        'two apps, none of twenty, none of eight pixels, a tier',
        {
          apps: { all: [app(1), app(8)], none: apps(9, 29) },
          pixels: { none: pixels(0, 8) },
          traffic_tiers: traffic(5),
        },
      ],
      [
        'X15',
        'premium at the lowest tiers',
        { platform_plus: true, revenue_tiers: revenue(0), traffic_tiers: traffic(0) },
      ],
      [
        'X16',
        'fifty values in each list',
        {
          countries: countries(0, 50),
          categories: categories(0, 50),
          apps: { any: apps(0, 50), none: apps(50, 100) },
          pixels: { any: pixels(0, 50), none: pixels(50, 100) },
        },
      ],
      [
        'X17',
        'ten years wide, one day narrow, not premium',
        { store_created_at: since(10 * 365), first_discovered_at: before(100, dayMs), platform_plus: false },
      ],
      [
        'X18',
        'many ads, not premium, none of twenty apps',
        { meta_ads: { active_ads_min: 200 }, platform_plus: false, apps: { none: apps(0, 20) } },
      ],
      [
        'X19',
        'a marketer on file and nobody to reveal',
        { contacts: { roles_any: ['marketing'], has_revealable_contacts: false } },
      ],
      [
        'X20',
        'lowest tiers, any of ten rare apps, none of ten frequent',
        {
          traffic_tiers: traffic(0),
          revenue_tiers: revenue(0),
          apps: { any: apps(800, 810), none: apps(0, 10) },
        },
      ],
    ],
  }
}
