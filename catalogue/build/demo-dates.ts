import type { Random } from './random.ts'
import type { CreatedAt } from './records.ts'

const hourMs = 3_600_000
const firstOpening = Date.UTC(2009, 0, 1)
const firstDiscovery = Date.UTC(2019, 5, 1)
const lastDiscovery = Date.UTC(2026, 9, 1)

type Clue = Pick<CreatedAt, 'resolution' | 'source' | 'confidence'>

/** How an opening date can be known: how often, how exactly, and how surely. */
const clues: { value: Clue; weight: number }[] = [
  { value: { resolution: 'exact', source: 'platform', confidence: 'high' }, weight: 20 },
  { value: { resolution: 'exact', source: 'domain_registration', confidence: 'medium' }, weight: 16 },
  { value: { resolution: 'exact', source: 'certificate_log', confidence: 'medium' }, weight: 10 },
  { value: { resolution: 'exact', source: 'certificate_log', confidence: 'low' }, weight: 4 },
  { value: { resolution: 'month', source: 'first_product', confidence: 'high' }, weight: 8 },
  { value: { resolution: 'month', source: 'first_product', confidence: 'medium' }, weight: 16 },
  { value: { resolution: 'month', source: 'first_page', confidence: 'medium' }, weight: 6 },
  { value: { resolution: 'year', source: 'first_page', confidence: 'low' }, weight: 4 },
  { value: { resolution: 'month', source: 'web_archive', confidence: 'low' }, weight: 4 },
  { value: { resolution: 'year', source: 'web_archive', confidence: 'low' }, weight: 7 },
  { value: { resolution: 'exact', source: 'first_discovered', confidence: 'low' }, weight: 5 },
  { value: { resolution: null, source: 'web_archive', confidence: null }, weight: 2 },
]

export function demoDiscoveredAt(random: Random): string {
  return moment(between(random, firstDiscovery, lastDiscovery))
}

/** When the shop opened, before it was discovered, cut to what its clue can tell. */
export function demoCreatedAt(random: Random, discoveredAt: string): CreatedAt {
  const clue = random.weighted(clues)
  if (clue.resolution === null) return { estimate: null, ...clue }
  if (clue.source === 'first_discovered') return { estimate: discoveredAt, ...clue }
  // Of two chances the later one: more shops are young than old.
  const discovered = Date.parse(discoveredAt)
  const opened = Math.max(between(random, firstOpening, discovered), between(random, firstOpening, discovered))
  return { estimate: cutTo(clue.resolution, moment(opened)), ...clue }
}

function between(random: Random, start: number, end: number): number {
  return start + random.below((end - start) / hourMs) * hourMs
}

function cutTo(resolution: 'exact' | 'month' | 'year', instant: string): string {
  if (resolution === 'exact') return instant
  return resolution === 'month' ? `${instant.slice(0, 7)}-01T00:00:00Z` : `${instant.slice(0, 4)}-01-01T00:00:00Z`
}

function moment(timeMs: number): string {
  return new Date(timeMs).toISOString().replace('.000Z', 'Z')
}
