import type { CreatedAt, StoreRecord, Technologies } from '../records.ts'
import { readFacet } from '../taxonomy/files.ts'

const noTheme: Technologies['theme'] = { name: null, type: null }
const knownOpening: CreatedAt = {
  estimate: '2019-03-01T00:00:00Z',
  resolution: 'month',
  source: 'first_product',
  confidence: 'medium',
}

const wholeRecords: StoreRecord[] = [
  {
    domain: 'sandbox-all-fields.example',
    name: 'Sandbox All Fields',
    aliases: ['sandbox-all-fields.myshopify.example'],
    category: 'home_garden_decor',
    country: 'DE',
    traffic_tier: '10k_50k',
    revenue_tier: '50k_100k',
    platform_plus: true,
    lead_fit_score: 87.5,
    store_created_at: knownOpening,
    first_discovered_at: '2021-06-11T08:00:00Z',
    active_ads: 12,
    technologies: {
      apps: ['judge_me', 'klaviyo', 'recharge'],
      pixels: ['google_analytics', 'meta_pixel'],
      theme: { name: 'Dawn', type: 'free' },
    },
  },
  {
    domain: 'sandbox-nulls.example',
    name: 'Sandbox Nulls',
    aliases: [],
    category: null,
    country: null,
    traffic_tier: null,
    revenue_tier: null,
    platform_plus: false,
    lead_fit_score: null,
    store_created_at: null,
    first_discovered_at: null,
    active_ads: null,
    technologies: { apps: [], pixels: [], theme: noTheme },
  },
  // The record has no more than what every store must have.
  { domain: 'sandbox-omitted.example', name: 'Sandbox Omitted' },
]

const scores: [inHost: string, score: number | null][] = [
  ['score-null', null],
  ['score-0', 0],
  ['score-tenth', 0.1],
  ['score-third', 33.333],
  ['score-99', 99.9],
  ['score-100', 100],
  ['ties-1', 50],
  ['ties-2', 50],
  ['ties-3', 50],
  ['ties-4', 50],
  ['ties-5', 50],
]

const openings: [inHost: string, opening: CreatedAt | null][] = [
  ['null', null],
  ['exact', { ...knownOpening, estimate: '2020-02-29T13:45:10Z', resolution: 'exact', source: 'platform' }],
  ['month', knownOpening],
  ['year', { ...knownOpening, estimate: '2016-01-01T00:00:00Z', resolution: 'year', source: 'web_archive' }],
  ['high', { ...knownOpening, source: 'domain_registration', confidence: 'high' }],
  ['low', { ...knownOpening, source: 'certificate_log', confidence: 'low' }],
  ['first-page', { ...knownOpening, source: 'first_page' }],
  ['first-discovered', { ...knownOpening, source: 'first_discovered' }],
  ['no-estimate', { ...knownOpening, estimate: null }],
  ['no-resolution', { ...knownOpening, resolution: null }],
  ['no-source', { ...knownOpening, source: null }],
  ['no-confidence', { ...knownOpening, confidence: null }],
  ['nothing-known', { estimate: null, resolution: null, source: null, confidence: null }],
]

const discoveries: [inHost: string, discovery: string | null][] = [
  ['null', null],
  ['first-instant', '2024-01-01T00:00:00Z'],
  ['last-instant', '2024-12-31T23:59:59.999Z'],
]

const advertisers: [inHost: string, activeAds: number | null][] = [
  ['null', null],
  ['0', 0],
  ['1', 1],
  ['100000', 100_000],
]

const appLists: [inHost: string, apps: string[]][] = [
  ['none', []],
  ['one', ['klaviyo']],
  ['two', ['klaviyo', 'loox']],
  ['many', readFacet('apps').map(({ value }) => value)],
]

const pixelLists: [inHost: string, pixels: string[]][] = [
  ['none', []],
  ['one', ['tiktok_pixel']],
  ['many', readFacet('pixels').map(({ value }) => value)],
]

const themes: [inHost: string, theme: Technologies['theme']][] = [
  ['free', { name: 'Dawn', type: 'free' }],
  ['paid', { name: 'Prestige', type: 'paid' }],
  ['custom', { name: 'Sandbox Custom', type: 'custom' }],
  ['custom-unnamed', { name: null, type: 'custom' }],
  ['untyped', { name: 'Sandbox Untyped', type: null }],
  ['null', noTheme],
]

const names: [inHost: string, name: string][] = [
  ['japanese', 'こもれび珈琲店'],
  ['chinese', '青山茶业'],
  ['korean', '달빛 공방'],
  ['cyrillic', 'Світанок Кераміка'],
  ['greek', 'Θάλασσα Σαπούνια'],
  ['arabic', 'واحة العطور'],
  ['hebrew', 'רימון קרמיקה'],
  ['devanagari', 'कमल वस्त्र'],
  ['thai', 'ดอกบัวผ้าไหม'],
  ['georgian', 'მთვარე წიგნები'],
  ['latin-accents', 'Äpple & Ölförnödenheter'],
  ['combining', 'Cafe\u0301 Nai\u0308ve'],
  ['emoji', 'Sunny 🌻 Seeds 👩‍🌾'],
  ['quotes', 'The "Quoted" Shop, O\'Clock; \\ Sons'],
  ['markup', '<b>Bold</b> & Sons'],
  ['formula', '=SUM(A1:A9)'],
  ['long', 'Sandbox Shop With A Very Long Name '.repeat(8).trim()],
  ['one-letter', 'S'],
]

const hosts: StoreRecord[] = [
  {
    domain: 'sandbox-aliases.example',
    name: 'Sandbox Aliases',
    aliases: ['sandbox-aliases.myshopify.example', 'sandbox-aliases-old.example', 'shop.sandbox-aliases.example'],
  },
  { domain: 'shop.sandbox-subdomain.example', name: 'Sandbox Subdomain' },
  { domain: `sandbox-long-${'x'.repeat(50)}.example`, name: 'Sandbox Long Host' },
  { domain: '1sandbox-2digits.example', name: 'Sandbox Digits' },
]

/** Stores that cover the edge cases of one field each; the host names field and case. */
export const edgeStores: StoreRecord[] = [
  ...wholeRecords,
  ...hosts,
  ...scores.map(([edge, score]) => store(edge, { lead_fit_score: score })),
  ...openings.map(([edge, opening]) => store(`created-${edge}`, { store_created_at: opening })),
  ...discoveries.map(([edge, discovery]) => store(`discovered-${edge}`, { first_discovered_at: discovery })),
  ...advertisers.map(([edge, activeAds]) => store(`ads-${edge}`, { active_ads: activeAds })),
  ...appLists.map(([edge, apps]) => store(`apps-${edge}`, { technologies: { apps, pixels: [], theme: noTheme } })),
  ...pixelLists.map(([edge, pixels]) =>
    store(`pixels-${edge}`, { technologies: { apps: [], pixels, theme: noTheme } }),
  ),
  ...themes.map(([edge, theme]) => store(`theme-${edge}`, { technologies: { apps: [], pixels: [], theme } })),
  ...names.map(([edge, name]) => ({ ...store(`name-${edge}`, {}), name })),
]

function store(edge: string, fields: Partial<StoreRecord>): StoreRecord {
  return { domain: `sandbox-${edge}.example`, name: `Sandbox ${edge.replaceAll('-', ' ')}`, ...fields }
}
