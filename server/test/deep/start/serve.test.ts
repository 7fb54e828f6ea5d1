import { existsSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { pickFreePort } from '@storedex/embedded-postgres/settings'
import { describe, expect, onTestFinished, test } from 'vitest'
import { serverPid, temporaryDirectory, until } from '../../../../packages/embedded-postgres/test/support.ts'
import { createTestDatabase } from '../../support/database.ts'
import {
  hasPseudoTerminals,
  launcher,
  linesUpToCurl,
  runShell,
  type Settings,
  startOnTerminal,
  startService,
  temporaryFolder,
} from './support/service.ts'

const anyKey = /sdx_(live|test)_\w+/

describe('the demonstration keys', () => {
  test('are never printed to redirected output; the printed request reads them from their file', async () => {
    const { url } = await createTestDatabase()
    const dataDir = join(temporaryFolder(), `it's "my" $data; folder`)
    const settings = { DATA_DIR: dataDir, DATABASE_URL: url }
    const first = startService(settings, [])
    const lines = await linesUpToCurl(first)
    const keysFile = join(dataDir, 'demo-keys.json')
    expect(statSync(keysFile).mode & 0o777).toBe(0o600)
    expect(lines.join('\n')).toContain(keysFile)
    expect(JSON.parse(await runShell(lines.at(-1)!))).toMatchObject({ object: 'store' })
    expect(lines.join('\n') + first.log()).not.toMatch(anyKey)
    first.interrupt()
    expect(await first.exitCode()).toBe(0)

    // Scripts rely on the keys in the JSON output of every start.
    const second = startService(settings)
    const greeting = await second.greeting()
    expect(JSON.parse(readFileSync(keysFile, 'utf8'))).toMatchObject({
      live: greeting.live_key,
      test: greeting.test_key,
    })
    expect(JSON.parse(await runShell(greeting.curl!))).toMatchObject({ object: 'store' })
    expect(second.log()).not.toMatch(anyKey)
    second.interrupt()
    expect(await second.exitCode()).toBe(0)
  })

  test.skipIf(!hasPseudoTerminals())(
    'are printed on a terminal by the start that makes them, and by no later one',
    async () => {
      const { url } = await createTestDatabase()
      const settings = { DATA_DIR: join(temporaryFolder(), 'data'), DATABASE_URL: url }
      const first = startOnTerminal(settings)
      const shown = await linesUpToCurl(first)
      expect(shown.filter((line) => line.startsWith('{'))).toEqual([])
      const { live, test: sandbox } = JSON.parse(readFileSync(join(settings.DATA_DIR, 'demo-keys.json'), 'utf8'))
      expect(shown.join('\n')).toContain(`Live key       ${live}`)
      expect(shown.join('\n')).toContain(`Test key       ${sandbox}`)
      expect(JSON.parse(await runShell(shown.at(-1)!))).toMatchObject({ object: 'store' })
      await first.stop()

      const second = startOnTerminal(settings)
      const later = await linesUpToCurl(second)
      expect(later.join('\n')).not.toMatch(anyKey)
      expect(JSON.parse(await runShell(later.at(-1)!))).toMatchObject({ object: 'store' })
      await second.stop()
    },
  )
})

test.runIf(hasPseudoTerminals())('a start on a terminal writes log lines if LOG_LEVEL asks for them', async () => {
  const { url } = await createTestDatabase()
  const service = startOnTerminal({ DATA_DIR: temporaryFolder(), DATABASE_URL: url, LOG_LEVEL: 'info' })
  const shown = await linesUpToCurl(service)
  expect(shown.filter((line) => line.startsWith('{"level":30')).length).toBeGreaterThan(0)
  await service.stop()
})

describe('the console', () => {
  const openLink = async (link: string) => {
    const [base, token] = link.split('/link#')
    const reply = await fetch(`${base}/console/api/link`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token }),
    })
    const [cookie = ''] = reply.headers.getSetCookie()
    const session = await fetch(`${base}/console/api/session`, { headers: { cookie: cookie.split(';')[0]! } })
    return { status: reply.status, session: (await session.json()) as { person?: object; accounts?: object[] } }
  }
  const command = (settings: Settings, ...args: string[]) =>
    runShell(
      `${Object.entries(settings)
        .map(([name, value]) => `${name}='${value}'`)
        .join(' ')} '${process.execPath}' '${launcher}' people ${args.join(' ')} --json`,
    )

  test('is opened once by the link of each start, as owner and operator, until the person is removed', async () => {
    const { url } = await createTestDatabase()
    const settings = { DATA_DIR: temporaryFolder(), DATABASE_URL: url }
    const first = startService(settings, ['--json', '--print-link'])
    const { console: link, api } = await first.greeting()
    expect(link).toMatch(new RegExp(`^${api.replace('/api/v1', '')}/link#[\\w-]{43}$`))
    const opened = await openLink(link)
    expect(opened.session).toMatchObject({
      person: { email: 'demonstration@storedex.example', operator: true },
      accounts: [{ name: 'Demonstration', role: 'owner', api_access: true }],
    })
    expect(await openLink(link)).toMatchObject({ status: 410 })

    // Commands print links to the port on which the service listens.
    const made = JSON.parse(await command(settings, 'link', 'demonstration@storedex.example')) as { link: string }
    expect(made.link.split('#')[0]).toBe(link.split('#')[0])
    first.interrupt()
    expect(await first.exitCode()).toBe(0)

    await command(settings, 'remove', 'demonstration@storedex.example')
    const second = startService(settings)
    expect((await second.greeting()).console).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/)
    second.interrupt()
    expect(await second.exitCode()).toBe(0)
  })

  test('gets its link into the file of the keys, which redirected output names and does not repeat', async () => {
    const { url } = await createTestDatabase()
    const settings = { DATA_DIR: temporaryFolder(), DATABASE_URL: url }
    const file = join(settings.DATA_DIR, 'demo-keys.json')
    const stored = () => JSON.parse(readFileSync(file, 'utf8')) as { live: string; test: string; console_link?: string }
    const first = startService(settings, [])
    const shown = (await linesUpToCurl(first)).join('\n')
    expect(shown).toContain(`console_link in ${file}`)
    expect(shown + first.log()).not.toContain('/link#')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const { console_link: link = '', ...keys } = stored()
    expect(await openLink(link)).toMatchObject({ status: 200, session: { person: { operator: true } } })
    first.interrupt()
    expect(await first.exitCode()).toBe(0)

    // The same for scripts; each start has a link of its own, and the keys stay.
    const second = startService(settings)
    const greeting = await second.greeting()
    expect(greeting).toMatchObject({ console_link_file: file, console: expect.not.stringContaining('link') })
    expect(second.log()).not.toContain('/link#')
    expect(stored()).toMatchObject({ ...keys, console_link: expect.not.stringMatching(link) })
    expect(await openLink(stored().console_link!)).toMatchObject({ status: 200 })
    second.interrupt()
    expect(await second.exitCode()).toBe(0)
  })

  test('has no link without the demonstration, and says that nobody can run the installation yet', async () => {
    const { url } = await createTestDatabase()
    const service = startService({ DATA_DIR: temporaryFolder(), DATABASE_URL: url, DEMO: '0' })
    const { console: address } = await service.greeting()
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/)
    const options = await fetch(`${address}console/api/sign-in-options`)
    expect(await options.json()).toMatchObject({ first_operator_missing: true })
    service.interrupt()
    expect(await service.exitCode()).toBe(0)
  })
})

