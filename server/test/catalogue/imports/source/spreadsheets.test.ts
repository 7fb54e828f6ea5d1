import { readFile } from 'node:fs/promises'
import iconv from 'iconv-lite'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { importContacts } from '../../../../src/catalogue/imports/contacts/import-contacts.ts'
import { importStoresAndContacts } from '../../../../src/catalogue/imports/contacts/stores-and-contacts.ts'
import type { ImportInput, ImportResult } from '../../../../src/catalogue/imports/records/import-file.ts'
import { inspectFile } from '../../../../src/catalogue/imports/records/inspect-file.ts'
import { importStores, storeImportKind } from '../../../../src/catalogue/imports/stores/import-stores.ts'
import { OperatorError } from '../../../../src/foundation/kernel/errors.ts'
import { loadTaxonomy } from '../../../../src/search/taxonomy/taxonomy.ts'
import { readStoredPeople } from '../support/stored-people.ts'
import { comparableContent, openTestCatalogue, type TestCatalogue } from '../support/test-catalogue.ts'

let catalogue: TestCatalogue
beforeAll(async () => {
  catalogue = await openTestCatalogue()
})
beforeEach(async () => {
  await catalogue.db.query('truncate stores, store_domains, contacts')
})

type Options = Omit<ImportInput, 'file' | 'extendTaxonomy'>

async function importStoreFile(name: string, content: string | Buffer, options: Options = {}): Promise<ImportResult> {
  return importStores(catalogue.context, {
    file: await catalogue.write(name, content),
    extendTaxonomy: false,
    ...options,
  })
}

async function importPeopleFile(name: string, content: string, options: Options = {}): Promise<ImportResult> {
  return importContacts(catalogue.context, {
    file: await catalogue.write(name, content),
    extendTaxonomy: false,
    ...options,
  })
}

const documentOf = async (domain: string) => (await catalogue.store(domain))?.document

/** Four stores, one of them with five faults and one that is no store. */
const messy = [
  'Website,Company,Country,Score,Apps,Plus',
  'https://www.one.example/shop,One,Germany,64.5,Klaviyo,TRUE',
  'two.example,=SUM(A1),Deutschlnd,abc,klaviyo|nope|loox,maybe',
  'not a host,Three,UK,1,,no',
  'four.example,Four,Atlantis,4,nope,no',
].join('\n')

test('delimiters and encodings are detected and told', async () => {
  const rows = [
    ['Website', 'Company', 'Country', 'Score'],
    ['kaese.example', 'Käse “Söhne” – €', 'Österreich', '64,5'],
    ['plain.example', 'Plain', 'UK', '7'],
  ]
  const written = (delimiter: string, lineBreak: string) =>
    rows.map((cells) => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(delimiter)).join(lineBreak)
  const files: [delimiter: string, encoding: string, content: Buffer][] = [
    [';', 'windows-1252', iconv.encode(written(';', '\r\n'), 'win1252')],
    [';', 'utf-8', iconv.encode(written(';', '\r'), 'utf8', { addBOM: true })],
    ['\t', 'utf-16le', iconv.encode(written('\t', '\r\n'), 'utf-16le', { addBOM: true })],
    ['\t', 'utf-16be', iconv.encode(written('\t', '\n'), 'utf-16be', { addBOM: true })],
    ['|', 'utf-8', Buffer.from(written('|', '\n'))],
    [';', 'utf-8', Buffer.from(`sep=;\r\n${written(';', '\r\n')}`)],
  ]
  const contents: object[][] = []
  for (const [delimiter, encoding, content] of files) {
    await catalogue.db.query('truncate stores, store_domains')
    const result = await importStoreFile('detected.csv', content)
    expect(result).toMatchObject({ read: 2, inserted: 2, delimiter, encoding, decimal: 'comma', problems: [] })
    contents.push(await comparableContent(catalogue.db))
  }
  expect(await documentOf('kaese.example')).toMatchObject({
    name: 'Käse “Söhne” – €',
    country: 'AT',
    lead_fit_score: 64.5,
  })
  for (const content of contents) expect(content).toEqual(contents[0])
})

