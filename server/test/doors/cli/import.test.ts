import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { expect, onTestFinished, test } from 'vitest'
import { type ReadCell, readSheet, unzip } from '../../../../packages/workbook/test/write/read-back.ts'
import { formatDay } from '../../../src/foundation/kernel/time.ts'
import { openCommandLine } from './support/run-command.ts'

const cli = openCommandLine('2026-11-10T12:00:00.000Z')

function fileWith(name: string, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'storedex-cli-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

test('a file is imported, and its invalid records go to the rejects file', async () => {
  const file = fileWith('shops.ndjson', '{"domain":"a.example","name":"A"}\n{"domain":"not a host","name":"B"}\n')
  const result = await cli.json<{ rejects_file: string }>('import', 'stores', file)
  expect(result).toMatchObject({
    read: 2,
    inserted: 1,
    updated: 0,
    unchanged: 0,
    rejected: 1,
    rejects_file: expect.any(String),
    seconds: expect.any(Number),
    would_take_with_drop: 0,
    problems: [{ field: 'domain', reason: 'is not a domain', count: 1, line: 2, value: 'not a host' }],
  })
  expect(readFileSync(result.rejects_file, 'utf8')).toContain('not a host')
})

test('people are imported at existing stores', async () => {
  const people = [
    { store_domain: 'a.example', external_id: '1', full_name: 'Ada Ember', emails: [{ email: 'ada@a.example' }] },
    { store_domain: 'missing.example', external_id: '2' },
    { store_domain: 'a.example', external_id: '3', role: 'wick_trimmer' },
  ]
  const file = fileWith('people.ndjson', people.map((person) => JSON.stringify(person)).join('\n'))
  const result = await cli.json<{ rejects_file: string }>('import', 'contacts', file)
  expect(result).toMatchObject({ read: 3, inserted: 1, updated: 0, unchanged: 0, rejected: 2 })
  expect(readFileSync(result.rejects_file, 'utf8')).toContain('no store is known for missing.example; import it first')
  expect(await cli.json('import', 'contacts', file, '--extend-taxonomy')).toMatchObject({ inserted: 1, unchanged: 1 })
  const { code, stdout } = await cli.runWithInput(JSON.stringify(people[0]), 'import', 'contacts', '-')
  expect(code).toBe(0)
  expect(stdout).toMatch(/^1 records read in [\d.]+ s: 0 inserted, 0 updated, 1 unchanged, 0 rejected\.\n$/)
})

test('standard input is imported', async () => {
  const { code, stdout } = await cli.runWithInput(
    '{"domain":"b.example","name":"B"}\n',
    'import',
    'stores',
    '-',
    '--json',
  )
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ read: 1, inserted: 1, rejects_file: null })
})

test('--extend-taxonomy adds missing values', async () => {
  const record = '{"domain":"c.example","name":"C","technologies":{"apps":["brand_new_app"]}}\n'
  const file = fileWith('shops.ndjson', record)
  const refused = await cli.run('import', 'stores', file, '--json')
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('none of its records could be taken') })
  expect(JSON.parse(refused.stdout)).toMatchObject({ rejected: 1 })
  expect(await cli.json('import', 'stores', file, '--extend-taxonomy')).toMatchObject({ inserted: 1, rejected: 0 })
})

test('an unreadable file is rejected with one sentence', async () => {
  const { code, stdout, stderr } = await cli.run('import', 'stores', '/nowhere/shops.ndjson', '--json')
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^[^\n]*\/nowhere\/shops\.ndjson[^\n]*\n$/)
})

test('a spreadsheet is checked, mapped and imported, and the report says what helps', async () => {
  const file = fileWith(
    'shops.csv',
    'Webshop;Company;Country;Score;Notes\nsheet-a.example;A;Germany;64,5;x\nsheet-b.example;=SUM(A1);Deutschlnd;7;y\n',
  )
  const unmapped = await cli.run('import', 'stores', file)
  expect(unmapped.code).toBe(1)
  expect(unmapped.stderr).toMatch(/2 columns are no field of a store: "Webshop".*, "Notes".*lacks "domain"/)

  const options = ['--map', 'Webshop=domain', '--map', 'Notes=']
  const dry = await cli.run('import', 'stores', file, ...options, '--dry-run')
  expect(dry.code).toBe(0)
  expect(dry.stdout).toContain('Read as CSV with semicolons between cells, in utf-8, with decimal commas.')
  expect(dry.stdout).toContain('1 would be inserted, 0 updated, 0 unchanged, 1 rejected. Nothing was written.')
  expect(dry.stdout).toMatch(/1 +country +unknown value +line 3: "Deutschlnd" +nearest: DE/)
  expect(dry.stdout).toContain('--on-bad-value drop would take 1')

  const mapFile = fileWith('map.json', '{"Webshop":"domain","Notes":""}')
  const result = await cli.json('import', 'stores', file, '--map-file', mapFile, '--on-bad-value', 'drop')
  expect(result).toMatchObject({ read: 2, inserted: 2, rejected: 0, dropped: 2, dry_run: false })
})

test('a file of which nothing is taken ends with 1, with the report', async () => {
  for (const file of [
    fileWith('none.csv', 'domain\nnot a host\n'),
    fileWith('none.ndjson', '{"domain":"not a host"}\n'),
  ]) {
    const { code, stdout, stderr } = await cli.run('import', 'stores', file, '--json')
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({ read: 1, rejected: 1, problems: [{ field: 'domain', count: 1 }] })
    expect(stderr).toMatch(/none of its records could be taken/)
  }
})

