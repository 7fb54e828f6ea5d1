import { type Static, Type } from 'typebox'
import { maxTechnologies, type Store } from '../../delivery/store-document.ts'
import { Closed } from '../../kernel/shapes.ts'
import { parseMoment } from '../../kernel/time.ts'
import {
  compileShapeCheck,
  Given,
  Host,
  type Patched,
  quoted,
  RecordProblem,
  readHost,
  readText,
  Text,
  Word,
  when,
} from '../fields.ts'
import type { WordReader } from '../taxonomy-resolver.ts'

const MomentText = Type.String({ maxLength: 64 })

const createdSources = [
  'platform',
  'domain_registration',
  'certificate_log',
  'first_product',
  'first_page',
  'web_archive',
  'first_discovered',
]

/** A store as an import file has it. A field that is missing says nothing; null says that there is no value. */
export const StoreRecord = Closed({
  domain: Host,
  name: Given(Text(500)),
  aliases: Given(Type.Array(Host, { maxItems: 50 })),
  category: Given(Word),
  country: Given(Word),
  traffic_tier: Given(Word),
  revenue_tier: Given(Word),
  platform_plus: Given(Type.Boolean()),
  lead_fit_score: Given(Type.Number()),
  store_created_at: Given(
    Closed({
      estimate: Given(MomentText),
      resolution: Given(Type.Enum(['exact', 'month', 'year'])),
      source: Given(Type.Enum(createdSources)),
      confidence: Given(Type.Enum(['high', 'medium', 'low'])),
    }),
  ),
  first_discovered_at: Given(MomentText),
  active_ads: Given(Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 })),
  technologies: Given(
    Closed({
      apps: Given(Type.Array(Word, { maxItems: maxTechnologies })),
      pixels: Given(Type.Array(Word, { maxItems: maxTechnologies })),
      theme: Given(Closed({ name: Given(Text(200)), type: Given(Word) })),
    }),
  ),
})

type Record = Static<typeof StoreRecord>

type CreatedAt = NonNullable<Store['store_created_at']>

/** What a record asks to change, in canonical values. */
export interface StorePatch {
  domain: string
  name: Patched<string>
  /** Sorted, without the domain itself. */
  aliases: Patched<string[]>
  category: Patched<string>
  country: Patched<string>
  trafficTier: Patched<string>
  revenueTier: Patched<string>
  platformPlus: Patched<boolean>
  leadFitScore: Patched<number>
  storeCreatedAt: Patched<{ [Field in keyof CreatedAt]: Patched<CreatedAt[Field]> }>
  firstDiscoveredAt: Patched<string>
  activeAds: Patched<number>
  technologies: Patched<{
    apps: Patched<string[]>
    pixels: Patched<string[]>
    theme: Patched<{ name: Patched<string>; type: Patched<string> }>
  }>
}

const checkShape = compileShapeCheck(StoreRecord)

/** Reads one record; throws `RecordProblem` for what cannot be taken as it is. Nothing is guessed, cut or dropped. */
export function readStoreRecord(value: unknown, words: WordReader): StorePatch {
  const problem = checkShape(value)
  if (problem !== null) throw new RecordProblem(problem)
  const record = value as Record
  const domain = readHost('domain', record.domain)
  return {
    domain,
    name: when(record.name, (name) => readText('name', name)),
    aliases: when(record.aliases, (aliases) => readAliases(aliases, domain)),
    category: when(record.category, (word) => words.read('category', 'category', word)),
    country: when(record.country, (word) => words.read('country', 'country', word)),
    trafficTier: when(record.traffic_tier, (word) => words.read('traffic_tier', 'traffic_tier', word)),
    revenueTier: when(record.revenue_tier, (word) => words.read('revenue_tier', 'revenue_tier', word)),
    platformPlus: record.platform_plus,
    // Adding 0 turns -0, which no one means, into 0.
    leadFitScore: when(record.lead_fit_score, (score) => score + 0),
    storeCreatedAt: when(record.store_created_at, readCreatedAt),
    firstDiscoveredAt: when(record.first_discovered_at, (text) => readMoment('first_discovered_at', text)),
    activeAds: when(record.active_ads, (count) => count + 0),
    technologies: when(record.technologies, (technologies) => readTechnologies(technologies, words)),
  }
}

function readAliases(aliases: string[], domain: string): string[] {
  const hosts = aliases.map((alias, index) => readHost(`aliases[${index}]`, alias))
  return [...new Set(hosts)].filter((host) => host !== domain).sort()
}

function readMoment(path: string, text: string): string {
  const moment = parseMoment(text)
  if (moment === null)
    throw new RecordProblem(`${path}: ${quoted(text)} is not a date with time and offset (2026-11-01T00:00:00Z)`)
  return new Date(moment).toISOString()
}

function readCreatedAt(created: NonNullable<Record['store_created_at']>): StorePatch['storeCreatedAt'] {
  return {
    estimate: when(created.estimate, (text) => readMoment('store_created_at.estimate', text)),
    resolution: created.resolution,
    source: created.source,
    confidence: created.confidence,
  }
}

function readTechnologies(
  { apps, pixels, theme }: NonNullable<Record['technologies']>,
  words: WordReader,
): StorePatch['technologies'] {
  return {
    apps: when(apps, (list) => words.readList('app', 'technologies.apps', list)),
    pixels: when(pixels, (list) => words.readList('pixel', 'technologies.pixels', list)),
    theme: when(theme, ({ name, type }) => ({
      name: when(name, (text) => readText('technologies.theme.name', text)),
      type: when(type, (word) => words.read('theme_type', 'technologies.theme.type', word)),
    })),
  }
}