test('what the person says about a file wins over what is detected', async () => {
  const content = iconv.encode('Website;Company\nzolc.example;Żółć\n', 'windows-1250')
  const options = { encoding: 'windows-1250', delimiter: ';' } as const
  expect(await importStoreFile('polish.csv', content, options)).toMatchObject({ inserted: 1, encoding: 'windows-1250' })
  expect((await documentOf('zolc.example'))!.name).toBe('Żółć')
  await expect(importStoreFile('polish.csv', content, { encoding: 'klingon' })).rejects.toThrow(OperatorError)
})

test('all faults of a record are told, and the report groups them by field and reason', async () => {
  const result = await importStoreFile('messy.csv', messy)
  expect(result).toMatchObject({ read: 4, inserted: 1, rejected: 3, dropped: 0, would_take_with_drop: 2 })
  expect(await documentOf('one.example')).toMatchObject({
    name: 'One',
    country: 'DE',
    platform_plus: true,
    technologies: { apps: ['klaviyo'] },
  })
  const [second] = await catalogue.rejectsOf(result)
  expect(second!.line).toBe(3)
  for (const field of ['name', 'country', 'lead_fit_score', 'technologies.apps[1]', 'platform_plus'])
    expect(second!.reason).toContain(`${field}: `)
  expect(result.problems.map(({ field, reason, count }) => [field, reason, count])).toEqual(
    expect.arrayContaining([
      ['country', 'unknown value', 2],
      ['technologies.apps', 'unknown value', 2],
      ['name', 'is a formula', 1],
      ['domain', 'is not a domain', 1],
    ]),
  )
  const country = result.problems.find(({ field }) => field === 'country')!
  expect(country).toMatchObject({ line: 3, value: 'Deutschlnd', hint: expect.stringContaining('DE') })
})

test('with drop, bad values are left out and counted, and their records go in', async () => {
  await catalogue.importStores([{ domain: 'two.example', name: 'Kept', technologies: { apps: ['fomo'] } }])
  const result = await importStoreFile('messy.csv', messy, { onBadValue: 'drop' })
  expect(result).toMatchObject({ read: 4, inserted: 2, updated: 1, rejected: 1, dropped: 7, would_take_with_drop: 0 })
  // What is left out keeps what is stored; of the list, the bad item alone is left out.
  expect(await documentOf('two.example')).toMatchObject({
    name: 'Kept',
    country: null,
    technologies: { apps: ['klaviyo', 'loox'] },
  })
  expect(await documentOf('four.example')).toMatchObject({ name: 'Four', technologies: { apps: [] } })
})

test('as many records are taken with drop as the report without it says', async () => {
  const rows = [
    'domain,name,aliases',
    'a.example,A,shared.example',
    'b.example,<b>B</b>,shared.example',
    'c.example,C,shared.example|c2.example',
    'a2.example,<i>,',
    'shared.example,<b>,',
  ]
  const first = await importStoreFile('conflicts.csv', rows.join('\n'))
  expect(first).toMatchObject({ inserted: 1, rejected: 4, would_take_with_drop: 3 })
  const second = await importStoreFile('conflicts.csv', rows.join('\n'), { onBadValue: 'drop' })
  expect(second).toMatchObject({ inserted: 3, unchanged: 1, rejected: 1 })
  expect((await catalogue.store('c.example'))!.aliases).toEqual(['c2.example'])
})

test('a dry run gives the same report and writes nothing', async () => {
  const dry = await importStoreFile('messy.csv', messy, { dryRun: true })
  expect(await catalogue.rows()).toEqual([])
  expect(await catalogue.batch()).toBe(await catalogue.batch())
  const rejects = await readFile(dry.rejects_file!, 'utf8')
  const real = await importStoreFile('messy.csv', messy)
  const { seconds: _, dry_run: isDry, ...report } = dry
  const { seconds: __, dry_run: isReal, ...realReport } = real
  expect([isDry, isReal]).toEqual([true, false])
  expect(report).toEqual(realReport)
  expect(await readFile(real.rejects_file!, 'utf8')).toBe(rejects)
})

