import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import { beforeAll, describe, expect, test } from 'vitest'
import { readSheet, unzip } from '../../../../packages/workbook/test/write/read-back.ts'
import { runCommand } from '../../doors/cli/support/run-command.ts'
import { reveal } from '../../product/contacts/support/reveals.ts'
import { startTestApp, type TestApp, type TestKey } from '../../support/app.ts'
import { atEnd } from '../../support/cleanup.ts'
import type { Json } from '../../support/client.ts'

const now = '2026-11-10T12:00:00.000Z'
const folder = mkdtempSync(join(tmpdir(), 'storedex-records-'))
atEnd(async () => rmSync(folder, { recursive: true }))

const demo = (name: string): Json[] =>
  readFileSync(join(import.meta.dirname, '../../../../catalogue/demo', name), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

// Every field, empty and filled; equal scores, so that the order of import decides.
const rich: Json[] = [
  {
    domain: 'rich.example',
    name: 'Rich, "quoted" & Søn | 株式会社',
    aliases: ['rich-shop.example', 'a-rich.example'],
    category: 'home_garden',
    country: 'DE',
    traffic_tier: null,
    platform_plus: true,
    lead_fit_score: -12.75,
    store_created_at: {
      estimate: '2019-03-01T00:00:00.000Z',
      resolution: 'month',
      source: 'platform',
      confidence: 'low',
    },
    first_discovered_at: '2024-02-29T23:59:59.999Z',
    active_ads: 17,
    technologies: { apps: ['klaviyo', 'yotpo'], pixels: ['meta_pixel'], theme: { name: '-Dawn 2.0-', type: 'paid' } },
  },
  { domain: 'bare.example', name: 'bare.example' },
  { domain: 'twin.example', name: '+Twin' },
]
const people: Json[] = [
  {
    store_domain: 'rich.example',
    external_id: 'crm-7',
    first_name: 'Mara',
    last_name: "O'Lindqvist, jr.",
    full_name: 'Dr. Mara Lindqvist',
    title: '-Head of Marketing',
    role: 'marketing',
    seniority: 'decision_maker',
    profile_url: 'https://people.example/mara?x=1,2',
    emails: [
      { email: 'old@rich.example', status: 'bounced', type: 'work' },
      { email: 'mara@rich.example', status: 'verified', type: 'work', is_primary: true },
      { email: 'guess@rich.example', status: 'guessed' },
    ],
    phones: [
      { phone: '+4930123456', type: 'office', is_primary: true },
      { phone: '+4915112345678', type: 'mobile' },
    ],
  },
  { store_domain: 'rich.example', emails: [{ email: 'only@rich.example', status: 'invalid' }] },
  { store_domain: 'rich.example', first_name: 'Nur', last_name: 'Name', title: 'Owner' },
  { store_domain: 'twin.example', full_name: 'Yuki 山田', phones: [{ phone: '+12025550143' }] },
]

let source: TestApp
let viaNdjson: TestApp
let viaCsv: TestApp
beforeAll(async () => {
  const open = () => startTestApp({ now })
  ;[source, viaNdjson, viaCsv] = await Promise.all([open(), open(), open()])
  const stores = demo('stores.ndjson').slice(0, 60)
  const domains = new Set(stores.map(({ domain }) => domain))
  const contacts = demo('contacts.ndjson').filter(({ store_domain }) => domains.has(store_domain))
  await source.importStores([...rich, ...stores])
  await source.importContacts([...people, ...contacts.slice(0, 90)])
  for (const [app, extension] of [
    [viaNdjson, 'ndjson.gz'],
    [viaCsv, 'csv'],
  ] as const) {
    for (const kind of ['stores', 'contacts']) {
      const file = join(folder, `${kind}.${extension}`)
      await run(source, 'export', kind, file)
      await run(app, 'import', kind, file, '--extend-taxonomy')
    }
    await app.searchFollows()
  }
})

async function run(app: TestApp, ...args: string[]): Promise<{ stdout: string; stderr: string }> {
  const { code, ...output } = await runCommand(app.operator, args)
  if (code !== 0) throw new Error(`storedex ${args.join(' ')}: ${output.stderr}`)
  return output
}

const exported = async (app: TestApp, kind: string) => (await run(app, 'export', kind, '-')).stdout

/** A reply without what differs from installation to installation. */
const comparable = (body: Json): Json =>
  JSON.parse(
    JSON.stringify(body, (key, value) =>
      ['id', 'request_id', 'next_cursor', 'engine_ms', 'revealed_at'].includes(key) ? undefined : value,
    ),
  )

async function walk(key: TestKey, path: string, body: object): Promise<Json[]> {
  const rows: Json[] = []
  for (let cursor: string | null = null; ; ) {
    const page: Json = (await key.post(path, { ...body, limit: 100, cursor })).body
    rows.push(...page.data)
    if (page.next_cursor === null) return rows
    cursor = page.next_cursor
  }
}

async function everyReply(app: TestApp): Promise<Json> {
  const limits = { contact_credits: 10_000, store_exports: 10_000, requests_per_minute: 10_000 }
  const key = await app.key({ plan: 'enterprise', limits })
  const stores = await walk(key, '/stores/search', { filters: {} })
  const previews = await walk(key, '/contacts/search', { max_contacts_per_store: 10 })
  const revealed: Json[] = []
  for (let i = 0; i < previews.length; i += 10) {
    const ids = previews.slice(i, i + 10).map(({ id }) => id)
    revealed.push(...((await reveal(key, ids)).body.data ?? []))
  }
  const lookups: Json[] = []
  for (const host of ['rich.example', 'a-rich.example', 'rich-shop.example', 'bare.example'])
    lookups.push((await key.get(`/stores/${host}`)).body)
  const busy = await walk(key, '/stores/search', { filters: { meta_ads: { active_ads_min: 17 } } })
  return comparable({ stores, previews, revealed, lookups, busy })
}

describe.each([
  ['NDJSON', () => viaNdjson],
  ['CSV', () => viaCsv],
])('an installation filled from an export as %s', (_format, app) => {
  test('gives every reply that the first one gives, in the same order', async () => {
    const expected = await everyReply(source)
    expect(expected.stores.length).toBe(63)
    expect(expected.revealed.length).toBeGreaterThan(50)
    expect(await everyReply(app())).toEqual(expected)
  })

  test('holds all that was imported, also what no reply tells', async () => {
    expect(await exported(app(), 'stores')).toBe(await exported(source, 'stores'))
    expect(await exported(app(), 'contacts')).toBe(await exported(source, 'contacts'))
  })
})

describe('an export of the operator', () => {
  test('has the records as they were imported', async () => {
    const [mara, only] = (await exported(source, 'contacts')).split('\n').map((line) => line && JSON.parse(line))
    expect(mara).toMatchObject({ ...people[0], emails: people[0].emails })
    expect(only.emails).toEqual([{ email: 'only@rich.example', status: 'invalid', type: 'unknown', is_primary: true }])
    const stores = (await exported(source, 'stores')).trimEnd().split('\n')
    expect(JSON.parse(stores[0]!)).toMatchObject({ ...rich[0], aliases: ['a-rich.example', 'rich-shop.example'] })
  })

  test('is a file for its owner alone, in one piece, that never replaces another', async () => {
    const file = join(folder, 'contacts.ndjson.gz')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const before = readFileSync(file)
    expect(gunzipSync(before).toString()).toBe(await exported(source, 'contacts'))
    const again = await runCommand(source.operator, ['export', 'contacts', file])
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('already exists')])
    expect(readFileSync(file)).toEqual(before)
    const nowhere = join(folder, 'missing', 'stores.csv')
    const failed = await runCommand(source.operator, ['export', 'stores', nowhere])
    expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining('cannot be written')])
    expect(existsSync(`${nowhere}.part`)).toBe(false)
  })

  test('tells what it wrote, as text or JSON, beside standard output and not in it', async () => {
    const file = join(folder, 'told.csv')
    expect(JSON.parse((await run(source, 'export', 'stores', file, '--json')).stdout)).toEqual({
      file,
      format: 'csv',
      records: 63,
      seconds: expect.any(Number),
    })
    const { stdout, stderr } = await run(source, 'export', 'stores', '-', '--format', 'csv')
    expect(stdout).toBe(readFileSync(file, 'utf8'))
    expect(stderr).toMatch(/^Written to standard output in [\d.]+ s: 63 stores\.\n$/)
    for (const args of [['stores.txt'], ['-', '--json'], [], ['a.csv', '--format', 'xml']])
      expect((await runCommand(source.operator, ['export', 'stores', ...args])).code).toBe(2)
  })

  test('as a workbook has the cells of CSV, without guards', async () => {
    await run(source, 'export', 'stores', join(folder, 'cells.csv'))
    const file = join(folder, 'cells.xlsx')
    const told = JSON.parse((await run(source, 'export', 'stores', file, '--json')).stdout)
    expect(told).toMatchObject({ file, format: 'xlsx', records: 63, cut_cells: 0 })
    const cells = readSheet(unzip(readFileSync(file)).get('xl/worksheets/sheet1.xml')!)
    const rows = parse(readFileSync(join(folder, 'cells.csv'))) as string[][]
    const texts = cells.map((row) => rows[0]!.map((_, index) => String(row[index]?.value ?? '')))
    expect(texts).toEqual(rows.map((row) => row.map((text) => text.replace(/^'(?=[=+\-@])/, ''))))
    const score = rows[0]!.indexOf('lead_fit_score')
    expect(cells.slice(1).every((row) => !row[score] || row[score].type === 'number')).toBe(true)
    expect((await runCommand(source.operator, ['export', 'stores', `${file}.gz`])).code).toBe(2)
  })

  test('of suppressions has their hashes, which name nobody', async () => {
    const list = join(folder, 'list.txt')
    await runCommand(source.operator, ['contacts', 'erase', '--email', 'nobody@gone.example'])
    const [line, ...rest] = (await exported(source, 'suppressions')).trimEnd().split('\n')
    expect(rest).toEqual([])
    expect(JSON.parse(line!)).toEqual({ kind: 'email', hash: expect.stringMatching(/^-?\d+$/), added_at: now })
    await run(source, 'export', 'suppressions', `${list}.csv`)
    expect(readFileSync(`${list}.csv`, 'utf8')).toMatch(
      /^kind,hash,added_at\r\nemail,-?\d+,2026-11-10T12:00:00.000Z\r\n$/,
    )
  })

  test('of the history has every change with the domain of its store', async () => {
    await source.importStores([{ domain: 'bare.example', name: 'Bare', technologies: { apps: ['klaviyo'] } }])
    const changes = (await exported(source, 'history')).trimEnd().split('\n')
    const ofBare = changes.map((line) => JSON.parse(line)).filter(({ domain }) => domain === 'bare.example')
    expect(ofBare).toEqual([
      expect.objectContaining({ field: 'added_to_catalogue', at: now, before: null, after: null }),
      expect.objectContaining({ field: 'apps', before: null, added: ['klaviyo'], removed: [] }),
      expect.objectContaining({ field: 'name', before: 'bare.example', after: 'Bare' }),
    ])
    await run(source, 'export', 'history', join(folder, 'history.csv'))
    const lines = readFileSync(join(folder, 'history.csv'), 'utf8').split('\r\n')
    expect(lines[0]).toBe('domain,at,field,before,after,added,removed')
    expect(lines).toContain(`bare.example,${now},apps,,,klaviyo,`)
  })
})
