import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { escapeControls } from '@storedex/process-lock/terminal'
import { expect, onTestFinished, test } from 'vitest'
import { openCommandLine } from './support/run-command.ts'

const cli = openCommandLine('2026-11-10T12:00:00.000Z')

/** What a terminal would act on: clear the screen, ring, go back, write from right to left, begin a line. */
const hostile = 'x\u001b[2J\u009b2J\u0007\r\u007f\u202e\u2066\u2028y'

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'storedex-terminal-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** Runs a command both ways; neither writes a control character. Returns all that was written as text. */
async function quiet(...args: string[]): Promise<string> {
  const runs = [await cli.run(...args), await cli.run(...args, '--json')]
  for (const { stdout, stderr } of runs) {
    expect(stdout).toBe(escapeControls(stdout))
    expect(stderr).toBe(escapeControls(stderr))
  }
  return runs[0]!.stdout + runs[0]!.stderr
}

test('headers, values, keys and names of files of an import do not reach a terminal raw', async () => {
  const inside = join(folder(), `in${hostile.replaceAll('/', '')}\nside`)
  mkdirSync(inside)
  const fileWith = (name: string, text: string) => {
    writeFileSync(join(inside, name), text)
    return join(inside, name)
  }
  const unknown = fileWith('unknown.csv', `domain,${hostile}\na.example,1\n`)
  expect(await quiet('import', 'stores', unknown)).toContain('\\u001b[2J')
  const values = fileWith('values.csv', `domain,name\n"${hostile}",A\nb.example,"${hostile}"\n`)
  expect(await quiet('import', 'stores', values)).toContain('\\u202e')
  const records = [
    { domain: 'c.example', [`${hostile}\nkey`]: 1 },
    { domain: hostile },
    { domain: 'd.example', name: 'D' },
  ]
  const keys = fileWith('keys.ndjson', records.map((record) => JSON.stringify(record)).join('\n'))
  const report = await quiet('import', 'stores', keys)
  expect(report).toContain('\\u001b[2J')
  expect(report).toContain('\\nkey')
  expect(await quiet('import', 'stores', join(inside, 'missing.csv'))).toContain('no such file')
  expect(await quiet('import', 'stores', unknown, '--map', `${hostile}=nothing`)).toContain('\\u001b')
  expect(await quiet('import', 'stores', unknown, '--delimiter', hostile)).toContain('\\u001b')
  expect(await quiet('export', 'stores', join(inside, `${hostile}.csv`))).toContain('\\u001b')
})

test('names that are stored do not either', async () => {
  const account = await cli.json('accounts', 'create', '--name', `${hostile}\nz`, '--plan', 'pro')
  const id = account.id as string
  await cli.run('keys', 'create', id, '--name', `${hostile}\nz`)
  await cli.run('users', 'create', 'mara@northwind.example', '--name', `${hostile}\nz`, '--account', id)
  const lists = [
    ['accounts', 'list'],
    ['accounts', 'show', id],
    ['keys', 'list', id],
    ['users', 'list'],
  ]
  for (const args of lists) expect([args, await quiet(...args)]).toEqual([args, expect.stringContaining('\\u001b[2J')])
  expect((await cli.run('keys', 'list', id)).stdout.trim().split('\n')).toHaveLength(2)
  expect(await quiet('stores', 'show', hostile)).toContain('\\u001b')
  expect(await quiet('accounts', hostile)).toContain('\\u001b')
})

test('the name of a store and of its theme is one line without control characters', async () => {
  const file = join(folder(), 'stores.ndjson')
  for (const character of ['\u001b', '\u0007', '\n', '\t', '\u007f', '\u009b']) {
    const records = [
      { domain: 'e.example', name: `E${character}` },
      { domain: 'f.example', name: 'F', technologies: { theme: { name: `Dawn${character}` } } },
    ]
    writeFileSync(file, records.map((record) => JSON.stringify(record)).join('\n'))
    const problems = ['name', 'technologies.theme.name'].map((field) => ({
      field,
      reason: character === '\u009b' ? 'was decoded wrongly' : 'contains control characters',
    }))
    expect((await cli.run('import', 'stores', file, '--json')).stdout).toMatch(/"rejected":2/)
    expect(JSON.parse((await cli.run('import', 'stores', file, '--json')).stdout).problems).toMatchObject(problems)
  }
})