test('the rejects of a CSV are a CSV that can be mended and imported again', async () => {
  const content = messy.replaceAll(',', ';').replace('=SUM(A1)', '"=1+1;""x"""')
  const result = await importStoreFile('mend.csv', content)
  const text = await readFile(result.rejects_file!, 'utf8')
  expect(text.split('\r\n')[0]).toBe('\ufeff_line;_reasons;Website;Company;Country;Score;Apps;Plus')
  // A spreadsheet must not run what the file contains.
  expect(text).toContain(`two.example;"'=1+1;""x""";`)
  const again = await importStores(catalogue.context, { file: result.rejects_file!, extendTaxonomy: false })
  expect(again).toMatchObject({ read: 3, rejected: 3, problems: result.problems.map(({ field }) => ({ field })) })
  // The reasons, which quote the values, come first.
  const mended = [
    [`"'=1+1;""x"""`, 'Two'],
    ['Deutschlnd', 'Deutschland'],
    ['abc', '2'],
    ['|nope|', '|'],
    ['maybe', 'no'],
    ['not a host', 'three.example'],
    ['Atlantis', ''],
    [';nope;', ';;'],
  ].reduce((rest, [bad, good]) => {
    const at = rest.lastIndexOf(bad!)
    return `${rest.slice(0, at)}${good}${rest.slice(at + bad!.length)}`
  }, text)
  expect(await importStoreFile('mended.csv', mended)).toMatchObject({ read: 3, inserted: 3, rejected: 0 })
})

test('a value with bytes that are not UTF-8 is at fault in a UTF-8 file, and only that value', async () => {
  const lines = ['domain,name,country', 'a.example,Ä,DE', 'b.example,Ö,DE', 'c.example,X,DE'].join('\n')
  const content = Buffer.from(lines)
  content[content.lastIndexOf('X')] = 0xe4
  const result = await importStoreFile('broken.csv', content, { onBadValue: 'drop' })
  expect(result).toMatchObject({ inserted: 3, dropped: 1, encoding: 'utf-8', problems: [{ field: 'name' }] })
  expect(await documentOf('c.example')).toMatchObject({ name: 'c.example', country: 'DE' })
})

test('a NUL is a fault of its value, and a file that is UTF-16 without its mark is refused', async () => {
  const result = await importStoreFile('nul.csv', 'domain,name\na.example,"A\0"\nb.example,B\n')
  expect(result).toMatchObject({ inserted: 1, rejected: 1, problems: [{ field: 'name', line: 2 }] })
  const wide = Buffer.from('domain,name\na.example,A\n', 'utf16le')
  await expect(importStoreFile('wide.csv', wide)).rejects.toThrow('--encoding utf-16le')
  expect(await importStoreFile('wide.csv', wide, { encoding: 'utf-16le' })).toMatchObject({ inserted: 1 })
})

test('a file whose rows are all shorter than its header is rejected row by row', async () => {
  const result = await importStoreFile('short.csv', 'domain,name,country\na.example\nb.example\n')
  expect(result).toMatchObject({ read: 2, rejected: 2, problems: [{ reason: 'the wrong number of cells', count: 2 }] })
})

test('rows of empty cells are no records, and a delimiter at the end of most rows is none', async () => {
  const content = 'domain,name\na.example,A,\n,\n,,,\n   \nb.example,B,\nc.example,C\nshifted.example,"D",more\n'
  expect(await importStoreFile('trailing.csv', content)).toMatchObject({ read: 4, inserted: 3, rejected: 1 })
  // A single longer row has an unquoted delimiter in a cell.
  const shifted = 'domain,name,country\na.example,A,DE\nb.example,B, Inc,\nc.example,C,\n'
  expect(await importStoreFile('shifted.csv', shifted)).toMatchObject({ read: 3, rejected: 1 })
})

