import { expect, test } from 'vitest'
import {
  ConflictError,
  ConnectionError,
  NotFoundError,
  type Storedex,
  type StoredexError,
} from '../../../../client/src/index.ts'
import { scopes } from '../../../src/customers/auth/caller.ts'
import { generous } from '../../product/contacts/support/reveals.ts'
import { startTestApp } from '../../support/app.ts'
import { generateStores } from '../../support/records/store-records.ts'
import { connectClient, startFaultProxy } from './support/disturbed.ts'
import { roughNetwork } from './support/faults.ts'

test('lists through faults have what was asked for, and no call fails by its own first attempt', async () => {
  const app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  await app.importStores([...generateStores(250, 9)])
  // Nobody sends such a request twice at the same time.
  const proxy = await startFaultProxy(app, { weights: { ...roughNetwork, repeat: 0 } })
  const storedex = connectClient(proxy.origin, await app.key({ scopes, limits: generous }), { maxRetries: 12 })

  const names = Array.from({ length: 12 }, (_, index) => `List ${index}`)
  const made = await Promise.all(names.map((name) => createList(storedex, name)))
  expect(made.map(({ name }) => name)).toEqual(names)
  const { id } = made[0]!
  await storedex.lists.addItems(id, { from: { filters: {} }, max: 250 })
  const items = await storedex.lists.items(id, { limit: 30 }).toArray({ maxRows: 1_000 })
  expect(new Set(items.map((item) => JSON.stringify(item))).size).toBe(250)
  await storedex.lists.update(id, { description: 'changed' })
  expect(await storedex.lists.get(id)).toMatchObject({ description: 'changed' })
  for (const list of made) await deleteList(storedex, list.id)
  expect(await storedex.lists.list().toArray({ maxRows: 100 })).toEqual([])
})

const allLists = (storedex: Storedex) => storedex.lists.list().toArray({ maxRows: 100 })

/** A list has no Idempotency-Key: after a lost reply the caller looks whether it was made. */
async function createList(storedex: Storedex, name: string): Promise<{ id: string; name: string }> {
  const made = await callUntilDone(() => storedex.lists.create({ name, kind: 'stores' }), ConflictError)
  return made ?? (await allLists(storedex)).find((list) => list.name === name)!
}

async function deleteList(storedex: Storedex, id: string): Promise<void> {
  await callUntilDone(() => storedex.lists.delete(id), NotFoundError)
}

/** Calls again after a lost reply. An error that says that it was done before must not come in the first call. */
async function callUntilDone<T>(call: () => PromiseLike<T>, done: typeof StoredexError): Promise<T | undefined> {
  for (let calls = 0; ; calls++) {
    try {
      return await call()
    } catch (error) {
      if (calls > 0 && error instanceof done) return undefined
      expect(error).toBeInstanceOf(ConnectionError)
    }
  }
}