describe('the stand-in for Stripe', () => {
  const addressIn = (billing: string) => /http:\/\/127\.0\.0\.1:\d+/.exec(billing)![0]
  const isThere = (url: string) =>
    fetch(url).then(
      () => true,
      () => false,
    )

  test('runs with the service, sends its events to it, and ends with it, even when it is killed', async () => {
    const { url } = await createTestDatabase()
    const settings = { DATA_DIR: temporaryFolder(), DATABASE_URL: url, DEMO: '0' }
    const first = startService(settings)
    const { api, billing } = await first.greeting()
    expect(billing).toMatch(/^local stand-in at http:\/\/127\.0\.0\.1:\d+, no money moves$/)
    const address = addressIn(billing)
    const endpoints = await fetch(`${address}/v1/webhook_endpoints`, {
      headers: { authorization: `Bearer ${standinKey(settings.DATA_DIR)}` },
    })
    expect(((await endpoints.json()) as { data: object[] }).data).toMatchObject([
      { url: api.replace('/api/v1', '/webhooks/stripe') },
    ])
    first.kill()
    await first.exitCode()
    await until(async () => !(await isThere(address)))

    const second = startService(settings, [])
    let output = ''
    while (!output.includes('Billing')) output = await second.line()
    expect(addressIn(output)).toBe(address)
    expect(await isThere(address)).toBe(true)
    second.interrupt()
    expect(await second.exitCode()).toBe(0)
    expect(await isThere(address)).toBe(false)
  })

  test('is not started with a Stripe key', async () => {
    const { url } = await createTestDatabase()
    const dataDir = temporaryFolder()
    const service = startService({ DATA_DIR: dataDir, DATABASE_URL: url, DEMO: '0', STRIPE_SECRET_KEY: 'sk_test_ours' })
    expect((await service.greeting()).billing).toBe('Stripe in test mode, no money moves')
    expect(existsSync(join(dataDir, 'stripe-standin'))).toBe(false)
    service.interrupt()
    expect(await service.exitCode()).toBe(0)
  })
})

