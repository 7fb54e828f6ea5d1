import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { pickFreePort } from '@storedex/embedded-postgres/settings'
import { escapeControls } from '@storedex/process-lock/terminal'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { findProjectDir } from '../../../src/operations/config.ts'
import { removeFolder } from '../../support/cleanup.ts'
import { createTestDatabase } from '../../support/database.ts'

const launcher = join(findProjectDir(import.meta.dirname), 'bin/storedex.mjs')

let databaseUrl: string
beforeAll(async () => {
  databaseUrl = (await createTestDatabase()).url
})

/** Runs a command as a script does: in its own process, outside the checkout. */
function storedex(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const { PATH = '' } = process.env
  const options = { cwd: '/', env: { PATH, DATABASE_URL: databaseUrl, DEMO: '0' } }
  return new Promise((resolve) => {
    execFile(process.execPath, [launcher, ...args], options, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    )
  })
}

test('a command prints one JSON document and nothing else, and exits', async () => {
  const created = await storedex('accounts', 'create', '--name', 'Aurora Candles', '--plan', 'pro', '--json')
  expect(created).toMatchObject({ code: 0, stderr: '' })
  expect(created.stdout).toMatch(/^[^\n]+\n$/)
  const { id } = JSON.parse(created.stdout)
  const issued = await storedex('--json', 'keys', 'create', id, '--name', 'k')
  expect(JSON.parse(issued.stdout).key).toMatch(/^sdx_live_/)
})

test('its exit code distinguishes invalid input from wrong usage', async () => {
  expect(await storedex('accounts', 'show', 'acct_nobody')).toMatchObject({ code: 1, stdout: '' })
  expect(await storedex('accounts', 'frobnicate')).toMatchObject({ code: 2, stdout: '' })
})

test('what it prints of a file and its names has no control characters, and a file on standard output stays as it is', async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'storedex-names-')))
  onTestFinished(() => removeFolder(folder))
  const hostile = '\u001b[2J\u009b2J\u0007\r\u202e'
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  await storedex('accounts', 'create', '--name', `Aurora${hostile}`, '--plan', 'pro')
  const runs = [
    await storedex('import', 'stores', write(`${hostile}.csv`, `domain,${hostile}\nshop.example,1\n`)),
    await storedex('import', 'stores', write('values.csv', `domain,name\n"${hostile}",Shop\n`)),
    await storedex('import', 'stores', write('keys.ndjson', JSON.stringify({ domain: 'shop.example', [hostile]: 1 }))),
    await storedex('import', 'stores', join(folder, hostile)),
    await storedex('import', hostile),
    await storedex('accounts', 'list'),
    await storedex('accounts', 'list', '--json'),
  ]
  for (const { stdout, stderr } of runs) {
    expect(stdout + stderr).toContain('\\u001b[2J')
    expect(stdout + stderr).toBe(escapeControls(stdout + stderr))
  }
  expect((await storedex('import', 'stores', '--template')).stdout).toContain('\r\n')
})

test('a checkout with a workspace that is newer than its installation gets the link without npm', async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'storedex-links-')))
  onTestFinished(() => removeFolder(folder))
  for (const path of ['packages/new', 'node_modules']) mkdirSync(join(folder, path), { recursive: true })
  const packages = { 'node_modules/@storedex/new': { resolved: 'packages/new', link: true } }
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ packages }))
  writeFileSync(join(folder, 'node_modules/.package-lock.json'), JSON.stringify({ packages: {} }))
  const launcher = pathToFileURL(join(findProjectDir(import.meta.dirname), 'bin/launcher/install.mjs')).href
  const { installPackages } = await import(launcher)
  await installPackages(folder, { tools: false })
  await installPackages(folder, { tools: false })
  expect(realpathSync(join(folder, 'node_modules/@storedex/new'))).toBe(join(folder, 'packages/new'))
})

test('an installation without a network says what it needs, and does not try again and again', async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'storedex-offline-')))
  onTestFinished(() => removeFolder(folder))
  const dependencies = { pino: '10.4.0' }
  const packages = { '': { dependencies }, 'node_modules/pino': { version: '10.4.0' } }
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'offline', version: '1.0.0', dependencies }))
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ name: 'offline', lockfileVersion: 3, packages }))
  const launcher = pathToFileURL(join(findProjectDir(import.meta.dirname), 'bin/launcher/install.mjs')).href
  const script = `import(${JSON.stringify(launcher)})
    .then(({ installPackages }) => installPackages(process.argv[1], { tools: false }))
    .catch((error) => console.log(JSON.stringify({ explained: error.isExplained, message: error.message })))`
  const { PATH = '' } = process.env
  const registry = `http://127.0.0.1:${await pickFreePort()}`
  const env = { PATH, HOME: folder, npm_config_registry: registry, npm_config_cache: join(folder, 'cache') }
  const printed = await new Promise<string>((resolve) => {
    execFile(process.execPath, ['-e', script, folder], { cwd: folder, env }, (_, stdout) => resolve(stdout))
  })
  const { explained, message } = JSON.parse(printed)
  expect(explained).toBe(true)
  expect(message).toContain(`The first start installs packages, and ${registry} cannot be reached (ECONNREFUSED).`)
  expect(message).toContain('npm config set https-proxy')
})
