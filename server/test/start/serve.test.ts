import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Greeting } from '../../src/bin/greeting.ts'
import { findProjectDir } from '../../src/config.ts'
import { serverPid, temporaryDirectory, until } from '../db/embedded-support.ts'
import { createTestDatabase } from '../support/database.ts'

const launcher = join(findProjectDir(import.meta.dirname), 'bin/storedex.mjs')

type Settings = Record<string, string>

/** `npm start` as a terminal runs it: the shell that npm makes, with the service in it, in a process group of its own. */
function start(settings: Settings, args: string[] = ['--json']) {
  const { PATH = '', HOME = '' } = process.env
  // As `npm start` does: npm's shell gives its place to the service, so that signals sent to npm reach it.
  const script = `exec '${process.execPath}' '${launcher}' serve ${args.join(' ')}`
  const shell = spawn('/bin/sh', ['-c', script], {
    env: { PATH, HOME, PORT: '0', ...settings },
    stdio: 'pipe',
    detached: true,
  })
  const closed = once(shell, 'close')
  let log = ''
  shell.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text
  })
  onTestFinished(async () => {
    try {
      process.kill(-shell.pid!, 'SIGKILL')
    } catch {
      // Its group is empty by now.
    }
    await closed
  })
  const lines = createInterface({ input: shell.stdout })[Symbol.asyncIterator]()
  return {
    log: () => log,
    async line(): Promise<string> {
      const next = await lines.next()
      if (next.done) throw new Error(`The service ended early: ${log}`)
      return next.value
    },
    async greeting(): Promise<Greeting> {
      return JSON.parse(await this.line())
    },
    /** As a terminal's Ctrl-C does. */
    interrupt: () => process.kill(-shell.pid!, 'SIGINT'),
    /** As `kill -9` of the service, and of it alone. */
    kill: () => shell.kill('SIGKILL'),
    /** As closing the terminal does. */
    hangUp: () => shell.kill('SIGHUP'),
    /** Once every process has let go of the output. */
    async exitCode(): Promise<number | null> {
      await closed
      return shell.exitCode
    },
  }
}

function curl(command: string): Promise<string> {
  const child = spawn('/bin/sh', ['-c', command], { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  return once(child, 'close').then(() => output)
}

test('from nothing to a first reply, and again with the same keys; Ctrl-C leaves nothing behind', async () => {
  const dataDir = join(temporaryDirectory(), 'data')
  const first = start({ DATA_DIR: dataDir }, [])
  const told: string[] = []
  while (!told.at(-1)?.includes('curl -s')) told.push(await first.line())
  const [api] = /http:\S+\/api\/v1$/.exec(told.find((line) => line.includes('API'))!)!
  expect(told.join('\n')).toContain(dataDir)
  expect(JSON.parse(await curl(told.at(-1)!))).toMatchObject({ object: 'store', domain: 'aurora-candles.example' })
  expect((await fetch(api.replace('/api/v1', '/readyz'))).status).toBe(200)
  first.interrupt()
  expect(await first.exitCode()).toBe(0)
  expect(serverPid(dataDir)).toBeUndefined()

  const keysFile = join(dataDir, 'demo-keys.json')
  expect(statSync(keysFile).mode & 0o777).toBe(0o600)
  const second = start({ DATA_DIR: dataDir })
  const { live_key, test_key, curl: request } = await second.greeting()
  expect({ live: live_key, test: test_key }).toEqual(JSON.parse(readFileSync(keysFile, 'utf8')))
  expect(told.join('\n')).toContain(live_key)
  expect(JSON.parse(await curl(request!))).toMatchObject({ object: 'store' })
  expect(second.log()).not.toContain(live_key)
  second.hangUp()
  expect(await second.exitCode()).toBe(0)
  expect(serverPid(dataDir)).toBeUndefined()
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
    const first = start(settings)
    const { api, billing } = await first.greeting()
    expect(billing).toMatch(/^local stand-in at http:\/\/127\.0\.0\.1:\d+, no money moves$/)
    const address = addressIn(billing)
    const endpoints = await fetch(`${address}/v1/webhook_endpoints`, {
      headers: { authorization: 'Bearer sk_test_standin' },
    })
    expect(((await endpoints.json()) as { data: object[] }).data).toMatchObject([
      { url: api.replace('/api/v1', '/webhooks/stripe') },
    ])
    first.kill()
    await first.exitCode()
    await until(async () => !(await isThere(address)))

    const second = start(settings, [])
    let told = ''
    while (!told.includes('Billing')) told = await second.line()
    expect(addressIn(told)).toBe(address)
    expect(await isThere(address)).toBe(true)
    second.interrupt()
    expect(await second.exitCode()).toBe(0)
    expect(await isThere(address)).toBe(false)
  })

  test('is not started when there is a key of Stripe', async () => {
    const { url } = await createTestDatabase()
    const dataDir = temporaryFolder()
    const service = start({ DATA_DIR: dataDir, DATABASE_URL: url, DEMO: '0', STRIPE_SECRET_KEY: 'sk_test_ours' })
    expect((await service.greeting()).billing).toBe('Stripe in test mode, no money moves')
    expect(existsSync(join(dataDir, 'stripe-standin'))).toBe(false)
    service.interrupt()
    expect(await service.exitCode()).toBe(0)
  })
})

test('told to stop while it starts, it stops and leaves nothing behind', async () => {
  const dataDir = join(temporaryDirectory(), 'data')
  const service = start({ DATA_DIR: dataDir })
  await until(() => service.log().includes('PostgreSQL has started'))
  service.interrupt()
  expect(await service.exitCode()).toBe(0)
  expect(serverPid(dataDir)).toBeUndefined()
})

test('starting empty, it makes no account and says how to make one', async () => {
  const { url } = await createTestDatabase()
  const dataDir = temporaryFolder()
  const service = start({ DATA_DIR: dataDir, DATABASE_URL: url, DEMO: '0' }, [])
  const told: string[] = []
  while (!told.at(-1)?.includes('keys create')) told.push(await service.line())
  expect(told.join('\n')).not.toMatch(/sdx_(live|test)_/)
  service.interrupt()
  expect(await service.exitCode()).toBe(0)
})

test('what cannot be had ends the start with one sentence', async () => {
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void taken.close())
  const { port } = taken.address() as { port: number }
  const { url } = await createTestDatabase()
  const unwritable = new URL(url)
  unwritable.searchParams.set('options', '-c default_transaction_read_only=on')
  const refusals: { settings: Settings; sentence: string }[] = [
    { settings: { PORT: String(port) }, sentence: `Port ${port} is taken: ` },
    // Port 1 is for a protocol nobody speaks.
    { settings: { DATABASE_URL: 'postgres://me:hunter2@127.0.0.1:1/shops' }, sentence: '127.0.0.1:1/shops' },
    {
      settings: { DATABASE_URL: unwritable.href },
      sentence: 'The schema of the database cannot be brought up to date: ',
    },
    { settings: { PLANS_FILE: '/nowhere/plans.json' }, sentence: 'The plan file /nowhere/plans.json cannot be read' },
  ]
  for (const { settings, sentence } of refusals) {
    const service = start({ DATA_DIR: temporaryFolder(), ...settings })
    expect(await service.exitCode()).toBe(1)
    expect(service.log()).toMatch(/^[^\n]+\n$/)
    expect(service.log()).toContain(sentence)
    expect(service.log()).not.toContain('hunter2')
  }
})

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'storedex-start-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