test('a service stopped during its start leaves nothing behind', async () => {
  const dataDir = join(temporaryDirectory(), 'data')
  const service = startService({ DATA_DIR: dataDir })
  await until(() => service.log().includes('PostgreSQL has started'))
  service.interrupt()
  expect(await service.exitCode()).toBe(0)
  expect(serverPid(dataDir)).toBeUndefined()
})

test('with DEMO=0 it creates no account and prints how to create one', async () => {
  const { url } = await createTestDatabase()
  const dataDir = temporaryFolder()
  const service = startService({ DATA_DIR: dataDir, DATABASE_URL: url, DEMO: '0' }, [])
  const output: string[] = []
  while (!output.at(-1)?.includes('keys create')) output.push(await service.line())
  expect(output.join('\n')).not.toMatch(/sdx_(live|test)_/)
  service.interrupt()
  expect(await service.exitCode()).toBe(0)
})

test('an unavailable resource ends the start with one sentence', async () => {
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void taken.close())
  const { port } = taken.address() as { port: number }
  const { url } = await createTestDatabase()
  const unwritable = new URL(url)
  unwritable.searchParams.set('options', '-c default_transaction_read_only=on')
  const refusals: { settings: Settings; sentence: string }[] = [
    { settings: { PORT: String(port) }, sentence: `Port ${port} is taken: ` },
    // Nothing listens on port 1.
    { settings: { DATABASE_URL: 'postgres://me:hunter2@127.0.0.1:1/shops' }, sentence: '127.0.0.1:1/shops' },
    {
      settings: { DATABASE_URL: unwritable.href },
      sentence: 'The schema of the database cannot be brought up to date: ',
    },
    { settings: { PLANS_FILE: '/nowhere/plans.json' }, sentence: 'The plan file /nowhere/plans.json cannot be read' },
  ]
  for (const { settings, sentence } of refusals) {
    const service = startService({ DATA_DIR: temporaryFolder(), ...settings })
    expect(await service.exitCode()).toBe(1)
    expect(service.log()).toMatch(/^[^\n]+\n$/)
    expect(service.log()).toContain(sentence)
    expect(service.log()).not.toContain('hunter2')
  }
})

test('metrics listen on loopback, whatever HOST is, unless METRICS_HOST is set', async () => {
  const { url } = await createTestDatabase()
  const dataDir = temporaryFolder()
  const isServed = (host: string, port: string) =>
    fetch(`http://${host}:${port}/metrics`).then(
      ({ status }) => status === 200,
      () => false,
    )
  for (const [settings, elsewhere] of [
    [{ HOST: '0.0.0.0' }, false],
    [{ METRICS_HOST: '0.0.0.0' }, process.platform === 'linux'],
  ] as const) {
    const port = String(await pickFreePort())
    const service = startService({ DATA_DIR: dataDir, DATABASE_URL: url, DEMO: '0', METRICS_PORT: port, ...settings })
    await service.greeting()
    expect(await isServed('127.0.0.1', port)).toBe(true)
    // On Linux all of 127.0.0.0/8 is local, so this is a second local address.
    expect(await isServed('127.0.0.2', port)).toBe(elsewhere)
    service.interrupt()
    expect(await service.exitCode()).toBe(0)
  }
})

/** The stand-in's key in its file. */
function standinKey(dataDir: string): string {
  return readFileSync(join(dataDir, 'stripe-standin/secret-key'), 'utf8').trim()
}
