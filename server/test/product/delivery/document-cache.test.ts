import * as fc from 'fast-check'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { eraseContacts } from '../../../src/catalogue/erasure/erase-contacts.ts'
import { removeStore } from '../../../src/catalogue/erasure/remove-store.ts'
import type { Queryable } from '../../../src/foundation/db/pool.ts'
import { contactKey } from '../../../src/foundation/kernel/ids.ts'
import { DocumentCache } from '../../../src/product/delivery/document-cache.ts'
import { type CatalogueChanges, readCatalogueChanges } from '../../../src/product/delivery/document-cache-queries.ts'
import { startTestApp, type TestApp } from '../../support/app.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-21T12:00:00Z' })
})

/** Lets a cache see a version and waits until it uses it. */
async function useVersion(cache: DocumentCache, version: string): Promise<void> {
  cache.sawVersion(version)
  await vi.waitUntil(() => cache.version === version, { timeout: 20_000 })
}

const currentVersion = async () => (await readCatalogueChanges(app.deps.db, '0:', 0)).version

const changesSince = (version: string, maxStores = 100): Promise<CatalogueChanges> =>
  readCatalogueChanges(app.deps.db, version, maxStores)

async function storeIdOf(host: string): Promise<number> {
  const { rows } = await app.db.query('select store_id from store_domains where host = $1', [host])
  return rows[0].store_id
}

let shops = 0
async function newShop(): Promise<{ domain: string; id: number }> {
  const domain = `cached-${++shops}.example`
  await app.importStores([{ domain, name: 'A shop' }])
  return { domain, id: await storeIdOf(domain) }
}

describe('what changed since a version', () => {
  test('is nothing at that version', async () => {
    await newShop()
    const version = await currentVersion()
    expect(await changesSince(version)).toEqual({ version, isComplete: true, storeIds: [] })
  })

  test('is what imports, erasures and removals changed, and nothing else', async () => {
    const [changed, removed, withPerson] = [await newShop(), await newShop(), await newShop()]
    await app.importContacts([
      { store_domain: withPerson.domain, external_id: 'p', emails: [{ email: 'p@mail.example', status: 'verified' }] },
    ])
    const version = await currentVersion()
    await app.importStores([{ domain: changed.domain, name: 'Another name' }])
    await removeStore(app.operator, removed.domain)
    await eraseContacts(app.operator, { email: 'p@mail.example' })
    const { storeIds } = await changesSince(version)
    expect(storeIds?.sort()).toEqual([changed.id, removed.id, withPerson.id].sort())
  })

  test('is unknown for a version of another history, and when it is too much', async () => {
    await newShop()
    const version = await currentVersion()
    await newShop()
    const [batch] = version.split(':')
    expect((await changesSince(`${batch}:1234`)).storeIds).toBeNull()
    expect((await changesSince(version, 1)).storeIds).toHaveLength(1)
    await newShop()
    expect((await changesSince(version, 1)).storeIds).toBeNull()
  })
})

/** A database at a version, in which nothing changed. */
function databaseAt(version: string, isComplete = true) {
  const row = { version, is_known: true, is_complete: isComplete, ids: null }
  return { query: (): Promise<object> => Promise.resolve({ rows: [row] }) }
}

