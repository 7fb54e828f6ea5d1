import { type Static, Type } from 'typebox'
import { ClosedObject } from '../../../foundation/kernel/shapes.ts'
import { parseTimestamp } from '../../../foundation/kernel/time.ts'
import { maxTechnologies, type Store } from '../../../product/delivery/store-document.ts'
import type { TaxonomyResolver } from '../cells/taxonomy-resolver.ts'
import { badValue, type Fault, fault } from '../fields/faults.ts'
import {
  HostText,
  MomentText,
  mapGiven,
  NameText,
  OptionalNullable,
  type PatchField,
  readHost,
  readText,
  TaxonomyText,
} from '../fields/fields.ts'
import { compileShapeCheck } from '../fields/shape-check.ts'
import { describeSharedHost, sharedHostHint } from './shared-hosts.ts'

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
  domain: HostText('the domain of the store, or a URL of it; the key'),
  name: OptionalNullable(NameText(500, 'the name; without one, the domain is used')),
  aliases: OptionalNullable(
    Type.Array(HostText('another host of the store'), { maxItems: 50, description: 'other hosts of the store' }),
  ),
  category: OptionalNullable(TaxonomyText('category', 'what the store sells')),
  country: OptionalNullable(TaxonomyText('country', 'where the store is')),
  traffic_tier: OptionalNullable(TaxonomyText('traffic_tier', 'visits a month')),
  revenue_tier: OptionalNullable(TaxonomyText('revenue_tier', 'revenue a month, in USD')),
  platform_plus: OptionalNullable(
    Type.Boolean({ description: 'whether the store is on the enterprise plan of its platform' }),
  ),
  lead_fit_score: OptionalNullable(Type.Number({ description: 'a number; higher scores come first in results' })),
  store_created_at: OptionalNullable(
    ClosedObject({
      estimate: OptionalNullable(MomentText('when the store was created')),
      resolution: OptionalNullable(Type.Enum(['exact', 'month', 'year'], { description: 'how exact the estimate is' })),
      source: OptionalNullable(Type.Enum(createdSources, { description: 'where the estimate is from' })),
      confidence: OptionalNullable(
        Type.Enum(['high', 'medium', 'low'], { description: 'how certain the estimate is' }),
      ),
    }),
  ),
  first_discovered_at: OptionalNullable(MomentText('when the store was first seen')),
  active_ads: OptionalNullable(
    Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1, description: 'how many ads the store runs' }),
  ),
  technologies: OptionalNullable(
    ClosedObject({
      apps: OptionalNullable(
        Type.Array(TaxonomyText('app', 'an app'), { maxItems: maxTechnologies, description: 'the apps it uses' }),
      ),
      pixels: OptionalNullable(
        Type.Array(TaxonomyText('pixel', 'a pixel'), { maxItems: maxTechnologies, description: 'the pixels it uses' }),
      ),
      theme: OptionalNullable(
        ClosedObject({
          name: OptionalNullable(NameText(200, 'the name of its theme')),
          type: OptionalNullable(TaxonomyText('theme_type', 'what kind of theme it is')),
        }),
      ),
    }),
  ),
})

export type StoreRecord = Static<typeof StoreRecord>

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

export const checkStoreShape = compileShapeCheck(StoreRecord)

/**
 * Reads the values of a record of valid shape and adds what is wrong to `faults`; the patch counts only if nothing was
 * added. Nothing is guessed, truncated or dropped.
 */
export function readStoreRecord(value: object, resolver: TaxonomyResolver, faults: Fault[]): StorePatch {
  const record = value as StoreRecord
  // Missing only if the caller has already found it at fault.
  const domain = record.domain === undefined ? '' : (readOwnHost(faults, 'domain', record.domain, record.name) ?? '')
  const resolve = (facet: 'category' | 'country' | 'traffic_tier' | 'revenue_tier') =>
    mapGiven(record[facet], (value) => resolver.resolve(faults, facet, facet, value))
  return {
    domain,
    name: mapGiven(record.name, (name) => readText(faults, 'name', name)),
    aliases: mapGiven(record.aliases, (aliases) => readAliases(faults, aliases, domain, record.name)),
    category: resolve('category'),
    country: resolve('country'),
    trafficTier: resolve('traffic_tier'),
    revenueTier: resolve('revenue_tier'),
    platformPlus: record.platform_plus,
    // Adding 0 turns -0 into 0.
    leadFitScore: mapGiven(record.lead_fit_score, (score) => score + 0),
    storeCreatedAt: mapGiven(record.store_created_at, (created) => readCreatedAt(faults, created)),
    firstDiscoveredAt: mapGiven(record.first_discovered_at, (text) => readMoment(faults, 'first_discovered_at', text)),
    activeAds: mapGiven(record.active_ads, (count) => count + 0),
    technologies: mapGiven(record.technologies, (technologies) => readTechnologies(faults, technologies, resolver)),
  }
}

/** The host of a store; a host that many share is at fault, unless the store is the company of that host. */
function readOwnHost(faults: Fault[], path: string, text: string, name: PatchField<string>): string | undefined {
  const host = readHost(faults, path, text)
  const shared = host === undefined ? null : describeSharedHost(text, host, name ?? null)
  if (shared === null) return host
  faults.push(fault(path, shared, { value: text, hint: sharedHostHint }))
  return undefined
}

function readAliases(faults: Fault[], aliases: string[], domain: string, name: PatchField<string>): string[] {
  // Outlook.com may have hotmail.com.
  const read = domain !== '' && describeSharedHost(domain, domain, null) !== null ? readHost : readOwnHost
  const hosts = aliases.flatMap((alias, index) => read(faults, `aliases[${index}]`, alias, name) ?? [])
  return [...new Set(hosts)].filter((host) => host !== domain).sort()
}

function readMoment(faults: Fault[], path: string, text: string): string | undefined {
  const moment = parseTimestamp(text)
  if (moment !== null) return new Date(moment).toISOString()
  faults.push(badValue(path, text, 'is not a date with time and offset (2026-11-01T00:00:00Z)'))
  return undefined
}

function readCreatedAt(
  faults: Fault[],
  created: NonNullable<StoreRecord['store_created_at']>,
): StorePatch['storeCreatedAt'] {
  return {
    estimate: mapGiven(created.estimate, (text) => readMoment(faults, 'store_created_at.estimate', text)),
    resolution: created.resolution,
    source: created.source,
    confidence: created.confidence,
  }
}

function readTechnologies(
  faults: Fault[],
  { apps, pixels, theme }: NonNullable<StoreRecord['technologies']>,
  resolver: TaxonomyResolver,
): StorePatch['technologies'] {
  return {
    apps: mapGiven(apps, (list) => resolver.resolveList(faults, 'app', 'technologies.apps', list)),
    pixels: mapGiven(pixels, (list) => resolver.resolveList(faults, 'pixel', 'technologies.pixels', list)),
    theme: mapGiven(theme, ({ name, type }) => ({
      name: mapGiven(name, (text) => readText(faults, 'technologies.theme.name', text)),
      type: mapGiven(type, (value) => resolver.resolve(faults, 'theme_type', 'technologies.theme.type', value)),
    })),
  }
}
