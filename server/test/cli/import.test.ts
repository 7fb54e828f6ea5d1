import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
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
  expect(result).toEqual({
    read: 2,
    inserted: 1,
    updated: 0,
    unchanged: 0,
    rejected: 1,
    rejects_file: expect.any(String),
    seconds: expect.any(Number),
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
  expect(await cli.json('import', 'stores', file)).toMatchObject({ rejected: 1 })
  expect(await cli.json('import', 'stores', file, '--extend-taxonomy')).toMatchObject({ inserted: 1, rejected: 0 })
})

test('an unreadable file is rejected with one sentence', async () => {
  const { code, stdout, stderr } = await cli.run('import', 'stores', '/nowhere/shops.ndjson', '--json')
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^[^\n]*\/nowhere\/shops\.ndjson[^\n]*\n$/)
})
