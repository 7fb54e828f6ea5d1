import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { proofRuns } from '../../../../../bin/tests/proof-runs.ts'
import type { StoreChange } from '../../../../src/product/delivery/store-history.ts'
import { applyToModel, expectedColumns, type ModelStore } from '../support/store-model.ts'
import { openTestCatalogue, readHistories, type TestCatalogue } from '../support/test-catalogue.ts'
import { applyChange, trackedFieldsOf } from '../support/tracked-store.ts'

let catalogue: TestCatalogue
beforeAll(async () => {
  catalogue = await openTestCatalogue()
})

const hosts = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `${name}.example`)
const orNull = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null })
const some = (values: string[]) => fc.uniqueArray(fc.constantFrom(...values), { maxLength: 3 })
const moment = fc.constantFrom('2020-01-01T00:00:00.000Z', '2021-06-11T08:00:00.000Z')

const record = fc.record(
  {
    domain: fc.constantFrom(...hosts),
    name: orNull(fc.constantFrom('One', 'Two', 'Ünï "quoted" \\ 🕯')),
    aliases: orNull(some([...hosts, 'x.example', 'y.example'])),
    category: orNull(fc.constantFrom('home_garden', 'home_garden_decor')),
    country: orNull(fc.constantFrom('DE', 'FR')),
    traffic_tier: orNull(fc.constantFrom('under_1k', '10k_50k')),
    revenue_tier: orNull(fc.constantFrom('under_10k', '1m_10m')),
    platform_plus: orNull(fc.boolean()),
    lead_fit_score: orNull(fc.constantFrom(0, 71.5, -3)),
    store_created_at: orNull(
      fc.record(
        {
          estimate: orNull(moment),
          resolution: orNull(fc.constantFrom('exact', 'month', 'year')),
          source: orNull(fc.constantFrom('platform', 'web_archive')),
          confidence: orNull(fc.constantFrom('high', 'low')),
        },
        { requiredKeys: [] },
      ),
    ),
    first_discovered_at: orNull(moment),
    active_ads: orNull(fc.constantFrom(0, 12)),
    technologies: orNull(
      fc.record(
        {
          apps: orNull(some(['klaviyo', 'loox', 'gorgias'])),
          pixels: orNull(some(['meta_pixel', 'tiktok_pixel'])),
          theme: orNull(
            fc.record(
              { name: orNull(fc.constantFrom('Dawn', 'Craft')), type: orNull(fc.constantFrom('free', 'paid')) },
              { requiredKeys: [] },
            ),
          ),
        },
        { requiredKeys: [] },
      ),
    ),
  },
  { requiredKeys: ['domain'] },
)

/** Applies a history, the oldest change first, to the store as it was added. */
function replay(first: ModelStore, [added, ...changes]: StoreChange[]) {
  expect(added).toMatchObject({ field: 'added_to_catalogue', before: null, after: null, added: null, removed: null })
  return changes.reduce(applyChange, trackedFieldsOf(first))
}

test('imports of random records match a simple model of the rules, the counts add up, and the history leads to the result', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(record, { maxLength: 8 }), { minLength: 1, maxLength: 4 }), async (files) => {
      await catalogue.db.query('truncate stores, store_domains, store_changes')
      const model = new Map<string, ModelStore>()
      const firstStates = new Map<string, ModelStore>()
      for (const records of files) {
        const batch = await catalogue.batch()
        const before = structuredClone(model)
        const rejected = applyToModel(model, records as never)
        const result = await catalogue.importStores(records)
        for (const [domain, store] of model)
          if (!firstStates.has(domain)) firstStates.set(domain, structuredClone(store))
        expect(result).toMatchObject({ read: records.length, rejected })
        expect(result.inserted).toBe(model.size - before.size)
        expect(result.inserted + result.updated + result.unchanged + result.rejected).toBe(records.length)
        const changed = [...model].some(
          ([domain, store]) => JSON.stringify(before.get(domain)) !== JSON.stringify(store),
        )
        expect(await catalogue.batch()).toBe(changed ? batch + 1 : batch)
      }
      const stored = (await catalogue.rows()).map(({ document, aliases, ...columns }) => {
        const { id: _id, object: _object, contacts_summary: _summary, ...fields } = document
        return { store: { ...fields, active_ads: columns.active_ads, aliases }, columns }
      })
      expect(new Map(stored.map(({ store }) => [store.domain, store]))).toEqual(model)
      for (const { store, columns } of stored) expect(columns).toMatchObject(await expectedColumns(catalogue.db, store))
      const histories = await readHistories(catalogue.db)
      expect([...histories.keys()].sort()).toEqual([...model.keys()].sort())
      for (const [domain, history] of histories)
        expect(replay(firstStates.get(domain)!, history), domain).toEqual(trackedFieldsOf(model.get(domain)!))
    }),
    { numRuns: proofRuns(40) },
  )
})
