import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Deps } from '../../../src/operations/deps.ts'
import { temporaryFolder } from '../../operations/backup/support/backups.ts'
import { createTestDatabase } from '../../support/database.ts'
import { openCommandLine, runCommand } from './support/run-command.ts'

const cli = openCommandLine('2026-11-22T12:00:00Z')

/** Runs a command on another database than the command line's. */
async function runElsewhere(settings: Partial<Deps['config']>, ...args: string[]) {
  const { url: databaseUrl } = await createTestDatabase()
  const config = { ...cli.deps.config, databaseUrl, ...settings }
  return (...more: string[]) => runCommand({ ...cli.deps, config }, [...args, ...more])
}

test('backup and restore print what was done, as text and as JSON', async () => {
  const file = join(temporaryFolder(), 'storedex.backup')
  const made = await cli.json('backup', file)
  expect(made).toEqual({
    file,
    bytes: statSync(file).size,
    tables: expect.any(Number),
    rows: expect.any(Number),
    with_keys: false,
    sealed: true,
    seconds: expect.any(Number),
  })
  const text = (await cli.run('backup', file)).stdout
  expect(text).toMatch(/^[\d,]+ rows of \d+ tables are in .*storedex\.backup \(\d+ MB\), written in [\d.]+ s\.\n/)
  expect(text).toContain('Keep a copy of the setting DATA_KEYS elsewhere.')
  expect((await cli.run('backup', file, '--with-keys')).stdout).toContain('whoever has the file can read every contact')

  const restore = await runElsewhere({}, 'restore', file)
  const { code, stdout } = await restore('--json')
  expect(code).toBe(0)
  const { tables, rows } = made
  expect(JSON.parse(stdout)).toEqual({
    seal: 'verified',
    tables,
    rows,
    migrated: [],
    erased: 0,
    kept: null,
    revived: { keys: [], operators: [] },
    without_owner: [],
    seconds: expect.any(Number),
  })
  expect((await restore('--replace')).stdout).toMatch(
    /^Restored [\d,]+ rows of \d+ tables in [\d.]+ s\.\nEverybody has to sign in again, and open invitations have to be sent again\.\n$/,
  )
})

test('a restore names the keys and operators that it made valid again, and says what its seal is worth', async () => {
  const file = join(temporaryFolder(), 'storedex.backup')
  const account = await cli.json('accounts', 'create', '--name', 'Aurora', '--plan', 'pro')
  const { key, id } = await cli.json('keys', 'create', String(account.id), '--name', 'production')
  await cli.json('users', 'create', 'ops@people.example', '--name', 'Ops', '--operator')
  await cli.json('backup', file, '--with-keys')
  const restore = await runElsewhere({ dataKeys: null, dataDir: temporaryFolder() }, 'restore', file)
  const { stdout } = await restore()
  expect(stdout).toContain('The data keys came in the file, so its seal does not show who wrote it.')
  expect(stdout).toContain(
    `These keys are valid here again. Revoke those that had been: storedex keys revoke KEY.\n  ${id}`,
  )
  expect(stdout).toMatch(/These users are operators here again\. .*\n {2}per_\w+ {2}ops@people\.example {2}Ops\n/)
  expect(stdout).not.toContain(key)
  expect((await restore('--replace')).stdout).not.toContain('valid here again')
})

test('a restore that is refused exits with 1 and one sentence', async () => {
  const folder = temporaryFolder()
  const file = join(folder, 'storedex.backup')
  writeFileSync(file, 'not a backup')
  const restore = await runElsewhere({}, 'restore', file)
  const { code, stdout, stderr } = await restore()
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toBe(`${file} cannot be restored: it is cut short. Nothing was changed.\n`)
})

test('a backup of a folder without an installation is refused, and creates none', async () => {
  const folder = temporaryFolder()
  const backup = await runElsewhere({ databaseUrl: null, dataDir: folder }, 'backup', join(folder, 'x'))
  const { code, stderr } = await backup()
  expect(code).toBe(1)
  expect(stderr).toBe(`There is nothing to back up in ${folder}: set DATA_DIR to the folder that the service uses.\n`)
  expect(readdirSync(folder)).toEqual([])
})

test('the help says what is in a backup and what is not', async () => {
  const { code, stdout } = await cli.run('backup', '--help')
  expect(code).toBe(0)
  expect(stdout).toContain('The data keys open the contacts. Without --with-keys they are not in the file')
})
