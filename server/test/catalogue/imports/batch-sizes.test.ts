import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { eraseContacts } from '../../../src/catalogue/erasure/erase-contacts.ts'
import { removeStore } from '../../../src/catalogue/erasure/remove-store.ts'
import { renameStore } from '../../../src/catalogue/renaming/rename-store.ts'
import { startTestApp, type TestApp } from '../../support/app.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-21T12:00:00Z' })
})

const shopCount = 6

/** The batches whose size is not the number of rows that have their number. */
async function wrongSizes(): Promise<unknown[]> {
  const { rows } = await app.db.query(`
    with written as materialized (
      select batch, count(*) as stores from stores group by batch
    ), removed as materialized (
      select batch, count(*) as stores from removed_stores group by batch
    )
    select b.batch, b.stores, coalesce(w.stores, 0) + coalesce(r.stores, 0) as rows
    from catalogue_batches b
    left join written w on w.batch = b.batch
    left join removed r on r.batch = b.batch
    where b.stores is distinct from coalesce(w.stores, 0) + coalesce(r.stores, 0)`)
  return rows
}

const shop = fc.integer({ min: 1, max: shopCount })
const step = fc.oneof(
  fc.record({ kind: fc.constant('stores' as const), shops: fc.array(shop, { minLength: 1, maxLength: 4 }) }),
  fc.record({ kind: fc.constant('contacts' as const), shops: fc.array(shop, { minLength: 1, maxLength: 4 }) }),
  fc.record({ kind: fc.constantFrom('rename' as const, 'remove' as const, 'erase' as const), shop }),
)

test('a batch knows how many rows have its number, after any imports, renames, removals and erasures', async () => {
  let names = 0
  let erasures = 0
  const personAt = (number: number) => `at-${number}-${erasures}@people.example`
  const domains = new Map<number, string>()
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      for (const each of steps) {
        if (each.kind === 'stores') {
          for (const number of each.shops) domains.set(number, domains.get(number) ?? `sized-${++names}.example`)
          // A store may come twice in a file.
          await app.importStores(each.shops.map((n) => ({ domain: domains.get(n), name: `Name ${++names}` })))
        } else if (each.kind === 'contacts') {
          const known = each.shops.filter((number) => domains.has(number))
          const records = known.map((number) => ({
            store_domain: domains.get(number),
            external_id: personAt(number),
            first_name: `Person ${++names}`,
            emails: [{ email: personAt(number), status: 'verified' }],
          }))
          if (records.length > 0) await app.importContacts(records)
        } else if (domains.has(each.shop)) {
          const domain = domains.get(each.shop)!
          if (each.kind === 'rename') {
            domains.set(each.shop, `sized-${++names}.example`)
            await renameStore(app.operator, domain, domains.get(each.shop)!)
          } else if (each.kind === 'remove') {
            domains.delete(each.shop)
            await removeStore(app.operator, domain)
          } else {
            await eraseContacts(app.operator, { email: personAt(each.shop) })
            // An import refuses people who were erased.
            erasures++
          }
        }
        expect(await wrongSizes()).toEqual([])
      }
    }),
    { numRuns: 15 },
  )
})