test('the template is a file that can be imported, with stores, contacts or both', async () => {
  for (const args of [['stores'], ['stores', '--as', 'stores+contacts'], ['contacts']]) {
    const { code, stdout } = await cli.run('import', ...args, '--template')
    expect(code).toBe(0)
    const file = fileWith('template.csv', stdout)
    expect((await cli.run('import', ...args, file)).code).toBe(0)
  }
})

test('the template is also a workbook, in a new file of its own', async () => {
  const csv = fileWith('unused', '').replace('unused', 'template.csv')
  const workbook = csv.replace('.csv', '.xlsx')
  await cli.run('import', 'stores', '--template', '--output', csv)
  const written = await cli.run('import', 'stores', '--template', '--output', workbook)
  expect(written).toMatchObject({ code: 0, stdout: '', stderr: `Written to ${workbook}.\n` })
  const [header, row] = readSheet(unzip(readFileSync(workbook)).get('xl/worksheets/sheet1.xml')!)
  const [columns, example] = parse(readFileSync(csv)) as string[][]
  const textOf = (cell: ReadCell | null | undefined) =>
    cell?.type === 'day' ? formatDay(new Date(cell.value)) : String(cell?.value ?? '')
  expect(header!.map(textOf)).toEqual(columns)
  expect(columns!.map((_, index) => textOf(row![index]))).toEqual(example)
  expect(row![columns!.indexOf('lead_fit_score')]).toEqual({ type: 'number', value: 64.5 })
  expect(row![columns!.indexOf('first_discovered_at')]!.type).toBe('day')
  const again = await cli.run('import', 'stores', '--template', '--format', 'xlsx', '--output', workbook)
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('already exists') })
  expect((await cli.run('import', 'stores', 'shops.csv', '--output', csv)).code).toBe(2)
})

test('wrong options are wrong usage, and a bad map file is a sentence', async () => {
  const file = fileWith('shops.csv', 'domain\na.example\n')
  for (const option of [
    ['--delimiter', 'x'],
    ['--dates', 'ymd'],
    ['--on-bad-value', 'fix'],
    ['--map', 'domain'],
  ])
    expect((await cli.run('import', 'stores', file, ...option)).code).toBe(2)
  expect((await cli.run('import', 'stores')).code).toBe(2)
  const bad = await cli.run('import', 'stores', file, '--map-file', fileWith('map.json', '["domain"]'))
  expect(bad).toMatchObject({ code: 1, stderr: expect.stringContaining('must be a JSON object') })
})

test('options that serve for tables alone are wrong usage for JSON, with a sentence', async () => {
  const file = fileWith('shops.ndjson', '{"domain":"options.example"}\n')
  for (const option of [
    ['--delimiter', ';'],
    ['--encoding', 'utf-8'],
    ['--decimal', 'dot'],
    ['--dates', 'dmy'],
    ['--map', '*='],
    ['--map-file', 'map.json'],
    ['--short-rows', 'fill'],
    ['--header-row', '2'],
    ['--no-header', 'domain'],
    ['--sheet', 'Shops'],
  ])
    for (const name of [file, '-']) {
      const { code, stdout, stderr } = await cli.run('import', 'stores', name, ...option, '--json')
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toContain(`${option[0]} serves for CSV and workbooks only`)
    }
  const csv = fileWith('shops.csv', 'domain\na.example\n')
  for (const wrong of [
    ['--header-row', '0'],
    ['--header-row', 'two'],
    ['--short-rows', 'cut'],
    ['--header-row', '1', '--no-header', 'domain'],
  ])
    expect((await cli.run('import', 'stores', csv, ...wrong)).code).toBe(2)
  expect((await cli.run('import', 'stores', csv, '--encoding', 'hex')).stderr).toContain('is not known')
})

test('rows, headers and encodings of spreadsheets are told of, and the options take them', async () => {
  const text = 'Shops of 2026\nWebsite;Firma;Land\nrows-a.example;Käse;Deutschland\nrows-b.example;Bee\n'
  const file = fileWith('shops.csv', text)
  const refused = await cli.run('import', 'stores', file)
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('--header-row 2 takes it') })
  const options = ['--header-row', '2', '--short-rows', 'fill']
  const dry = await cli.run('import', 'stores', file, ...options, '--dry-run')
  expect(dry.stdout).toContain('In utf-8, line 3 reads "Käse".')
  expect(dry.stdout).toContain('2 would be inserted, 0 updated, 0 unchanged, 0 rejected')
  expect(await cli.json('import', 'stores', file, ...options)).toMatchObject({ inserted: 2, decoded: null })

  const bare = fileWith('bare.tsv', 'rows-c.example\tCee\nrows-d.example\tDee\n')
  expect((await cli.run('import', 'stores', bare)).stderr).toContain('--no-header "domain,"')
  expect(await cli.json('import', 'stores', bare, '--no-header', 'domain,name')).toMatchObject({ inserted: 2 })

  const none = await cli.run('import', 'stores', fileWith('none.csv', 'domain;name\n'))
  expect(none).toMatchObject({ code: 0, stdout: expect.stringContaining('no records were found') })
})

test('the help lists every field with its values', async () => {
  const { stdout } = await cli.run('import', 'contacts', '--help')
  for (const text of ['store_domain', 'emails.0.status', 'verified, accept_all', 'phones.0.phone'])
    expect(stdout).toContain(text)
})
