import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { LineSplitter } from '../../../../src/catalogue/imports/source/lines.ts'
import { importSuppressions } from '../../../../src/catalogue/imports/suppressions/import-suppressions.ts'
import { readSuppression } from '../../../../src/catalogue/imports/suppressions/read-suppression.ts'
import { startTestApp, type TestApp } from '../../../support/app.ts'
import {
  countSuppressionsByKind,
  externalIdsAt,
  importSuppressionLines,
  importSuppressionsFromStdin,
  tryImportContacts,
} from '../../erasure/support/people.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-21T12:00:00Z' })
})

let shops = 0
async function newShop(more: object = {}): Promise<string> {
  const domain = `suppressing-${++shops}.example`
  await app.importStores([{ domain, name: 'A shop', country: 'DE', ...more }])
  return domain
}

function person(store_domain: string, name: string, more: object = {}) {
  return {
    store_domain,
    external_id: name,
    first_name: 'Somebody',
    emails: [{ email: `${name}@mail.example` }],
    ...more,
  }
}

test('each line suppresses a person or domain for imports and erases stored contacts', async () => {
  const shop = await newShop()
  await app.importContacts([
    person(shop, 'by-email'),
    person(shop, 'by-phone', { phones: [{ phone: '030 555 0101' }] }),
    person(shop, 'by-profile', { profile_url: 'https://www.people.example/in/ada/' }),
    person(shop, 'by-host', { emails: [{ email: 'x@left-out.example' }] }),
    person(shop, 'below-that-host', { emails: [{ email: 'x@mail.left-out.example' }] }),
  ])
  const before = await countSuppressionsByKind(app)
  const result = await importSuppressionLines(
    app,
    '# our list',
    '',
    '  Somebody <BY-EMAIL@mail.example>  ',
    'tel:+49 30 555-0101',
    'http://de.people.example/in/Ada?utm_source=list',
    'www.left-out.example',
    'nobody@mail.example',
  )
  expect(result).toEqual({
    read: 5,
    inserted: 5,
    updated: 0,
    unchanged: 0,
    rejected: 0,
    erased: 4,
    rejects_file: null,
    rejects: [],
    seconds: expect.any(Number),
  })
  expect(await externalIdsAt(app, shop)).toEqual(['below-that-host'])
  const after = await countSuppressionsByKind(app)
  expect(after.domain).toBe((before.domain ?? 0) + 1)

  const offered = ['by-email', 'by-phone', 'by-profile', 'by-host'].map((name) => person(shop, name))
  offered[3]!.emails = [{ email: 'y@left-out.example' }]
  expect(await tryImportContacts(app, offered)).toMatchObject({ inserted: 0, rejected: 4 })
})

test('importing the same list again changes nothing', async () => {
  const lines = ['again@mail.example', 'https://people.example/in/again', 'again.example', '+49 30 555 0102']
  await importSuppressionLines(app, ...lines, 'AGAIN@mail.example')
  const before = await countSuppressionsByKind(app)
  const result = await importSuppressionLines(app, ...lines, 'AGAIN@mail.example')
  expect(result).toMatchObject({ read: 5, inserted: 0, unchanged: 5, erased: 0 })
  expect(await countSuppressionsByKind(app)).toEqual(before)
})

test('importing the same list again finishes an interrupted import', async () => {
  const shop = await newShop()
  await app.importContacts([person(shop, 'cut-short')])
  // The state after a run that ended between suppressing and erasing.
  const { hash } = app.deps.seals.identities.hash('email', 'cut-short@mail.example')
  await app.db.query("insert into suppressions values ($1::bigint, 'email', $2)", [hash, app.clock.now()])
  expect(await importSuppressionLines(app, 'cut-short@mail.example')).toMatchObject({
    inserted: 0,
    unchanged: 1,
    erased: 1,
  })
  expect(await externalIdsAt(app, shop)).toEqual([])
})

test('a list of more than 50 lines erases every match', async () => {
  const shop = await newShop()
  const names = Array.from({ length: 120 }, (_, index) => `crowd-${index}`)
  const reached = names.map((name) => person(shop, name, { phones: [{ phone: '+49 30 555 0104' }] }))
  await app.importContacts(reached)
  const lines = names.slice(0, 100).map((name) => `${name}@mail.example`)
  expect(await importSuppressionLines(app, ...lines)).toMatchObject({ read: 100, inserted: 100, erased: 100 })
  expect(await externalIdsAt(app, shop)).toEqual(names.slice(100))
  // The shared phone is not suppressed.
  const next = person(shop, 'next', { phones: [{ phone: '+49 30 555 0104' }] })
  expect(await tryImportContacts(app, [next])).toMatchObject({ inserted: 1 })
})

