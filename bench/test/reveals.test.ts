import { expect, test } from 'vitest'
import { revealRequests } from '../api/load/requests.ts'
import { dealContacts, revealOperationOf, revealOperations, revealShapes } from '../api/reveals.ts'

const contactIds = Array.from({ length: 25 }, (_, number) => `ct_${number}`)
const load = { key: 'sdx', name: 'connection 1', contactIds }

test('no reveal names a contact that one before it named, and nobody left is an error', () => {
  const deal = dealContacts(contactIds, 'reveal_10')
  expect([...deal(), ...deal()]).toEqual(contactIds.slice(0, 20))
  expect(deal).toThrow('everybody was revealed')
})

test('a server that spends nothing is asked for the same contacts over and over', () => {
  const deal = dealContacts(contactIds, 'reveal_10', true)
  expect([...deal(), ...deal(), ...deal()]).toEqual([...contactIds.slice(0, 20), ...contactIds.slice(0, 10)])
})

test('a reveal with an Idempotency-Key has one of its own', () => {
  const next = revealRequests({ ...load, operation: 'reveal_1_keyed' })
  const keys = Array.from({ length: 25 }, () => next().headers['idempotency-key'])
  expect(new Set(keys).size).toBe(25)
  expect(keys).not.toContain(undefined)
  expect(revealRequests({ ...load, operation: 'reveal_1' })().headers).not.toHaveProperty('idempotency-key')
})

test('a reveal is known again by its contacts and its key', () => {
  for (const operation of revealOperations) {
    const { contacts, isKeyed } = revealShapes[operation]
    const { body } = revealRequests({ ...load, operation })()
    expect(JSON.parse(body!).contact_ids).toHaveLength(contacts)
    expect(revealOperationOf(contacts, isKeyed)).toBe(operation)
  }
})
