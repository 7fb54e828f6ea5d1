import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { parseDataKeys } from '../../../src/foundation/kernel/seal.ts'
import { openCommandLine, runCommand } from './support/run-command.ts'

const cli = openCommandLine('2026-11-21T12:00:00Z')

test('data-keys generate prints an entry and nothing else, without a database', async () => {
  const { code, stdout } = await runCommand(undefined as never, ['data-keys', 'generate'])
  expect(code).toBe(0)
  expect(stdout).toMatch(/^\S+\n$/)
  expect(parseDataKeys(stdout)).toHaveLength(1)
  const { entry } = await cli.json<{ entry: string }>('data-keys', 'generate')
  expect(parseDataKeys(entry)).toHaveLength(1)
})

test('data-keys add adds a new key at the front of the file', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'storedex-data-keys-'))
  onTestFinished(() => rm(dataDir, { recursive: true }))
  const entry = `old:${Buffer.alloc(32, 1).toString('base64')}`
  await writeFile(join(dataDir, 'data-keys'), `${entry}\n`)
  const deps = { ...cli.deps, config: { ...cli.deps.config, dataKeys: null, dataDir } }
  const { code, stdout } = await runCommand(deps, ['data-keys', 'add', '--json'])
  expect(code).toBe(0)
  const { id } = JSON.parse(stdout)
  const text = await readFile(join(dataDir, 'data-keys'), 'utf8')
  expect(parseDataKeys(text)!.map((key) => key.id)).toEqual([id, 'old'])
  expect(text.endsWith(`,${entry}\n`)).toBe(true)

  const both = await Promise.all([runCommand(deps, ['data-keys', 'add']), runCommand(deps, ['data-keys', 'add'])])
  expect(both.map((ending) => ending.code)).toEqual([0, 0])
  expect(both[0]!.stdout).toContain('Restart every server')
  expect(parseDataKeys(await readFile(join(dataDir, 'data-keys'), 'utf8'))).toHaveLength(4)
})

test('data-keys add gives advice when DATA_KEYS is set', async () => {
  const { code, stdout, stderr } = await cli.run('data-keys', 'add')
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toContain('"storedex data-keys generate"')
})

test('data-keys status and reseal show how much is sealed with each key', async () => {
  const status = { id: 'test', in_keyring: true, seals: true, contacts: 0, replies: 0, identity_key: true }
  expect(await cli.json('data-keys', 'status')).toEqual({ keys: [status] })
  expect((await cli.run('data-keys', 'status')).stdout).toBe(
    'key   use    contacts  kept replies  identity key\ntest  seals  0         0             yes\n',
  )
  expect(await cli.json('data-keys', 'reseal')).toEqual({ resealed: 0, remaining: 0 })
  expect((await cli.run('data-keys', 'reseal')).stdout).toContain('No data is sealed with an older key')
})

test('the help of data-keys describes how to replace a key', async () => {
  const { code, stdout } = await cli.run('data-keys', '--help')
  expect(code).toBe(0)
  for (const step of ['data-keys add', 'restart every server', 'data-keys reseal', 'data-keys status'])
    expect(stdout).toContain(step)
})
