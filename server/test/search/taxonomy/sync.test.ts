import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ConnectionPool, createPool, transact } from '../../../src/foundation/db/pool.ts'
import { OperatorError } from '../../../src/foundation/kernel/errors.ts'
import { defaultLabel, extendTaxonomy, toExtensionValue } from '../../../src/search/taxonomy/extend-taxonomy.ts'
import { readTaxonomy, readTaxonomyVersion } from '../../../src/search/taxonomy/queries.ts'
import { readTaxonomyFiles, syncTaxonomy } from '../../../src/search/taxonomy/sync-taxonomy.ts'
import { createTestDatabase } from '../../support/database.ts'
import { createTaxonomyFolder } from './support/taxonomy-folder.ts'

let url: string
let pool: ConnectionPool
beforeAll(async () => {
  url = (await createTestDatabase()).url
  pool = createPool({ url, applicationName: 'taxonomy test', maxConnections: 4 })
})
afterAll(() => pool.end())
beforeEach(async () => {
  await pool.query('truncate taxonomy_values')
  await pool.query('update catalogue_state set taxonomy_version = 0')
})

async function storedValue(value: string) {
  return (await readTaxonomy(pool)).values.find((row) => row.value === value)
}

describe('syncing the taxonomy files', () => {
  test('imports the whole shipped taxonomy, and a second sync changes nothing', async () => {
    const shipped = join(import.meta.dirname, '../../../../catalogue/taxonomy')
    expect(await syncTaxonomy(pool, shipped)).toBe(true)
    const { version, values } = await readTaxonomy(pool)
    expect(version).toBe(1)
    expect(values.length).toBe((await readTaxonomyFiles(shipped)).length)
    expect(values.length).toBeGreaterThan(900)
    expect(Math.min(...values.map((row) => row.token))).toBeGreaterThanOrEqual(1000)

    expect(await syncTaxonomy(pool, shipped)).toBe(false)
    expect(await readTaxonomy(pool)).toEqual({ version, values })
  })

  test('stores every attribute of a value', async () => {
    await syncTaxonomy(pool, await createTaxonomyFolder())
    expect(await storedValue('candles')).toMatchObject({
      facet: 'category',
      label: 'Candles',
      parent: 'home',
      position: 1,
    })
    expect(await storedValue('home')).toMatchObject({ parent: null, position: 0 })
    expect(await storedValue('over_1k')).toMatchObject({ facet: 'traffic_tier', min: 1000, max: null })
    expect(await storedValue('klaviyo')).toMatchObject({ category: 'email_marketing', deprecated: false })
    expect(await storedValue('oldie')).toMatchObject({ category: null, deprecated: true })
  })

  test('updates labels, parents and order, and keeps tokens and values that are missing from the files', async () => {
    await syncTaxonomy(pool, await createTaxonomyFolder())
    const before = await readTaxonomy(pool)
    const changed = await createTaxonomyFolder({
      categories: [
        { value: 'food', label: 'Food' },
        { value: 'candles', label: 'Candles & Scents', parent: 'food' },
      ],
      apps: [{ value: 'oldie', label: 'Oldie' }],
    })
    expect(await syncTaxonomy(pool, changed)).toBe(true)

    const after = await readTaxonomy(pool)
    expect(after.version).toBe(before.version + 1)
    expect(await storedValue('candles')).toMatchObject({ label: 'Candles & Scents', parent: 'food', position: 1 })
    expect(await storedValue('home')).toMatchObject({ label: 'Home' })
    expect(await storedValue('klaviyo')).toMatchObject({ category: 'email_marketing' })
    expect(await storedValue('oldie')).toMatchObject({ deprecated: false, position: 0 })
    for (const row of before.values) expect(await storedValue(row.value)).toHaveProperty('token', row.token)
  })

  test('makes one change when several processes sync at once', async () => {
    const folder = await createTaxonomyFolder()
    const others = [1, 2, 3].map(() => createPool({ url, applicationName: 'another process', maxConnections: 1 }))
    const changed = await Promise.all([pool, ...others].map((each) => syncTaxonomy(each, folder)))
    await Promise.all(others.map((other) => other.end()))
    expect(changed.filter(Boolean)).toHaveLength(1)
    expect(await readTaxonomyVersion(pool)).toBe(1)
  })

  test.each([
    ['is not JSON', { roles: '[{"value":' }],
    ['is invalid at /0/value', { roles: [{ value: 'Head Of', label: 'Head of' }] }],
    ['is invalid at /0/value', { countries: [{ value: 'de', label: 'Germany' }] }],
    ['is invalid at /0', { roles: [{ value: 'founder' }] }],
    ['is invalid at /0', { roles: [{ value: 'founder', label: 'Founder', parent: 'ceo' }] }],
    ['is invalid at /0', { revenue_tiers: [{ value: 'any', label: 'Any' }] }],
    [
      'names founder twice',
      {
        roles: [
          { value: 'founder', label: 'F' },
          { value: 'founder', label: 'F' },
        ],
      },
    ],
    ['names home as a parent, but has no such value', { categories: [{ value: 'a', label: 'A', parent: 'home' }] }],
    [
      'makes a a parent of itself',
      {
        categories: [
          { value: 'a', label: 'A', parent: 'b' },
          { value: 'b', label: 'B', parent: 'a' },
        ],
      },
    ],
  ])('rejects a file that %s, and changes nothing', async (reason, replaced) => {
    const refused = await syncTaxonomy(pool, await createTaxonomyFolder(replaced)).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(OperatorError)
    expect((refused as Error).message).toContain(reason)
    expect(await readTaxonomyVersion(pool)).toBe(0)
  })

  test('names the missing file if the folder lacks one', async () => {
    await expect(syncTaxonomy(pool, '/nowhere')).rejects.toThrow(/^The taxonomy file \/nowhere\/.* cannot be read\.$/)
  })
})

