import fc from 'fast-check'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { importContacts } from '../../../../src/catalogue/imports/contacts/import-contacts.ts'
import { importStoresAndContacts } from '../../../../src/catalogue/imports/contacts/stores-and-contacts.ts'
import type { ImportResult } from '../../../../src/catalogue/imports/records/import-file.ts'
import { importStores } from '../../../../src/catalogue/imports/stores/import-stores.ts'
import { OperatorError } from '../../../../src/foundation/kernel/errors.ts'
import { openTestCatalogue, type TestCatalogue } from '../support/test-catalogue.ts'

let catalogue: TestCatalogue
beforeAll(async () => {
  catalogue = await openTestCatalogue()
})
beforeEach(async () => {
  await catalogue.db.query('truncate stores, store_domains, contacts')
  await catalogue.importStores([{ domain: 'a.example' }])
})

type Kind = 'stores' | 'contacts' | 'both'

async function importAs(kind: Kind, file: string, options: object): Promise<ImportResult> {
  const input = { file, extendTaxonomy: false, ...options }
  if (kind === 'stores') return importStores(catalogue.context, input)
  if (kind === 'contacts') return importContacts(catalogue.context, input)
  return (await importStoresAndContacts(catalogue.context, input)).stores
}

/** The options of an error's advice, as a shell would pass them on. */
function adviceOf(message: string): { map: Record<string, string>; headerRow?: number; noHeader?: string[] } {
  const unquote = (text: string) => text.replace(/\\(["\\$`])/g, '$1')
  const maps = [...message.matchAll(/--map "((?:[^"\\]|\\.)*)"/g)].map(([, text]) => unquote(text!))
  const choices = maps.filter((text) => text !== '*=' && !text.startsWith('COLUMN='))
  const row = /--header-row (\d+)/.exec(message)?.[1]
  const fields = /--no-header "([^"]*)"/.exec(message)?.[1]
  return {
    map: Object.fromEntries(
      choices.map((text) => [text.slice(0, text.lastIndexOf('=')), text.slice(text.lastIndexOf('=') + 1)]),
    ),
    ...(row !== undefined && { headerRow: Number(row) }),
    ...(fields !== undefined && { noHeader: fields.split(',') }),
  }
}

/** Follows the advice to the letter; returns all messages, and the result. */
async function follow(kind: Kind, text: string): Promise<{ messages: string[]; result: ImportResult | null }> {
  const file = await catalogue.write('advice.csv', text)
  const messages: string[] = []
  let options: ReturnType<typeof adviceOf> = { map: {} }
  for (let round = 0; round < 3; round++) {
    try {
      return { messages, result: await importAs(kind, file, options) }
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error
      messages.push(error.message)
      const { map, ...rest } = adviceOf(error.message)
      options = { ...options, ...rest, map: { ...options.map, ...map } }
    }
  }
  return { messages, result: null }
}

const documentOf = async (domain: string) => (await catalogue.store(domain))?.document

test('a file without any known heading is read by the delimiter that makes even rows, and the advice names its columns', async () => {
  for (const [delimiter, name] of [
    [';', 'semicolons'],
    ['\t', 'tabs'],
    ['|', 'bars (|)'],
    [',', 'commas'],
  ]) {
    const rows = [
      ['Heimat', 'Bezeichner', 'Umsatz, in €'],
      ['one.example', 'Eins, Zwei; Drei', '1,5'],
      ['two.example', 'Vier | Fünf', '2,25'],
    ]
    const text = rows.map((cells) => cells.map((cell) => `"${cell}"`).join(delimiter)).join('\n')
    const { messages, result } = await follow('stores', text)
    expect(messages).toHaveLength(1)
    expect(messages[0]).toContain(`The file was read with ${name} between cells, in utf-8`)
    expect(messages[0]).toContain('--map "Heimat=domain" --map "Bezeichner=" --map "Umsatz, in €="')
    expect(result).toMatchObject({ read: 2, rejected: 0 })
  }
})

test('of two columns with one name, the first is kept by the advice, and neither is lost', async () => {
  const { messages, result } = await follow('stores', 'domain,name,Name\none.example,One,Uno\n')
  expect(messages).toEqual([
    expect.stringContaining('"name" (column 2) and "Name" (column 3). Ignore all but one: --map "#3=" keeps column 2.'),
  ])
  expect(result).toMatchObject({ read: 1, inserted: 1 })
  expect((await documentOf('one.example'))!.name).toBe('One')
  const second = await importAs(
    'stores',
    await catalogue.write('second.csv', 'domain,name,Name\none.example,One,Uno\n'),
    {
      map: { '#3': 'name' },
    },
  )
  expect(second).toMatchObject({ updated: 1, notices: [{ field: 'name', count: 1, line: 1 }] })
  expect((await documentOf('one.example'))!.name).toBe('Uno')
})