test('a JSON array is read record by record, as exactly as NDJSON', async () => {
  const records = [
    { domain: 'ja.example', name: 'A ] "quoted" , {x}' },
    { domain: 'jb.example', country: 'Germany' },
    { domain: 'jc.example' },
  ]
  const result = await importStoreFile('list.json', JSON.stringify(records, null, 2))
  expect(result).toMatchObject({ format: 'json', read: 3, inserted: 2, rejected: 1 })
  expect(await catalogue.rejectsOf(result)).toEqual([
    { line: 6, reason: expect.stringContaining('country: unknown value "Germany"'), record: records[1] },
  ])
  const odd = '\ufeff [{"domain":"a.example","domain":"b.example"},\n{"domain":"x.example"} {"domain":"y.example"},\n7]'
  expect(
    (await catalogue.rejectsOf(await importStoreFile('odd.json', odd))).map(({ line, reason }) => [line, reason]),
  ).toEqual([
    [1, 'duplicate key in an object'],
    [2, 'not valid JSON'],
    [3, 'must be an object'],
  ])
  const open = await importStoreFile('open.json', '[{"domain":"a.example"},{"domain":"b.example"}')
  expect(open).toMatchObject({ read: 2, inserted: 1, rejected: 1 })
  expect((await catalogue.rejectsOf(open))[0]!.reason).toBe('the list is never closed')
})

test('phones of a spreadsheet become E.164 with the country of their store', async () => {
  await catalogue.importStores([{ domain: 'de.example', country: 'DE' }, { domain: 'none.example' }])
  const rows = [
    'store_domain,external_id,Phone,Mobile',
    'de.example,1,030 123456 extension 3,+49 (0)151 12345678 ext. 7',
    'de.example,2,call me,0151 12345678',
    'none.example,3,030 123456,',
  ]
  const refused = await importPeopleFile('people.csv', rows.join('\n'))
  expect(refused).toMatchObject({ inserted: 1, rejected: 2, would_take_with_drop: 2 })
  expect(refused.problems.map(({ field, count }) => [field, count])).toEqual(
    expect.arrayContaining([['phones.phone', 1]]),
  )
  const dropped = await importPeopleFile('people.csv', rows.join('\n'), { onBadValue: 'drop' })
  expect(dropped).toMatchObject({ inserted: 2, unchanged: 1, dropped: 2 })
  const phones = (await readStoredPeople(catalogue)).map(({ facts }) => [
    facts.external_id,
    facts.phones.map(({ phone }) => phone),
  ])
  expect(Object.fromEntries(phones)).toEqual({
    1: ['+4930123456 x3', '+4915112345678 x7'],
    2: ['+4915112345678'],
    3: [],
  })
})

test('a file can have a store and one of its contacts in each row', async () => {
  const rows = [
    'Website,Company,Country,First name,Surname,E-mail,Phone,contact.role',
    'both.example,Both,UK,Mara,Lindqvist,mara@both.example,020 7946 0123,Marketing',
    'both.example,Both,UK,Noor,Haddad,noor at both,,sales',
    'alone.example,Alone,Germany,,,,,',
    'no host,X,UK,Olu,Abara,olu@x.example,,',
  ]
  const input = { file: await catalogue.write('both.csv', rows.join('\n')), extendTaxonomy: false }
  const dry = await importStoresAndContacts(catalogue.context, { ...input, dryRun: true })
  expect(await catalogue.rows()).toEqual([])
  const { stores, contacts } = await importStoresAndContacts(catalogue.context, input)
  expect(stores).toMatchObject({ read: 4, inserted: 2, unchanged: 1, rejected: 1 })
  expect(contacts).toMatchObject({ read: 3, inserted: 1, rejected: 2, would_take_with_drop: 1 })
  expect(dry.contacts.problems).toEqual(contacts.problems)
  expect(stores.rejects_file).not.toBe(contacts.rejects_file)
  const [person] = await readStoredPeople(catalogue)
  expect(person!.facts).toMatchObject({ first_name: 'Mara', role: 'marketing', phones: [{ phone: '+442079460123' }] })
})