describe('the cache', () => {
  const open = (maxBytes = 1_000_000) => new DocumentCache({ maxBytes, db: app.deps.db })

  test('keeps documents of the version that was seen, and gives out none of another', async () => {
    const cache = open()
    cache.put(1, 'before a version is known', await currentVersion())
    expect(cache.get(1)).toBeUndefined()
    const version = await currentVersion()
    await useVersion(cache, version)
    cache.put(1, 'one', version)
    cache.put(2, 'of another version', `${version}1`)
    expect([cache.get(1), cache.get(2), cache.version]).toEqual(['one', undefined, version])
  })

  test('gives out nothing once a newer version was seen, and then all that did not change', async () => {
    const [changed, same] = [await newShop(), await newShop()]
    const cache = open()
    const version = await currentVersion()
    await useVersion(cache, version)
    cache.put(changed.id, 'changed', version)
    cache.put(same.id, 'same', version)
    await app.importStores([{ domain: changed.domain, name: 'Changed' }])
    const newer = await currentVersion()
    cache.sawVersion(newer)
    expect([cache.version, cache.get(same.id)]).toEqual([null, undefined])
    await vi.waitUntil(() => cache.version === newer, { timeout: 20_000 })
    expect([cache.get(changed.id), cache.get(same.id)]).toEqual([undefined, 'same'])
  })

  test('catches up with batches that follow each other', async () => {
    const shop = await newShop()
    const cache = open()
    await useVersion(cache, await currentVersion())
    cache.put(shop.id, 'first', await currentVersion())
    for (let turn = 0; turn < 4; turn++) {
      await app.importStores([{ domain: turn === 3 ? shop.domain : `beside-${turn}.example`, name: `Turn ${turn}` }])
      cache.sawVersion(await currentVersion())
    }
    const newest = await currentVersion()
    await vi.waitUntil(() => cache.version === newest, { timeout: 20_000 })
    expect(cache.get(shop.id)).toBeUndefined()
  })

  test('forgets everything when the database cannot tell what changed', async () => {
    const working = databaseAt('1:1')
    let answer = working.query
    const cache = new DocumentCache({ maxBytes: 1_000_000, db: { query: () => answer() } as unknown as Queryable })
    await useVersion(cache, '1:1')
    cache.put(1, 'one', '1:1')
    answer = () => Promise.reject(new Error('no database'))
    cache.sawVersion('2:2')
    await vi.waitUntil(() => cache.gauges()[1]!.read()[0]!.value === 0)
    answer = databaseAt('2:2').query
    await vi.waitUntil(() => {
      cache.sawVersion('2:2')
      return cache.version === '2:2'
    })
    expect(cache.get(1)).toBeUndefined()
  })

  test('waits until all rows of a batch are there', async () => {
    let isComplete = false
    let reads = 0
    const query = () => {
      reads++
      return databaseAt('1:1', isComplete).query()
    }
    const db = { query } as unknown as Queryable
    const cache = new DocumentCache({ maxBytes: 1_000_000, db })
    cache.sawVersion('1:1')
    cache.put(1, 'of the batch before', '1:1')
    await vi.waitUntil(() => reads > 2, { timeout: 20_000 })
    expect([cache.version, cache.get(1)]).toEqual([null, undefined])
    isComplete = true
    await vi.waitUntil(() => cache.version === '1:1', { timeout: 20_000 })
    expect(cache.get(1)).toBeUndefined()
  })

  test('stays within its bytes, and keeps what is used', async () => {
    const step = fc.record({ id: fc.integer({ min: 0, max: 60 }), number: fc.integer({ min: -3, max: 3 }) })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 400 }), async (steps) => {
        const maxBytes = 12_000
        const cache = new DocumentCache({ maxBytes, db: databaseAt('1:') as unknown as Queryable })
        await useVersion(cache, '1:')
        const text = (id: number) => `${id}`.padEnd(100, id % 2 === 0 ? 'é' : '語')
        for (const { id, number } of steps) {
          if (number < 0) {
            expect([undefined, text(id)]).toContain(cache.get(id))
            cache.put(id, text(id), '1:')
            expect(cache.get(id)).toBe(text(id))
          } else {
            const key = contactKey(id, number)
            const parts = { person: text(key), store: text(id), isRevealable: true }
            expect([undefined, text(key)]).toContain(cache.getPreview(key)?.person)
            cache.putPreview(key, parts, '1:')
            expect(cache.getPreview(key)).toEqual(parts)
          }
          const [bytes] = cache.gauges()[0]!.read()
          expect(bytes!.value).toBeLessThanOrEqual(maxBytes)
        }
      }),
    )
  })

  test('begins a store anew whose people would take more than half of it', async () => {
    const cache = new DocumentCache({ maxBytes: 8_000, db: databaseAt('1:') as unknown as Queryable })
    await useVersion(cache, '1:')
    const keys = Array.from({ length: 60 }, (_, number) => contactKey(1, number))
    for (const key of keys) {
      cache.putPreview(key, { person: 'x'.repeat(200), store: 'a store', isRevealable: true }, '1:')
      expect(cache.gauges()[0]!.read()[0]!.value).toBeLessThanOrEqual(8_000)
    }
  })

  test('keeps previews by contact, and drops those of a store that changed', async () => {
    const [changed, same] = [await newShop(), await newShop()]
    const cache = open()
    const version = await currentVersion()
    await useVersion(cache, version)
    const people = [contactKey(changed.id, 1), contactKey(changed.id, 2), contactKey(same.id, 1)]
    for (const key of people)
      cache.putPreview(key, { person: `person ${key}`, store: 'a store', isRevealable: true }, version)
    cache.putPreview(
      contactKey(same.id, 2),
      { person: 'of another version', store: 'a store', isRevealable: true },
      `${version}1`,
    )
    expect(people.map((key) => cache.getPreview(key)?.person)).toEqual(people.map((key) => `person ${key}`))
    expect([cache.getPreview(contactKey(same.id, 2)), cache.get(same.id)]).toEqual([undefined, undefined])
    cache.put(same.id, 'same', version)
    await app.importContacts([{ store_domain: changed.domain, external_id: 'new' }])
    await useVersion(cache, await currentVersion())
    const [first, second, third] = people.map((key) => cache.getPreview(key))
    expect([first, second, third, cache.get(same.id)]).toEqual([
      undefined,
      undefined,
      { person: `person ${people[2]}`, store: 'a store', isRevealable: true },
      'same',
    ])
  })

  test('drops who was erased without a request', async () => {
    const shop = await newShop()
    await app.importContacts([
      { store_domain: shop.domain, external_id: 'q', emails: [{ email: 'q@mail.example', status: 'verified' }] },
    ])
    const cache = open()
    const version = await currentVersion()
    await useVersion(cache, version)
    cache.putPreview(contactKey(shop.id, 1), { person: 'a person', store: 'a store', isRevealable: true }, version)
    await cache.check()
    expect([cache.version, cache.gauges()[1]!.read()[0]!.value]).toEqual([version, 1])
    await eraseContacts(app.operator, { email: 'q@mail.example' })
    await cache.check()
    await vi.waitUntil(() => cache.gauges()[1]!.read()[0]!.value === 0, { timeout: 20_000 })
  })

  test('of no bytes keeps nothing', () => {
    const cache = open(0)
    cache.sawVersion('1:')
    cache.put(1, 'one', '1:')
    expect([cache.version, cache.get(1)]).toEqual([null, undefined])
  })
})