test('the surest of several columns is read, and a notice names the other with what would read it instead', async () => {
  const text = 'Website URL,Company Domain Name,Company name,Name\nhttps://b.example/x,b.example,Bee,Berta\n'
  const file = await catalogue.write('surest.csv', text)
  const result = await importAs('stores', file, {})
  expect(result).toMatchObject({ inserted: 1, rejected: 0 })
  expect(result.notices.map(({ field, reason, hint }) => [field, reason, hint])).toEqual([
    [
      'domain',
      'the column "Website URL" is not read: "Company Domain Name" is this field',
      '--map "Website URL=domain" reads it instead',
    ],
    ['name', 'the column "Name" is not read: "Company name" is this field', '--map "Name=name" reads it instead'],
  ])
  expect((await documentOf('b.example'))!.name).toBe('Bee')
  await importAs('stores', file, { map: { Name: 'name' } })
  expect((await documentOf('b.example'))!.name).toBe('Berta')
})

test('two columns that name different hosts are left to the person, with the surer one kept by the advice', async () => {
  const text = 'Website,Domain,Name\nold.example,new.example,New\nhttps://same.example/,same.example,Same\n'
  const { messages, result } = await follow('stores', text)
  expect(messages).toEqual([
    expect.stringContaining(
      '"Website" (column 1) and "Domain" (column 2). Ignore all but one: --map "Website=" keeps column 2',
    ),
  ])
  expect(result).toMatchObject({ inserted: 2 })
  expect((await documentOf('new.example'))!.name).toBe('New')
})

test('a surer column without values does not win, and what is equally sure is left to the person', async () => {
  for (const text of [
    'domain,country,Country Code\none.example,,DE\n',
    'domain,Brand,Merchant\none.example,One,Uno\n',
    'Website,URL\none.example,two.example\n',
  ])
    expect((await follow('stores', text)).messages).toEqual([
      expect.stringMatching(/^\S+: The header has "\w+" twice: /),
    ])
})

test.each<[Kind, string]>([
  ['stores', 'Report of shops\nwritten on 2026-11-01\n\nWebsite;Company;Country\nb.example;Bee;DE\n'],
  ['contacts', '"People, all"\nWebsite;First name;E-mail\na.example;Bea;bea@a.example\n'],
  ['both', 'x;;\n;;\nDomain;Name;First name\na.example;Aye;Bea\n'],
  ['stores', 'Domains\ndomain\nb.example\n'],
])('lines above the header of %s are told of, and the advice takes the header', async (kind, text) => {
  const { messages, result } = await follow(kind, text)
  const line = text.split('\n').findIndex((line) => /domain|website/i.test(line) && !/^Domains/.test(line)) + 1
  expect(messages).toEqual([expect.stringContaining(`line ${line} looks like one: --header-row ${line} takes it`)])
  expect(result).toMatchObject({ read: 1, rejected: 0 })
})

test.each<[Kind, string, string]>([
  ['stores', 'b.example\nhttps://c.example/shop\n', 'domain'],
  ['stores', '1;b.example;Bee\n2;c.example;Cee\n', ',domain,'],
  ['contacts', 'bea@a.example,a.example\ncid@a.example,a.example\n', 'emails.0.email,store_domain'],
  ['both', 'b.example,bea@b.example\nc.example,cid@c.example\n', 'domain,contact.emails.0.email'],
])('%s without a header are told of, and the advice takes every row', async (kind, text, fields) => {
  const { messages, result } = await follow(kind, text)
  expect(messages).toEqual([
    expect.stringContaining(`line 1 looks like a record, not like a header: --no-header "${fields}"`),
  ])
  expect(result).toMatchObject({ read: 2, inserted: 2, rejected: 0 })
})

const headings = fc.constantFrom(
  ...['Domain', 'domain', 'Website', 'URL', 'Company', 'Name', 'name', 'Land', 'Country', 'Country Code', 'Notes', ''],
  ...[
    '# Employees',
    '#2',
    'a=b',
    'say "hi"',
    '$HOME',
    '*',
    'Umsatz\u00a0',
    'E-mail',
    'Email',
    'x'.repeat(90),
    'back\\slash',
  ],
)

test('whatever the header is, following the advice of its error imports the file', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(headings, { minLength: 1, maxLength: 7 }), async (given) => {
      const header = [...given, 'https://shop']
      const cells = [...given.map((heading, index) => (heading === '' ? '' : `v${index}`)), 'a.example']
      const quote = (row: string[]) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',')
      const { messages, result } = await follow('stores', `${quote(header)}\n${quote(cells)}\n${quote(cells)}\n`)
      expect(result, messages.join('\n')).not.toBeNull()
    }),
    { numRuns: 150 },
  )
})