test('an import that is stopped ends after the chunk, with complete records', async () => {
  const rows = Array.from({ length: 7_000 }, (_, number) => `s-${number}.example,S ${number}`)
  const stop = new AbortController()
  const result = await importStoreFile('stop.csv', ['domain,name', ...rows].join('\n'), {
    signal: stop.signal,
    onProgress: () => stop.abort(),
  })
  expect(result).toMatchObject({ stopped: true })
  expect(result.read).toBeLessThan(7_000)
  expect((await catalogue.rows()).length).toBe(result.inserted)
})

test('an inspection shows how a file would be read, and writes nothing', async () => {
  const file = await catalogue.write('inspect.csv', messy.replace('Plus', 'Owner'))
  const { vocabulary } = await loadTaxonomy(catalogue.db)
  const inspection = await inspectFile({ ...catalogue.context, vocabulary }, storeImportKind, file, {})
  expect(inspection).toMatchObject({ format: 'csv', delimiter: ',', encoding: 'utf-8', decimal: 'dot' })
  expect(inspection.columns.map(({ header, field, how }) => [header, field, how])).toEqual([
    ['Website', 'domain', 'synonym'],
    ['Company', 'name', 'synonym'],
    ['Country', 'country', 'name'],
    ['Score', 'lead_fit_score', 'synonym'],
    ['Apps', 'technologies.apps', 'synonym'],
    ['Owner', null, 'unknown'],
  ])
  expect(inspection.columns[1]!.examples).toEqual(['One', '=SUM(A1)', 'Three'])
  expect(inspection.problems).toHaveLength(1)
  expect(inspection.rows[0]).toMatchObject({ line: 2, record: { country: 'DE', lead_fit_score: 64.5 }, faults: [] })
  expect(inspection.rows[1]!.faults.map(({ field }) => field)).toContain('name')
  expect(await catalogue.rows()).toEqual([])
})

test.each([',', ';', '\t'])('thousands between %j are never read as fractions', async (delimiter) => {
  const file = (...rows: string[]) => rows.map((row) => row.split(' ').join(delimiter)).join('\n')
  const open = file('domain active_ads', 'a.example 1.000', 'b.example 12.000', 'c.example 7')
  const result = await importStoreFile('ads.csv', open)
  expect(result).toMatchObject({ inserted: 1, rejected: 2 })
  expect(result.problems).toMatchObject([
    {
      field: 'active_ads',
      reason: 'could be a fraction or a thousand',
      count: 2,
      line: 2,
      value: '1.000',
      hint: expect.stringContaining('--decimal'),
    },
  ])
  // What the person says decides.
  expect(await importStoreFile('ads.csv', open, { decimal: 'comma' })).toMatchObject({ inserted: 2, rejected: 0 })
  const { rows } = await catalogue.db.query('select active_ads from stores order by id')
  expect(rows).toEqual([{ active_ads: 7 }, { active_ads: 1_000 }, { active_ads: 12_000 }])
  // As do the other numbers of the file; a count has no fraction even then.
  const dots = file('domain active_ads lead_fit_score', 'a.example 1.000 7.5', 'b.example 12.0 64.125')
  const { problems } = await importStoreFile('dots.csv', dots)
  expect(problems).toMatchObject([{ reason: 'is no whole number', count: 2, value: '1.000' }])
})

test('two numbers in a cell are told, whatever stands between them', async () => {
  await importStoreFile('phones.csv', 'domain,country\nshop.example,DE\nnowhere.example,')
  const people = [
    'store_domain,full_name,phone',
    'shop.example,Anna Moss,030 23125-0 / 23125-11',
    'shop.example,Ben Stone,"030 1234567\n030 7654321"',
    'shop.example,Cleo Reed,"01602229999.0"',
    'shop.example,Dan Ash,491602229999',
    'nowhere.example,Eve Oak,+49 30 1234567 or +49 30 7654321',
  ]
  const result = await importPeopleFile('phones.csv', people.join('\n'), { onBadValue: 'drop' })
  expect(result).toMatchObject({ inserted: 5, dropped: 4 })
  expect(result.problems.map(({ reason, count }) => [reason, count])).toEqual([
    ['is more than one number', 3],
    ['could begin with the country code 49 or with an area code', 1],
  ])
})
