import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished } from 'vitest'
import { run, serverPid, until } from '../../../../../packages/embedded-postgres/test/support.ts'
import type { LimitOverrides } from '../../../../src/customers/accounts/plans.ts'
import { changeAccount, createAccount } from '../../../../src/customers/administration/change-account.ts'
import { revokeKey } from '../../../../src/customers/keys/change-key.ts'
import { createKey } from '../../../../src/customers/keys/create-key.ts'
import { openDatabaseServer } from '../../../../src/foundation/db/embedded.ts'
import { findProjectDir, readConfig } from '../../../../src/operations/config.ts'
import type { Deps } from '../../../../src/operations/deps.ts'
import { commandsOf, openTestDeps } from '../../../support/deps.ts'

const projectDir = findProjectDir(import.meta.dirname)
const launcher = join(projectDir, 'bin/storedex.mjs')

type Settings = Record<string, string>

/** The service in its own process, as an operator runs it. */
export interface Service {
  /** Base URL of the API. */
  api: string
  /** The live key of the demonstration; null with DEMO=0. */
  demoKey: string | null
  /** Its standard error so far: the log. */
  log(): string
  /** Sends SIGTERM; returns the exit code. */
  stop(): Promise<number | null>
  /** Sends SIGKILL. */
  kill(): Promise<void>
}

/** Starts the service and waits for its greeting. It is ended with the test. */
export async function startService(settings: Settings): Promise<Service> {
  const { child, closed, log } = spawnService(settings)
  const greeting = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next()
  if (greeting.done) throw new Error(`The service ended before it greeted: ${log()}`)
  const { api, live_key: demoKey } = JSON.parse(greeting.value)
  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    child.kill(signal)
    await closed
    return child.exitCode
  }
  return {
    api,
    demoKey,
    log,
    stop: () => end('SIGTERM'),
    kill: async () => void (await end('SIGKILL')),
  }
}

/** Waits until the service is ready, at once or after its database is back. */
export async function waitUntilReady({ api }: Service): Promise<void> {
  const isReady = () =>
    fetch(new URL('/readyz', api)).then(
      ({ ok }) => ok,
      () => false,
    )
  await expect.poll(isReady, { timeout: 30_000, interval: 50 }).toBe(true)
}

/** Starts the service and kills it, this long after its PostgreSQL has started. */
export async function killWithinStart(settings: Settings, afterMs: number): Promise<void> {
  const { child, closed, log } = spawnService(settings)
  await until(() => log().includes('on port'))
  await delay(afterMs)
  child.kill('SIGKILL')
  await closed
}

function spawnService(settings: Settings) {
  const child = spawn(process.execPath, [launcher, 'serve', '--json'], { env: environment(settings), stdio: 'pipe' })
  const closed = once(child, 'close')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await closed
  })
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text
  })
  return { child, closed, log: () => log }
}

/** Settings of the test run must not reach the service. */
function environment(settings: Settings): Settings {
  const { PATH = '', HOME = '' } = process.env
  return { PATH, HOME, PORT: '0', ...settings }
}

/** Opens the service's database as a concurrent command does. */
export async function withDeps<T>(settings: Settings, work: (deps: Deps) => Promise<T>): Promise<T> {
  const config = readConfig({ ...settings, LOG_LEVEL: 'silent' }, projectDir)
  const deps = await openTestDeps(config, { maxConnections: 2, asOwner: true })
  try {
    return await work(deps)
  } finally {
    await deps.close()
  }
}

export interface Subscriber {
  live: string
  test: string
  revoke(): Promise<void>
}

/** Creates an account with a key of each mode, without low limits except the given ones. */
export function subscribe(settings: Settings, limits: LimitOverrides = {}): Promise<Subscriber> {
  return withDeps(settings, async (deps) => {
    const context = commandsOf(deps)
    const account = await createAccount(context, { name: 'Subscriber', plan: 'enterprise' })
    const id = deps.ids.seal('account', account.id)
    const generous = { requests_per_minute: 1_000_000, requests_per_day: 1_000_000, search_rows: 1_000_000 }
    await changeAccount(context, id, { limits: { ...generous, ...limits } })
    const live = await createKey(context, account.id, { name: 'live' })
    const test = await createKey(context, account.id, { name: 'test', mode: 'test' })
    const revoke = () =>
      withDeps(settings, async (deps) => {
        for (const { key } of [live, test]) await revokeKey(commandsOf(deps), key.id)
      })
    return { live: live.secret, test: test.secret, revoke }
  })
}

/** Runs a statement on the embedded PostgreSQL, while the service runs. */
export async function query(dataDir: string, statement: string): Promise<Record<string, unknown>[]> {
  const postgres = await openDatabaseServer({ dataDir })
  try {
    return await run(postgres.url, statement)
  } finally {
    await postgres.release()
  }
}

/** Kills the embedded PostgreSQL. */
export async function killPostgres(dataDir: string): Promise<void> {
  process.kill(serverPid(dataDir)!, 'SIGKILL')
  await until(() => serverPid(dataDir) === undefined)
}