describe('a domain line', () => {
  test('suppresses the contacts of the store that has the domain as any of its hosts', async () => {
    const shop = await newShop({ aliases: ['suppressed-alias.example'] })
    await app.importContacts([person(shop, 'one'), person(shop, 'two')])
    expect(await importSuppressionLines(app, '@suppressed-alias.example')).toMatchObject({ inserted: 1, erased: 2 })
    expect(await tryImportContacts(app, [person(shop, 'three')])).toMatchObject({ inserted: 0, rejected: 1 })
  })

  test('does not affect the same people at other stores', async () => {
    const [shop, other] = [await newShop(), await newShop()]
    await app.importContacts([person(shop, 'both'), person(other, 'both')])
    expect(await importSuppressionLines(app, shop)).toMatchObject({ erased: 1 })
    expect(await externalIdsAt(app, shop, other)).toEqual(['both'])
    expect(await tryImportContacts(app, [person(other, 'both', { title: 'Buyer' })])).toMatchObject({ updated: 1 })
  })
})

test('a listed person is erased at every store, and all of their personal identities are suppressed', async () => {
  const [shop, other] = [await newShop(), await newShop()]
  const profile_url = 'https://people.example/in/roving'
  await app.importContacts([
    person(shop, 'roving', { profile_url }),
    person(other, 'roving-2', { profile_url }),
    person(other, 'stays'),
  ])
  expect(await importSuppressionLines(app, 'roving@mail.example')).toMatchObject({ erased: 2 })
  expect(await tryImportContacts(app, [person(shop, 'new', { profile_url })])).toMatchObject({ rejected: 1 })
  expect(await externalIdsAt(app, shop, other)).toEqual(['stays'])
})

test('invalid lines are written with their number to a rejects file that only its owner can read', async () => {
  const result = await importSuppressionsFromStdin(app, 'mara@\n030 555 0103\n\nfine@mail.example\nwhat is this\n')
  expect(result).toMatchObject({ read: 4, inserted: 1, rejected: 3 })
  const text = await readFile(result.rejects_file!, 'utf8')
  expect((await stat(result.rejects_file!)).mode & 0o777).toBe(0o600)
  await rm(result.rejects_file!)
  expect(
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([
    { line: 1, reason: 'not an email address', record: 'mara@' },
    { line: 2, reason: expect.stringContaining('country code'), record: '030 555 0103' },
    { line: 5, reason: expect.stringContaining('neither'), record: 'what is this' },
  ])
})

test('a list compressed with gzip is read', async () => {
  const file = join(tmpdir(), `storedex-test-${crypto.randomUUID()}.list.gz`)
  await writeFile(file, gzipSync('packed@mail.example\r\n'))
  expect(await importSuppressions(app.operator, { file })).toMatchObject({ read: 1, inserted: 1 })
  await rm(file)
})

describe('parsing a line', () => {
  const read = (text: string) => {
    const [line] = new LineSplitter().push(Buffer.from(`${text}\n`))
    return readSuppression(line!, app.deps.seals.identities).identities.map(({ kind }) => kind)
  }

  test.each([
    ['mara@aurora.example', ['email']],
    ['Mara <mara@aurora.example>', ['email']],
    ['mailto:mara@aurora.example', ['email']],
    ['ｍａｒａ＠aurora.example', ['email']],
    ['+49 30 123456', ['phone']],
    ['0049 (0)30 / 123456', ['phone']],
    ['tel:+49-30-123456', ['phone']],
    ['+49 30 123456 ext. 7', ['phone']],
    ['https://people.example/in/mara', ['profile']],
    ['people.example/@mara', ['profile']],
    ['https://people.example/?id=7', ['profile']],
    // A site may be a company's domain or a person's homepage.
    ['aurora.example', ['profile', 'domain']],
    ['https://www.aurora.example/', ['profile', 'domain']],
    ['@aurora.example', ['profile', 'domain']],
    ['*@aurora.example', ['profile', 'domain']],
    ['123-shop.example', ['profile', 'domain']],
    ['MÜNCHEN.example', ['profile', 'domain']],
  ])('%s is recognised by its format', (text, kinds) => {
    expect(read(text)).toEqual(kinds)
  })

  test.each([
    'a@b',
    '12345',
    '030 123456',
    'com',
    'localhost',
    '10.0.0.1',
    'javascript:alert(1)',
    `${'x'.repeat(3_000)}.example`,
  ])('%s is rejected', (text) => {
    expect(() => read(text)).toThrow()
  })
})
