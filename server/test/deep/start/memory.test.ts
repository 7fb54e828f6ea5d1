import { chmodSync, cpSync, mkdtempSync, readdirSync, symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findProjectDir } from '../../../src/operations/config.ts'
import { removeFolder } from '../../support/cleanup.ts'
import { canMakeMemoryGroup, makeMemoryGroup } from './support/memory-group.ts'
import { startInShell } from './support/service.ts'

const canBoundMemory = canMakeMemoryGroup()
if (!canBoundMemory)
  console.warn('No control group with a memory limit can be made here: the start within 512 MB is skipped.')

const projectDir = findProjectDir(import.meta.dirname)

/**
 * A copy of the checkout without its builds, so that the console is built there and nowhere else. It is where files outlive the
 * machine: some systems keep those of /tmp in memory, where they would count.
 */
function copyCheckout(): string {
  const folder = mkdtempSync('/var/tmp/storedex-start-')
  onTestFinished(() => removeFolder(folder))
  // PostgreSQL runs as another user where root starts it.
  chmodSync(folder, 0o755)
  for (const name of readdirSync(projectDir).filter((each) => !each.startsWith('.') && each !== 'node_modules'))
    cpSync(join(projectDir, name), join(folder, name), {
      recursive: true,
      filter: (path) => !/^(dist|node_modules)$/.test(basename(path)),
    })
  symlinkSync(join(projectDir, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

// The memory that README asks for. A build of the console that keeps what it freed is ended by the kernel here, or stands still.
test.skipIf(!canBoundMemory)(
  'a first start within 512 MB says that it builds the console, becomes ready and answers',
  async () => {
    const checkout = copyCheckout()
    const group = makeMemoryGroup(512 * 2 ** 20)
    const settings = { DATA_DIR: join(checkout, '.storedex'), npm_config_update_notifier: 'false' }
    const script = `echo $$ > '${group.processesFile}' && exec npm start --silent -- --json`
    const service = startInShell(script, { settings, cwd: checkout })
    const { api, live_key: key } = await service.greeting()
    const said = service.log()
    expect(said).toContain('Building the console, once for this version')
    expect(said.indexOf('Building the console')).toBeLessThan(said.indexOf('PostgreSQL has started'))
    // The warning of too little memory.
    expect(said).not.toContain('it may fail')

    const reply = await fetch(`${api}/stores/search`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ filters: { countries: ['DE'] }, limit: 10 }),
    })
    expect(reply.status).toBe(200)
    expect(((await reply.json()) as { data: object[] }).data).toHaveLength(10)
    const page = await fetch(new URL('/', api), { headers: { accept: 'text/html' } })
    expect(await page.text()).toMatch(/<script type="module"/)
    expect(group.countKills()).toBe(0)
    console.log(
      `The first start within 512 MB: ${Math.round(group.peak() / 2 ** 20)} MB at most, the file cache included.`,
    )
    service.interrupt()
    expect(await service.exitCode()).toBe(0)
  },
  300_000,
)
