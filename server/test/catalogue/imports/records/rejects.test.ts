import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { openTestCatalogue, type TestCatalogue } from '../support/test-catalogue.ts'

let catalogue: TestCatalogue
beforeAll(async () => {
  catalogue = await openTestCatalogue()
})

const hosts = (count: number) => Array.from({ length: count }, (_, number) => `alias-${number}.example`)

const invalidRecords: [record: unknown, reason: string | RegExp][] = [
  [{ name: 'No domain' }, 'domain: missing'],
  [{ domain: null }, 'domain: must be text'],
  [{ domain: 7 }, 'domain: must be text'],
  [{ domain: 'not a domain' }, 'domain: "not a domain" is not a domain'],
  [{ domain: 'co.uk' }, 'domain: "co.uk" is not a domain'],
  [{ domain: 'x'.repeat(3_000) }, 'domain: longer than 2048 characters'],
  [{ domain: 'a.example', colour: 'red' }, 'colour: unknown field'],
  [{ domain: 'a.example', id: 'st_live_KqWvTzHbNcRyLpXm' }, 'id: unknown field'],
  [{ domain: 'a.example', technologies: { frameworks: [] } }, 'technologies.frameworks: unknown field'],
  [{ domain: 'a.example', technologies: { theme: { version: 1 } } }, 'technologies.theme.version: unknown field'],
  [{ domain: 'a.example', technologies: 'klaviyo' }, 'technologies: must be an object or null'],
  [{ domain: 'a.example', technologies: { apps: 'klaviyo' } }, 'technologies.apps: must be a list or null'],
  [{ domain: 'a.example', technologies: { apps: ['klaviyo', 3] } }, 'technologies.apps[1]: must be text'],
  [{ domain: 'a.example', technologies: { apps: Array(501).fill('loox') } }, 'technologies.apps: more than 500 items'],
  [
    { domain: 'a.example', technologies: { apps: ['loox', 'klavio'] } },
    /^technologies\.apps\[1\]: unknown value "klavio" \(nearest: klaviyo\b/,
  ],
  [{ domain: 'a.example', technologies: { pixels: ['zzzzqqqq'] } }, 'technologies.pixels[0]: unknown value "zzzzqqqq"'],
  [{ domain: 'a.example', technologies: { theme: { type: 'rented' } } }, /^technologies\.theme\.type: unknown value/],
  [{ domain: 'a.example', technologies: { theme: { name: '' } } }, 'technologies.theme.name: must not be empty'],
  [
    { domain: 'a.example', technologies: { theme: { name: 'x'.repeat(201) } } },
    'technologies.theme.name: longer than 200 characters',
  ],
  [{ domain: 'a.example', name: 3 }, 'name: must be text or null'],
  [{ domain: 'a.example', name: ' \t' }, 'name: must not be blank'],
  [{ domain: 'a.example', name: 'x'.repeat(501) }, 'name: longer than 500 characters'],
  [{ domain: 'a.example', name: 'nul \0' }, 'name: contains control characters'],
  [{ domain: 'a.example', name: 'half \ud83d' }, 'name: contains invalid characters'],
  [{ domain: 'a.example', category: 'home_gardn' }, /^category: unknown value "home_gardn" \(nearest: home_garden/],
  [{ domain: 'a.example', category: ['home_garden'] }, 'category: must be text or null'],
  [{ domain: 'a.example', country: 'Germany' }, /^country: unknown value "Germany"/],
  [{ domain: 'a.example', traffic_tier: '10k' }, /^traffic_tier: unknown value "10k"/],
  [{ domain: 'a.example', revenue_tier: '1m_5m' }, /^revenue_tier: unknown value "1m_5m"/],
  [{ domain: 'a.example', platform_plus: 'yes' }, 'platform_plus: must be true or false or null'],
  [{ domain: 'a.example', lead_fit_score: '71.5' }, 'lead_fit_score: must be a number or null'],
  [{ domain: 'a.example', active_ads: -1 }, 'active_ads: must be at least 0 or null'],
  [{ domain: 'a.example', active_ads: 1.5 }, 'active_ads: must be a whole number or null'],
  [{ domain: 'a.example', active_ads: 2 ** 31 }, 'active_ads: must be at most 2147483647 or null'],
  [
    { domain: 'a.example', first_discovered_at: '2026-02-30T00:00:00Z' },
    'first_discovered_at: "2026-02-30T00:00:00Z" is not a date with time and offset (2026-11-01T00:00:00Z)',
  ],
  [{ domain: 'a.example', first_discovered_at: '2026-02-03' }, /^first_discovered_at: "2026-02-03" is not a date/],
  [{ domain: 'a.example', first_discovered_at: 1_700_000_000 }, 'first_discovered_at: must be text or null'],
  [{ domain: 'a.example', store_created_at: '2019-03-01T00:00:00Z' }, 'store_created_at: must be an object or null'],
  [
    { domain: 'a.example', store_created_at: { estimate: '2019' } },
    /^store_created_at\.estimate: "2019" is not a date/,
  ],
  [
    { domain: 'a.example', store_created_at: { resolution: 'day' } },
    'store_created_at.resolution: must be one of exact, month, year or null',
  ],
  [
    { domain: 'a.example', store_created_at: { source: 'guess' } },
    /^store_created_at\.source: must be one of platform,/,
  ],
  [{ domain: 'a.example', store_created_at: { confidence: 1 } }, /^store_created_at\.confidence: must be one of high,/],
  [{ domain: 'a.example', aliases: ['b.example', 'nope'] }, 'aliases[1]: "nope" is not a domain'],
  [{ domain: 'a.example', aliases: hosts(51) }, 'aliases: more than 50 items'],
  [['a.example'], 'must be an object'],
  ['a.example', 'must be an object'],
  [null, 'must be an object'],
]

test('every invalid record is rejected with field and reason, and nothing of it is imported', async () => {
  const result = await catalogue.importStores(invalidRecords.map(([record]) => record))
  expect(result).toMatchObject({ read: invalidRecords.length, inserted: 0, rejected: invalidRecords.length })
  const rejects = await catalogue.rejectsOf(result)
  for (const [index, [record, reason]] of invalidRecords.entries()) {
    const reject = rejects[index]!
    expect(reject.line).toBe(index + 1)
    if (typeof reason === 'string') expect(reject.reason).toBe(reason)
    else expect(reject.reason).toMatch(reason)
    expect(reject.record).toEqual(JSON.parse(JSON.stringify(record)))
  }
  expect(await catalogue.store('a.example')).toBeUndefined()
  expect(await catalogue.batch()).toBe(0)
})

test('invalid or ambiguous JSON is rejected with the line as text', async () => {
  const lines = [
    '{"domain":"a.example"',
    '{"domain":"a.example","name":"A","name":"B"}',
    '{"domain":"a.example","lead_fit_score":1e999}',
    `${'['.repeat(100)}${']'.repeat(100)}`,
    '{"domain":"a.example","__proto__":{"name":"x"}}',
  ]
  const result = await catalogue.importStoresFile('odd.ndjson', lines.join('\n'))
  expect(await catalogue.rejectsOf(result)).toEqual([
    { line: 1, reason: 'not valid JSON', record: lines[0] },
    { line: 2, reason: 'duplicate key in an object', record: lines[1] },
    { line: 3, reason: 'lead_fit_score: must be a number or null', record: expect.anything() },
    { line: 4, reason: 'nested too deeply', record: lines[3] },
    { line: 5, reason: '__proto__: unknown field', record: expect.anything() },
  ])
})

test('the rejects file contains only rejects, is readable by its owner only, and is replaced by the next import', async () => {
  const good = '{"domain":"kept.example"}'
  const first = await catalogue.importStoresFile('replace.ndjson', `${good}\n{}\n[]\n`)
  expect(first).toMatchObject({
    read: 3,
    inserted: 1,
    rejected: 2,
    rejects_file: `${catalogue.folder}/replace.ndjson.rejects.ndjson`,
  })
  expect((await stat(first.rejects_file!)).mode & 0o777).toBe(0o600)
  await writeFile(first.rejects_file!, 'left over', { mode: 0o644 })

  const second = await catalogue.importStoresFile('replace.ndjson', `${good}\n\n{"name":"x"}`)
  expect(second).toMatchObject({ read: 2, unchanged: 1, rejected: 1 })
  expect(await catalogue.rejectsOf(second)).toEqual([{ line: 3, reason: 'domain: missing', record: { name: 'x' } }])
  expect((await stat(second.rejects_file!)).mode & 0o777).toBe(0o600)
})

test('rejects are written in line order, whether the record or a conflict caused them', async () => {
  const result = await catalogue.importStores([
    { domain: 'order.example', aliases: ['order-alias.example'] },
    { domain: 'order-alias.example' },
    {},
    { domain: 'order-2.example', aliases: ['order.example'] },
  ])
  expect((await catalogue.rejectsOf(result)).map((reject) => reject.line)).toEqual([2, 3, 4])
})

test('if the rejects file cannot be created beside the import file, it is created in the temporary folder', async () => {
  await mkdir(`${catalogue.folder}/blocked.ndjson.rejects.ndjson`)
  const result = await catalogue.importStoresFile('blocked.ndjson', '{}\n')
  expect(dirname(dirname(result.rejects_file!))).toBe(tmpdir())
  expect(await catalogue.rejectsOf(result)).toHaveLength(1)
})

test('a very long record is truncated in the rejects file', async () => {
  const result = await catalogue.importStores([{ domain: 'x.example', aliases: Array(5_000).fill('alias.example') }])
  const [reject] = await catalogue.rejectsOf(result)
  expect(reject!.record).toMatch(/^\{"domain":"x\.example","aliases":\[/)
  expect((await readFile(result.rejects_file!)).length).toBeLessThan(50_000)
})
