import iconv from 'iconv-lite'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { importContacts } from '../../../../src/catalogue/imports/contacts/import-contacts.ts'
import { importStoresAndContacts } from '../../../../src/catalogue/imports/contacts/stores-and-contacts.ts'
import { codecOf, requireEncoding } from '../../../../src/catalogue/imports/source/encodings.ts'
import { importStores } from '../../../../src/catalogue/imports/stores/import-stores.ts'
import { readStoredPeople } from '../support/stored-people.ts'
import { openTestCatalogue, type TestCatalogue } from '../support/test-catalogue.ts'

let catalogue: TestCatalogue
beforeAll(async () => {
  catalogue = await openTestCatalogue()
})
beforeEach(async () => {
  await catalogue.db.query('truncate stores, store_domains, contacts')
})

const options = { extendTaxonomy: false }
const nameOf = async (domain: string) => (await catalogue.store(domain))?.document.name

const texts: [given: string, name: string, text: string][] = [
  ['latin1', 'windows-1252', 'Käse & Söhne'],
  ['CP1252', 'windows-1252', 'Crème “brûlée” – 5 €'],
  ['windows-1250', 'windows-1250', 'Żółw i Świerk'],
  ['latin2', 'iso-8859-2', 'Čaj a káva'],
  ['win1251', 'windows-1251', 'Чайная лавка'],
  ['koi8-r', 'koi8-r', 'Чайная лавка'],
  ['KOI8-U', 'koi8-u', 'Їжак'],
  ['iso-8859-7', 'iso-8859-7', 'Τσάι'],
  ['windows-1254', 'windows-1254', 'Çay Evi Işık'],
  ['cp1255', 'windows-1255', 'תה'],
  ['windows-1257', 'windows-1257', 'Žalioji arbata'],
  ['tis-620', 'windows-874', 'ชา'],
  ['mac', 'macintosh', 'Café “Noir”'],
  ['x-mac-ce', 'mac-centraleurope', 'Čajovna'],
  ['cp437', 'cp437', 'Crème'],
  ['ibm850', 'cp850', 'Größe'],
  ['CP866', 'cp866', 'Чай'],
  ['sjis', 'shift_jis', 'お茶の店'],
  ['Shift_JIS', 'shift_jis', 'カフェ'],
  ['euc-jp', 'euc-jp', 'お茶の店'],
  ['gbk', 'gbk', '茶叶店'],
  ['gb2312', 'gbk', '茶叶店'],
  ['GB18030', 'gb18030', '茶叶店'],
  ['big5', 'big5', '茶葉店'],
  ['euc-kr', 'euc-kr', '찻집'],
  ['cp949', 'euc-kr', '찻집'],
  ['utf-16', 'utf-16le', 'Tee 茶'],
  ['UTF8', 'utf-8', 'Tee 茶'],
]

test.each(texts)('the encoding %s is known as %s, and a dry run shows what it reads', async (given, name, text) => {
  const content = iconv.encode(`domain,name\nplain.example,Plain\na.example,"${text}"\n`, codecOf(name))
  const file = await catalogue.write('encoded.csv', content)
  const dry = await importStores(catalogue.context, { ...options, file, encoding: given, dryRun: true })
  expect(dry).toMatchObject({ encoding: name, inserted: 2, decoded: { line: 3, value: text } })
  const result = await importStores(catalogue.context, { ...options, file, encoding: given })
  expect(result).toMatchObject({ inserted: 2, decoded: null })
  expect(await nameOf('a.example')).toBe(text)
})

test('what is no encoding of text is refused, with the nearest names', () => {
  for (const name of ['hex', 'base64', 'binary', 'utf-7', 'utf-7-imap', 'nonsense', '', '__proto__', 'constructor'])
    expect(() => requireEncoding(name)).toThrow(`The encoding "${name}" is not known`)
  expect(() => requireEncoding('windows-1255x')).toThrow('(nearest: windows-1255')
  expect(() => requireEncoding('shift-jiss')).toThrow('(nearest: shift_jis')
})

