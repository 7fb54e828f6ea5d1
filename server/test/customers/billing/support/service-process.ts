import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { pickFreePort } from '@storedex/embedded-postgres/settings'
import { findProjectDir } from '../../../../src/operations/config.ts'
import type { Greeting } from '../../../../src/program/serving/greeting.ts'
import { createClient, type Json, type TestClient } from '../../../support/client.ts'
import { createTestDatabase } from '../../../support/database.ts'

const launcher = join(findProjectDir(import.meta.dirname), 'bin/storedex.mjs')

/** A service started with the launcher, with its own database and stand-in. */
export interface RunningService {
  url: string
  dataDir: string
  /** The billing line of the startup output. */
  billing: string
  /** Creates an account of plan free, and a key with every scope. */
  account(): Promise<{ id: string; key: TestClient }>
  /** Runs a command line next to the running service; returns its JSON. */
  command(...args: string[]): Promise<Json>
  stop(): Promise<void>
}

/** Starts a service; `settings` adds environment variables, such as PUBLIC_URL. */
export async function startService(settings: Record<string, string> = {}): Promise<RunningService> {
  const dataDir = await mkdtemp(join(tmpdir(), 'storedex-browser-'))
  const { url: databaseUrl } = await createTestDatabase()
  const { PATH = '' } = process.env
  const port = await pickFreePort()
  const own = { DATA_DIR: dataDir, DATABASE_URL: databaseUrl, PORT: String(port), DEMO: '0', LOG_LEVEL: 'silent' }
  const env = { PATH, ...own, ...settings }
  const service = spawn(process.execPath, [launcher, 'serve', '--json'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(service, 'close')
  const stop = async () => {
    service.kill('SIGTERM')
    await ended
    await rm(dataDir, { recursive: true, force: true, maxRetries: 3 })
  }
  const first = await createInterface({ input: service.stdout })[Symbol.asyncIterator]().next()
  if (first.done) {
    await stop()
    throw new Error('The service ended before it was ready.')
  }
  const { billing } = JSON.parse(first.value) as Greeting
  // Not PUBLIC_URL, which may be unreachable from here.
  const url = `http://127.0.0.1:${port}`

  const command: RunningService['command'] = async (...args) => {
    const { stdout } = await promisify(execFile)(process.execPath, [launcher, ...args, '--json'], { env })
    return JSON.parse(stdout)
  }
  return {
    url,
    dataDir,
    billing,
    command,
    async account() {
      // A key can only be created with access; then take the plan away.
      const { id } = await command('accounts', 'create', '--name', 'Aurora Candles', '--plan', 'pro')
      const { key } = await command('keys', 'create', id, '--name', 'browser', '--all-scopes')
      await command('accounts', 'set', id, '--plan', 'free')
      return { id, key: createClient(url, key) }
    },
    stop,
  }
}
