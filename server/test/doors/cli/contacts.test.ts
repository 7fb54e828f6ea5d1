import { readFile, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { beforeAll, expect, test } from 'vitest'
import { importContacts } from '../../../src/catalogue/imports/contacts/import-contacts.ts'
import { importStores } from '../../../src/catalogue/imports/stores/import-stores.ts'
import { contactKey } from '../../../src/foundation/kernel/ids.ts'
import { openCommandLine } from './support/run-command.ts'

const cli = openCommandLine('2026-11-21T12:00:00Z')

beforeAll(async () => {
  const { deps } = cli
  const stdin = (...records: object[]) => ({
    file: '-',
    stdin: Readable.from([records.map((record) => JSON.stringify(record)).join('\n')]),
    extendTaxonomy: false,
  })
  await importStores(deps, stdin({ domain: 'aurora-candles.example' }))
  const store_domain = 'aurora-candles.example'
  const names = ['mara', 'ines', 'tomas', 'yuki']
  await importContacts(
    deps,
    stdin(...names.map((name) => ({ store_domain, emails: [{ email: `${name}@mail.example` }] }))),
  )
})

/** The public id of the contact with this import index. */
async function idOf(number: number): Promise<string> {
  const { rows } = await cli.deps.db.query<{ store_id: number }>('select store_id from store_domains')
  return cli.deps.ids.seal('contact', contactKey(rows[0]!.store_id, number), 'live')
}

const onFile = async () =>
  (await cli.deps.db.query<{ number: number }>('select number from contacts order by number')).rows.map(
    ({ number }) => number,
  )

test('contacts erase erases a person by id or by address, and prints the number of contacts', async () => {
  expect(await cli.json('contacts', 'erase', '--id', await idOf(0))).toEqual({ erased: 1 })
  expect(await cli.json('contacts', 'erase', '--email', 'Ines <INES@mail.example>')).toEqual({ erased: 1 })
  expect(await onFile()).toEqual([2, 3])
  expect(await cli.json('contacts', 'erase', '--email', 'nobody@mail.example')).toEqual({ erased: 0 })
})

test('contacts erase prints its result as text, without the address', async () => {
  const none = await cli.run('contacts', 'erase', '--email', 'nobody@mail.example')
  expect(none).toEqual({
    code: 0,
    stdout: 'No contact has this address. It is suppressed: later imports skip it.\n',
    stderr: '',
  })
  const one = await cli.run('contacts', 'erase', '--email', 'tomas@mail.example')
  expect(one.stdout).toBe('Erased 1 contact. Later imports skip this person.\n')
})

test('contacts erase needs either an address or an id', async () => {
  const both = ['--id', await idOf(3), '--email', 'yuki@mail.example']
  for (const args of [[], both, ['--email', 'yuki@'], ['--email', ''], ['--id'], ['--name', 'Yuki']])
    expect(await cli.run('contacts', 'erase', ...args), args.join(' ')).toMatchObject({ code: 2, stdout: '' })
  expect(await onFile()).toContain(3)
})

test.each([
  ['an unknown id', () => cli.deps.ids.seal('contact', contactKey(987_654, 1), 'live'), 'There is no contact'],
  ['an id of the sandbox', () => cli.deps.ids.seal('contact', contactKey(1, 1), 'test'), 'sandbox'],
  ['what is no id', () => 'ct_live_x', 'is not a contact id'],
  ['somebody who is erased already', () => idOf(0), 'is already erased'],
])('contacts erase refuses %s with one sentence', async (_, id, sentence) => {
  const { code, stdout, stderr } = await cli.run('contacts', 'erase', '--id', await id(), '--json')
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toContain(sentence)
  expect(stderr).toMatch(/^[^\n]+\n$/)
})

test('import suppressions counts lines and erased contacts', async () => {
  const { stdout, code } = await cli.runWithInput(
    '# do not contact\nyuki@mail.example\nYUKI@mail.example\nnot a line\n',
    ...['import', 'suppressions', '-', '--json'],
  )
  expect(code).toBe(0)
  const result = JSON.parse(stdout)
  expect(result).toEqual({
    read: 3,
    inserted: 1,
    updated: 0,
    unchanged: 1,
    rejected: 1,
    erased: 1,
    rejects_file: expect.any(String),
    seconds: expect.any(Number),
  })
  expect(JSON.parse(await readFile(result.rejects_file, 'utf8'))).toMatchObject({ line: 4, record: 'not a line' })
  await rm(result.rejects_file)
  expect(await onFile()).not.toContain(3)
})

test('import suppressions rejects a missing file', async () => {
  expect(await cli.run('import', 'suppressions', '/nowhere/list.txt')).toEqual({
    code: 1,
    stdout: '',
    stderr: '/nowhere/list.txt: no such file.\n',
  })
  expect(await cli.run('import', 'suppressions')).toMatchObject({ code: 2 })
})