test('a file without letters beyond ASCII has none to show, and neither has JSON', async () => {
  const plain = await catalogue.write('plain.csv', 'domain,name,Übrig\na.example,“A” – €,ä\n')
  const dry = { ...options, dryRun: true, map: { '*': '' } }
  expect(await importStores(catalogue.context, { ...dry, file: plain })).toMatchObject({ inserted: 1, decoded: null })
  const json = await catalogue.write('a.ndjson', '{"domain":"a.example","name":"Ä"}\n')
  expect(await importStores(catalogue.context, { ...options, file: json, dryRun: true })).toMatchObject({
    decoded: null,
  })
})

/** Names as they are after a text was decoded in the wrong encoding, or had been before it was written. */
const lost = ['M\ufffdller', 'Ca\u0092fe', 'x\u0085', '\u0080 5', 'M\ufffd\ufffd']

test.each(lost)('a value with %j is at fault in CSV and in JSON, and ignored columns do not count', async (name) => {
  const fault = { field: 'name', reason: 'was decoded wrongly', count: 1, value: name }
  const csv = await catalogue.write('lost.csv', `domain,name,Note\na.example,${name},x\nb.example,Bee,${name}\n`)
  const read = { ...options, map: { '*': '' } }
  const rejected = await importStores(catalogue.context, { ...read, file: csv })
  expect(rejected).toMatchObject({ inserted: 1, rejected: 1, would_take_with_drop: 1, problems: [fault] })
  expect(rejected.problems[0]!.hint).toBe('give --encoding, or save the file as UTF-8')
  const dropped = await importStores(catalogue.context, { ...read, file: csv, onBadValue: 'drop' })
  expect(dropped).toMatchObject({ inserted: 1, unchanged: 1, dropped: 1 })

  for (const written of [JSON.stringify(name), asciiJson(name)])
    for (const text of [`{"domain":"c.example","name":${written}}`, `[{"domain":"c.example","name":${written}}]`]) {
      const json = await catalogue.write('lost.json', text)
      const result = await importStores(catalogue.context, { ...options, file: json })
      expect(result).toMatchObject({ rejected: 1, would_take_with_drop: 1, problems: [{ ...fault, hint: null }] })
      const taken = await importStores(catalogue.context, { ...options, file: json, onBadValue: 'drop', dryRun: true })
      expect(taken).toMatchObject({ inserted: 1, dropped: 1 })
    }
})

const asciiJson = (text: string) =>
  JSON.stringify(text).replace(/[^\0-\x7f]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)

test('every text of a record is looked at, in lists and objects too', async () => {
  await catalogue.importStores([{ domain: 'a.example' }])
  const people = [
    { store_domain: 'a.example', external_id: '1', title: 'Caf\ufffd' },
    { store_domain: 'a.example', external_id: '2', full_name: 'Ca\u0092', emails: [{ email: 'a\ufffd@a.example' }] },
    { store_domain: 'a.example', external_id: '3', emails: [{ email: 'c@a.example', status: 'verif\ufffded' }] },
    { store_domain: 'a.example', external_id: '4', phones: [{ phone: '+442079460123' }, { phone: '\u0081' }] },
  ]
  const text = people.map((person) => JSON.stringify(person)).join('\n')
  const file = await catalogue.write('people.ndjson', text)
  const result = await importContacts(catalogue.context, { ...options, file })
  expect(result).toMatchObject({ read: 4, rejected: 4 })
  const dropped = await importContacts(catalogue.context, { ...options, file, onBadValue: 'drop' })
  expect(dropped.rejected).toBe(0)
  const stored = await readStoredPeople(catalogue)
  expect(JSON.stringify(stored)).not.toMatch(/[\u0080-\u009f\ufffd]/)
  expect(stored.at(-1)!.facts.phones).toHaveLength(1)

  const both = await catalogue.write(
    'both.csv',
    'Domain,Company,First name\nb.example,Bee,Be\ufffda\nc.example,C\u0099,Cid\n',
  )
  const { stores, contacts } = await importStoresAndContacts(catalogue.context, { ...options, file: both })
  expect(stores).toMatchObject({ inserted: 1, rejected: 1, problems: [{ field: 'name' }] })
  expect(contacts.problems).toContainEqual(
    expect.objectContaining({ field: 'first_name', reason: 'was decoded wrongly' }),
  )
})
