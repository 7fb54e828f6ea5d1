import { type Static, Type } from 'typebox'
import { maxTechnologies, type Store } from '../../delivery/store-document.ts'
import { ClosedObject } from '../../kernel/shapes.ts'
import { parseTimestamp } from '../../kernel/time.ts'
import {
  compileShapeCheck,
  HostText,
  mapGiven,
  NonEmptyText,
  OptionalNullable,
  type PatchField,
  quoteForReason,
  RecordError,
  readHost,
  readText,
  TaxonomyText,
} from '../fields.ts'
import type { TaxonomyResolver } from '../taxonomy-resolver.ts'

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

/** A store in an import file. A missing field keeps the stored value; null clears it. */
export const StoreRecord = ClosedObject({
  domain: HostText,
  name: OptionalNullable(NonEmptyText(500)),
  aliases: OptionalNullable(Type.Array(HostText, { maxItems: 50 })),
  category: OptionalNullable(TaxonomyText),
  country: OptionalNullable(TaxonomyText),
  traffic_tier: OptionalNullable(TaxonomyText),
  revenue_tier: OptionalNullable(TaxonomyText),
  platform_plus: OptionalNullable(Type.Boolean()),
  lead_fit_score: OptionalNullable(Type.Number()),
  store_created_at: OptionalNullable(
    ClosedObject({
      estimate: OptionalNullable(MomentText),
      resolution: OptionalNullable(Type.Enum(['exact', 'month', 'year'])),
      source: OptionalNullable(Type.Enum(createdSources)),
      confidence: OptionalNullable(Type.Enum(['high', 'medium', 'low'])),
    }),
  ),
  first_discovered_at: OptionalNullable(MomentText),
  active_ads: OptionalNullable(Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 })),
  technologies: OptionalNullable(
    ClosedObject({
      apps: OptionalNullable(Type.Array(TaxonomyText, { maxItems: maxTechnologies })),
      pixels: OptionalNullable(Type.Array(TaxonomyText, { maxItems: maxTechnologies })),
      theme: OptionalNullable(
        ClosedObject({ name: OptionalNullable(NonEmptyText(200)), type: OptionalNullable(TaxonomyText) }),
      ),
    }),
  ),
})

type Record = Static<typeof StoreRecord>

type CreatedAt = NonNullable<Store['store_created_at']>

/** The changes of a record, as canonical values. */
export interface StorePatch {
  domain: string
  name: PatchField<string>
  /** Sorted, without the domain itself. */
  aliases: PatchField<string[]>
  category: PatchField<string>
  country: PatchField<string>
  trafficTier: PatchField<string>
  revenueTier: PatchField<string>
  platformPlus: PatchField<boolean>
  leadFitScore: PatchField<number>
  storeCreatedAt: PatchField<{ [Field in keyof CreatedAt]: PatchField<CreatedAt[Field]> }>
  firstDiscoveredAt: PatchField<string>
  activeAds: PatchField<number>
  technologies: PatchField<{
    apps: PatchField<string[]>
    pixels: PatchField<string[]>
    theme: PatchField<{ name: PatchField<string>; type: PatchField<string> }>
  }>
}

const checkShape = compileShapeCheck(StoreRecord)

/** Checks one record; throws `RecordError` for an invalid one. Nothing is guessed, truncated or dropped. */
export function readStoreRecord(value: unknown, resolver: TaxonomyResolver): StorePatch {
  const problem = checkShape(value)
  if (problem !== null) throw new RecordError(problem)
  const record = value as Record
  const domain = readHost('domain', record.domain)
  return {
    domain,
    name: mapGiven(record.name, (name) => readText('name', name)),
    aliases: mapGiven(record.aliases, (aliases) => readAliases(aliases, domain)),
    category: mapGiven(record.category, (value) => resolver.resolve('category', 'category', value)),
    country: mapGiven(record.country, (value) => resolver.resolve('country', 'country', value)),
    trafficTier: mapGiven(record.traffic_tier, (value) => resolver.resolve('traffic_tier', 'traffic_tier', value)),
    revenueTier: mapGiven(record.revenue_tier, (value) => resolver.resolve('revenue_tier', 'revenue_tier', value)),
    platformPlus: record.platform_plus,
    // Adding 0 turns -0 into 0.
    leadFitScore: mapGiven(record.lead_fit_score, (score) => score + 0),
    storeCreatedAt: mapGiven(record.store_created_at, readCreatedAt),
    firstDiscoveredAt: mapGiven(record.first_discovered_at, (text) => readMoment('first_discovered_at', text)),
    activeAds: mapGiven(record.active_ads, (count) => count + 0),
    technologies: mapGiven(record.technologies, (technologies) => readTechnologies(technologies, resolver)),
  }
}

function readAliases(aliases: string[], domain: string): string[] {
  const hosts = aliases.map((alias, index) => readHost(`aliases[${index}]`, alias))
  return [...new Set(hosts)].filter((host) => host !== domain).sort()
}

function readMoment(path: string, text: string): string {
  const moment = parseTimestamp(text)
  if (moment === null)
    throw new RecordError(`${path}: ${quoteForReason(text)} is not a date with time and offset (2026-11-01T00:00:00Z)`)
  return new Date(moment).toISOString()
}

function readCreatedAt(created: NonNullable<Record['store_created_at']>): StorePatch['storeCreatedAt'] {
  return {
    estimate: mapGiven(created.estimate, (text) => readMoment('store_created_at.estimate', text)),
    resolution: created.resolution,
    source: created.source,
    confidence: created.confidence,
  }
}

function readTechnologies(
  { apps, pixels, theme }: NonNullable<Record['technologies']>,
  resolver: TaxonomyResolver,
): StorePatch['technologies'] {
  return {
    apps: mapGiven(apps, (list) => resolver.resolveList('app', 'technologies.apps', list)),
    pixels: mapGiven(pixels, (list) => resolver.resolveList('pixel', 'technologies.pixels', list)),
    theme: mapGiven(theme, ({ name, type }) => ({
      name: mapGiven(name, (text) => readText('technologies.theme.name', text)),
      type: mapGiven(type, (value) => resolver.resolve('theme_type', 'technologies.theme.type', value)),
    })),
  }
}
