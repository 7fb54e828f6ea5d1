import type { Page } from 'playwright-core'
import type { TestApp } from '../../../support/app.ts'

/** How many invented stores are in Germany; all others are in France. */
const germanStores = 40
const allStores = 60

/** Names and titles that must be shown, never run, and must not widen a page. */
export const hostileName = '<script>document.title = "run"</script>'
export const longName = `Donaudampfschiff${'fahrt'.repeat(40)}`
const names = [hostileName, longName, 'متجر الشموع', '蝋燭の店 🕯️', 'zero\u200bwidth\u202e store']

/**
 * Fills the catalogue: stores with falling fit, the first ones with hostile names; each of the German ones has a marketing
 * person with an email and a phone, and a founder with a profile.
 */
export async function importShops(app: TestApp): Promise<void> {
  const domainOf = (index: number) => `shop-${index}.example`
  await app.importStores(
    Array.from({ length: allStores }, (_, index) => ({
      domain: domainOf(index),
      name: names[index] ?? `Shop ${index}`,
      category: 'home_garden',
      country: index < germanStores ? 'DE' : 'FR',
      traffic_tier: '10k_50k',
      revenue_tier: '50k_100k',
      lead_fit_score: 100 - index,
      store_created_at: {
        estimate: '2019-03-01T00:00:00Z',
        resolution: 'month',
        source: 'web_archive',
        confidence: 'low',
      },
      technologies: {
        apps: index % 2 === 0 ? ['klaviyo', 'yotpo'] : ['klaviyo'],
        pixels: ['meta_pixel'],
        theme: { name: 'Dawn', type: 'free' },
      },
    })),
  )
  const users = Array.from({ length: germanStores }, (_, index) => [
    {
      store_domain: domainOf(index),
      external_id: `m${index}`,
      first_name: index === 0 ? '<b>Mara</b>' : `Mara ${index}`,
      last_name: 'Lindqvist',
      title: index === 0 ? 'T'.repeat(300) : 'Head of Marketing',
      role: 'marketing',
      seniority: 'decision_maker',
      emails: [{ email: `mara@${domainOf(index)}`, status: 'verified', type: 'work', is_primary: true }],
      phones: [{ phone: '+1 202 555 0100', type: 'office', is_primary: true }],
    },
    {
      store_domain: domainOf(index),
      external_id: `f${index}`,
      first_name: `Jonas ${index}`,
      last_name: 'Weidner',
      title: 'Gründer',
      role: 'founder',
      seniority: 'executive',
      profile_url: `https://people.example/jonas-${index}`,
    },
  ])
  await app.importContacts(users.flat())
}

/** Counts the requests to paths that end like this, from now on. */
export function countRequests(page: Page, ending: string): () => number {
  let count = 0
  page.on('request', (request) => {
    if (new URL(request.url()).pathname.endsWith(ending)) count++
  })
  return () => count
}
