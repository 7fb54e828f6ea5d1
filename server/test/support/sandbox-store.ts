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
