import { expect, test } from 'vitest'
import { Random } from '../../catalogue/build/random.ts'
import { drawWorkload } from '../api/load/workload.ts'
import { generateContacts } from '../support/contact-records.ts'
import { shareOut } from '../support/lists.ts'
import { generateStores } from '../support/store-records.ts'

const revealable = Array.from({ length: 2_000 }, (_, key) => ({ key, id: `ct ${key}` }))

function draw() {
  const stores = [...generateStores(500)]
  return drawWorkload({ stores, contacts: [...generateContacts(stores)] }, revealable, new Random(2))
}
const workload = draw()

test('the same catalogue gives the same workload', () => {
  expect(workload).toEqual(draw())
})

test('lookups and enrichments ask for domains that are in the catalogue', () => {
  const known = new Set([...generateStores(500)].map((store) => store.domain))
  expect([...workload.lookup, ...workload.enrich.flat()].filter((domain) => !known.has(domain))).toEqual([])
  expect(new Set(workload.enrich.map((domains) => domains.length))).toEqual(new Set([25]))
})

test.each(['search', 'contact_search'] as const)(
  'every connection asks %s with all twelve kinds of filter, for first pages and later ones',
  (operation) => {
    for (const items of shareOut<{ filters: object; pagesBefore: number }>(workload[operation], 32)) {
      expect(new Set(items.map(({ filters }) => shapeOf(filters))).size).toBe(12)
      expect(new Set(items.map(({ pagesBefore }) => pagesBefore > 0)).size).toBe(2)
    }
  },
)

test('reveals ask for everybody who can be revealed, in no order', () => {
  const keys = workload.contacts.map(({ key }) => key)
  const inOrder = revealable.map(({ key }) => key)
  expect(keys.toSorted((a, b) => a - b)).toEqual(inOrder)
  expect(keys).not.toEqual(inOrder)
})

test('shares are stretches that together are the list', () => {
  const list = Array.from({ length: 100 }, (_, index) => index)
  const shares = shareOut(list, 7)
  expect(shares.flat()).toEqual(list)
  expect(shares.every((share) => share.length === 14 || share.length === 15)).toBe(true)
})

/** The places of a filter, without its values. */
function shapeOf(filters: object): string {
  return JSON.stringify(filters, (_key, value) => (Array.isArray(value) || typeof value === 'string' ? '…' : value))
}
