import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { pickFreePort } from '@storedex/embedded-postgres/settings'
import type { Greeting } from '../../../src/bin/greeting.ts'
import { findProjectDir } from '../../../src/config.ts'
import { createClient, type Json, type TestClient } from '../../support/client.ts'
import { createTestDatabase } from '../../support/database.ts'

const launcher = join(findProjectDir(import.meta.dirname), 'bin/storedex.mjs')

/** The whole service as it is started on a machine, with the stand-in that it starts by itself. */
export interface RunningService {
  url: string
  dataDir: string
  /** What the start told of billing. */
  billing: string
  /** An account without a plan, and a key of it with every scope. */
  account(): Promise<{ id: string; key: TestClient }>
  /** A command of the operator's, beside the running service. */
  command(...args: string[]): Promise<Json>
  stop(): Promise<void>
}

/** `settings` are further ones, such as PUBLIC_URL. */
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
  // Whatever name PUBLIC_URL gives it.
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
      // A key needs access to be made, which is what the account loses then.
      const { id } = await command('accounts', 'create', '--name', 'Aurora Candles', '--plan', 'pro')
      const { key } = await command('keys', 'create', id, '--name', 'browser', '--all-scopes')
      await command('accounts', 'set', id, '--plan', 'free')
      return { id, key: createClient(url, key) }
    },
    stop,
  }
}
