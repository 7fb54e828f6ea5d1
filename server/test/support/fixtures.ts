import type { Clock } from '../../src/foundation/kernel/time.ts'

interface ManualClock extends Clock {
  advance(ms: number): void
  set(moment: Date | string): void
}

/** Creates a clock that moves only when it is set or advanced. */
export function createManualClock(start: Date | string): ManualClock {
  let nowMs = new Date(start).getTime()
  return {
    // A new object each time: a caller that changes its Date does not change the clock.
    now: () => new Date(nowMs),
    advance(ms) {
      nowMs += ms
    },
    set(moment) {
      nowMs = new Date(moment).getTime()
    },
  }
}

/** The store of the documentation's examples, as an import record with every field. */
export const aurora = {
  domain: 'aurora-candles.example',
  name: 'Aurora Candles',
  aliases: ['aurora-candles.myshopify.com'],
  category: 'home_garden',
  country: 'DE',
  traffic_tier: '10k_50k',
  revenue_tier: '50k_100k',
  platform_plus: false,
  lead_fit_score: 71.5,
  store_created_at: {
    estimate: '2019-03-01T00:00:00Z',
    resolution: 'month',
    source: 'first_product',
    confidence: 'medium',
  },
  first_discovered_at: '2021-06-11T08:00:00Z',
  active_ads: 12,
  technologies: { apps: ['klaviyo'], pixels: ['meta_pixel'], theme: { name: 'Dawn', type: 'free' } },
}

/** A keyring for tests. */
export const testDataKeys = `test:${Buffer.alloc(32, 7).toString('base64')}`