describe('extending the taxonomy', () => {
  const extend = (value: string, facet: 'app' | 'category' = 'app') =>
    transact(pool, (client) => extendTaxonomy(client, [{ facet, value }]))

  test('adds new values once, after the shipped ones, with a label made from the value', async () => {
    await syncTaxonomy(pool, await createTaxonomyFolder())
    const added = await transact(pool, (client) =>
      extendTaxonomy(client, [
        { facet: 'app', value: 'zeta_mail' },
        { facet: 'app', value: 'alpha-mail' },
        { facet: 'app', value: 'klaviyo' },
        { facet: 'pixel', value: 'klaviyo' },
        { facet: 'app', value: 'zeta_mail' },
      ]),
    )
    expect(added).toBe(3)
    const { version, values } = await readTaxonomy(pool)
    expect(version).toBe(2)
    const apps = values.filter((row) => row.facet === 'app').map((row) => [row.value, row.label])
    expect(apps).toEqual([
      ['klaviyo', 'Klaviyo'],
      ['oldie', 'Oldie'],
      ['alpha-mail', 'Alpha Mail'],
      ['zeta_mail', 'Zeta Mail'],
    ])
  })

  test('does nothing for a known value', async () => {
    expect(await extend('zeta')).toBe(1)
    expect(await extend('zeta')).toBe(0)
    expect(await transact(pool, (client) => extendTaxonomy(client, []))).toBe(0)
    expect(await readTaxonomyVersion(pool)).toBe(1)
  })

  test('keeps the token when a later sync updates an added value', async () => {
    await extend('soap', 'category')
    const token = (await storedValue('soap'))!.token
    await syncTaxonomy(pool, await createTaxonomyFolder({ categories: [{ value: 'soap', label: 'Soaps' }] }))
    expect(await storedValue('soap')).toMatchObject({ token, label: 'Soaps', position: 0 })
  })

  test('adds a value once when several imports need it at the same time', async () => {
    const added = await Promise.all([extend('zeta'), extend('zeta'), extend('zeta')])
    expect(added.sort()).toEqual([0, 0, 1])
    expect(await readTaxonomyVersion(pool)).toBe(1)
  })

  test('rolls back with the import that fails', async () => {
    const failing = transact(pool, async (client) => {
      await extendTaxonomy(client, [{ facet: 'app', value: 'zeta' }])
      throw new Error('the import failed')
    })
    await expect(failing).rejects.toThrow('the import failed')
    expect(await storedValue('zeta')).toBeUndefined()
    expect(await readTaxonomyVersion(pool)).toBe(0)
  })

  test('refuses a value that is not a slug', async () => {
    await expect(extend('Zeta Mail')).rejects.toThrow('must be a slug')
    expect(await readTaxonomyVersion(pool)).toBe(0)
  })
})

test.each([
  ['Klaviyo', 'klaviyo', 'Klaviyo'],
  [' google_ads ', 'google_ads', 'Google Ads'],
  ['6sense', '6sense', '6sense'],
  ['tag-manager_', 'tag-manager_', 'Tag Manager'],
  ['hotjar.com', 'hotjar.com', 'Hotjar.com'],
])('the word %j becomes the value %s, labelled %s', (word, value, label) => {
  expect(toExtensionValue(word)).toBe(value)
  expect(defaultLabel(value)).toBe(label)
})

test.each(['', '_x', 'two words', 'naïve', '-', 'a'.repeat(65), 'x\ny'])(
  'the word %j cannot become a value',
  (word) => {
    expect(toExtensionValue(word)).toBeNull()
  },
)
