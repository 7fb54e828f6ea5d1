import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestKey } from '../../support/app.ts'

interface Shop {
  domain: string
  name: string
  category?: string
  country?: string
}

const catalogue = join(import.meta.dirname, '../../../../catalogue')
const file = join(catalogue, 'demo/real-shops.ndjson')
const categories: { value: string; parent?: string }[] = JSON.parse(
  readFileSync(join(catalogue, 'taxonomy/categories.json'), 'utf8'),
)
const parents = new Map(categories.map(({ value, parent }) => [value, parent]))
const shops: Shop[] = readFileSync(file, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line))

let app: TestApp
let key: TestKey
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  await app.importStores(shops)
  const figure = 1_000_000
  key = await app.key({
    limits: { requests_per_minute: figure, requests_per_day: figure, search_rows: figure, store_exports: figure },
  })
})

async function domainsFound(filters: object): Promise<string[]> {
  const domains: string[] = []
  for (let cursor: string | null = null; ; ) {
    const { status, body } = await key.post('/stores/search', { filters, limit: 100, cursor })
    expect(status).toBe(200)
    for (const store of body.data) domains.push(store.domain)
    cursor = body.next_cursor
    if (cursor === null) return domains.sort()
  }
}

function groupBy(keyOf: (shop: Shop) => string | undefined): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const shop of shops) {
    const group = keyOf(shop)
    if (group !== undefined) groups.set(group, [...(groups.get(group) ?? []), shop.domain])
  }
  return groups
}

test('every real shop is found by its domain, with its real facts and nothing else', async () => {
  for (let start = 0; start < shops.length; start += 25) {
    const batch = shops.slice(start, start + 25)
    const { body } = await key.post('/stores/enrich', { domains: batch.map((shop) => `https://www.${shop.domain}/x`) })
    expect(body.found).toBe(batch.length)
    for (const [index, { domain, name, category, country }] of batch.entries())
      expect(body.data[index].store).toMatchObject({
        domain,
        name,
        category: category ?? null,
        country: country ?? null,
        lead_fit_score: null,
        traffic_tier: null,
        technologies: { apps: [], pixels: [] },
      })
  }
})

test('a search by country returns exactly the shops of that country in the file', async () => {
  for (const [country, domains] of groupBy((shop) => shop.country))
    expect(await domainsFound({ countries: [country] }), country).toEqual(domains.sort())
})

test('a search by category returns exactly its shops and those of the categories below it', async () => {
  for (const category of groupBy((shop) => shop.category).keys()) {
    const expected = shops.filter((shop) => shop.category === category || parents.get(shop.category ?? '') === category)
    expect(await domainsFound({ categories: [category] }), category).toEqual(expected.map((shop) => shop.domain).sort())
  }
})
