import { splitEvenly } from '@storedex/testkit'
import { expect, test } from 'vitest'
import { Random } from '../../catalogue/build/random.ts'
import { generateContacts } from '../../server/test/support/records/contact-records.ts'
import { generateStores } from '../../server/test/support/records/store-records.ts'
import { revealRequests } from '../api/load/requests.ts'
import {
  contactBatches,
  drawWorkload,
  revealOperationOf,
  revealOperations,
  revealShapes,
} from '../api/load/workload.ts'

const revealable = Array.from({ length: 2_000 }, (_, key) => ({ key, id: `ct ${key}` }))

function draw() {
  const stores = [...generateStores(500)]
  return drawWorkload({ stores, contacts: [...generateContacts(stores)] }, revealable, new Random(2))
}
const workload = draw()

test('the same catalogue gives the same workload', () => {
  expect(workload).toEqual(draw())
})

test('lookups and enrichments use domains of the catalogue', () => {
  const known = new Set([...generateStores(500)].map((store) => store.domain))
  expect([...workload.lookup, ...workload.enrich.flat()].filter((domain) => !known.has(domain))).toEqual([])
  expect(new Set(workload.enrich.map((domains) => domains.length))).toEqual(new Set([25]))
})

test.each(['search', 'contact_search'] as const)(
  'every connection sends %s with all twelve kinds of filter, for first and later pages',
  (operation) => {
    for (const items of splitEvenly<{ filters: object; pagesBefore: number }>(workload[operation], 32)) {
      expect(new Set(items.map(({ filters }) => shapeOf(filters))).size).toBe(12)
      expect(new Set(items.map(({ pagesBefore }) => pagesBefore > 0)).size).toBe(2)
    }
  },
)

test('reveals use all contacts in random order', () => {
  const keys = workload.contacts.map(({ key }) => key)
  const inOrder = revealable.map(({ key }) => key)
  expect(keys.toSorted((a, b) => a - b)).toEqual(inOrder)
  expect(keys).not.toEqual(inOrder)
})

/** The structure of a filter without its values. */
function shapeOf(filters: object): string {
  return JSON.stringify(filters, (_key, value) => (Array.isArray(value) || typeof value === 'string' ? '…' : value))
}

const contactIds = Array.from({ length: 25 }, (_, number) => `ct_${number}`)
const load = { key: 'sdx', name: 'connection 1', contactIds }

test('no contact is revealed twice, and running out of contacts is an error', () => {
  const nextBatch = contactBatches(contactIds, 'reveal_10')
  expect([...nextBatch(), ...nextBatch()]).toEqual(contactIds.slice(0, 20))
  expect(nextBatch).toThrow('all contacts were revealed')
})

test('contacts repeat for a target that charges nothing', () => {
  const nextBatch = contactBatches(contactIds, 'reveal_10', true)
  expect([...nextBatch(), ...nextBatch(), ...nextBatch()]).toEqual([
    ...contactIds.slice(0, 20),
    ...contactIds.slice(0, 10),
  ])
})

test('each keyed reveal has its own Idempotency-Key', () => {
  const next = revealRequests({ ...load, operation: 'reveal_1_keyed' })
  const keys = Array.from({ length: 25 }, () => next().headers['idempotency-key'])
  expect(new Set(keys).size).toBe(25)
  expect(keys).not.toContain(undefined)
  expect(revealRequests({ ...load, operation: 'reveal_1' })().headers).not.toHaveProperty('idempotency-key')
})

test('the operation of a reveal follows from its contacts and its key', () => {
  for (const operation of revealOperations) {
    const { contacts, isKeyed } = revealShapes[operation]
    const { body } = revealRequests({ ...load, operation })()
    expect(JSON.parse(body!).contact_ids).toHaveLength(contacts)
    expect(revealOperationOf(contacts, isKeyed)).toBe(operation)
  }
})
