import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { pickFreePort } from '@storedex/embedded-postgres/settings'
import { type Cleanup, mapConcurrently } from '@storedex/testkit'
import type { Workspace } from './workspace.ts'

const ownCheckout = resolve(import.meta.dirname, '../../../..')

/** The search engines of the service. */
export const engines = ['memory', 'postgres'] as const
export type EngineName = (typeof engines)[number]

/** The program as an operator runs it, in child processes. */
export interface Program {
  /** Runs one command and returns the JSON it printed. */
  run<T>(...args: string[]): Promise<T>
  /** Runs one command that may fail, without --json. */
  attempt(...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }>
  /** Runs `storedex serve`; resolves when it listens. */
  serve(environment?: Record<string, string>, nodeFlags?: readonly string[]): Promise<Service>
}

export interface Service {
  /** Base of the API, version included. */
  api: string
  /** The console; with the demonstration, a link that signs in once. */
  console: string
  metricsUrl: string
  pid: number
  stop(): Promise<void>
}

/** `checkout` is the folder of the version to run. */
export function openProgram(workspace: Workspace, cleanup: Cleanup, checkout = ownCheckout): Program {
  const launcher = join(checkout, 'bin/storedex.mjs')
  const start = (
    args: string[],
    more: Record<string, string>,
    stderr: 'pipe' | number,
    nodeFlags: readonly string[] = [],
  ) => {
    const child = spawn(process.execPath, [...nodeFlags, launcher, ...args], {
      env: environmentOf({ ...workspace.environment, ...more }),
      stdio: ['ignore', 'pipe', stderr],
    })
    cleanup.add(() => stopChild(child))
    return child
  }

  const attempt: Program['attempt'] = async (...args) => {
    const child = start(args, {}, 'pipe')
    const [stdout, stderr] = await Promise.all([readAll(child.stdout!), readAll(child.stderr!), once(child, 'close')])
    return { code: child.exitCode, stdout, stderr }
  }

  return {
    attempt,

    async run(...args) {
      const { code, stdout, stderr } = await attempt(...args, '--json')
      if (code !== 0) throw new Error(`storedex ${args.join(' ')} failed:\n${stderr}`)
      return JSON.parse(stdout)
    },

    async serve(environment = {}, nodeFlags = []) {
      const metricsPort = await pickFreePort()
      // The log goes to a file: reading it would take processor time from the measurement.
      const logFile = join(workspace.folder, `serve-${metricsPort}.log`)
      const log = openSync(logFile, 'w')
      const child = start(
        ['serve', '--print-link', '--json'],
        { ...environment, METRICS_PORT: String(metricsPort) },
        log,
        nodeFlags,
      )
      closeSync(log)
      for await (const line of createInterface({ input: child.stdout! })) {
        const { api, console } = JSON.parse(line) as { api: string; console: string }
        const metricsUrl = `http://127.0.0.1:${metricsPort}/metrics`
        return { api, console, metricsUrl, pid: child.pid!, stop: () => stopChild(child) }
      }
      throw new Error(`the service did not start:\n${readFileSync(logFile, 'utf8').slice(-4_000)}`)
    },
  }
}

/** Keeps the caller's settings away from the measured service; an empty variable counts as unset. */
const clearedSettings = Object.fromEntries(
  'PUBLIC_URL DATA_KEYS PLANS_FILE STRIPE_SECRET_KEY STRIPE_WEBHOOK_SECRET STRIPE_API_BASE DATABASE_OWNER_URL LEDGER_DETAIL_MONTHS DELIVER_EMAILS LOG_LEVEL CONSOLE_DIR SEARCH_ENGINE SEARCH_MEMORY_MB DOCUMENT_CACHE_MB NODE_OPTIONS'
    .split(' ')
    .map((name) => [name, '']),
)

export function environmentOf(environment: Record<string, string>): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('STRIPE_PRICE_'))
  return {
    ...Object.fromEntries(inherited),
    ...clearedSettings,
    HOST: '127.0.0.1',
    PORT: '0',
    DEMO: '0',
    ...environment,
  }
}

async function readAll(stream: NodeJS.ReadableStream): Promise<string> {
  let text = ''
  for await (const chunk of stream) text += chunk
  return text
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
}

/** Runs another program on this terminal. Its temporary files go into the workspace. */
export async function runScript(script: string, args: string[], workspace: Workspace, cleanup: Cleanup): Promise<void> {
  const env = { ...process.env, TMPDIR: workspace.folder }
  const child = spawn(process.execPath, [...process.execArgv, script, ...args], { env, stdio: 'inherit' })
  cleanup.add(() => stopChild(child))
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${script} failed`)
}

/** Runs a script of this version or of another one, and returns what it prints. */
export async function captureScript(
  script: string,
  args: string[],
  workspace: Workspace,
  cleanup: Cleanup,
): Promise<string> {
  const env = { ...process.env, TMPDIR: workspace.folder }
  const child = spawn(process.execPath, [...process.execArgv, script, ...args], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  cleanup.add(() => stopChild(child))
  const [printed] = await Promise.all([readAll(child.stdout!), once(child, 'close')])
  if (child.exitCode !== 0) throw new Error(`${script} failed`)
  return printed
}

const unlimited = 2_000_000_000
const meters = ['requests_per_minute', 'requests_per_day', 'search_rows', 'store_exports', 'contact_credits']

/** Creates accounts whose limits no run can reach, and returns a live key for each. */
export function openAccounts(program: Program, count: number): Promise<string[]> {
  return mapConcurrently(
    Array.from({ length: count }, (_, index) => index + 1),
    async (number) => {
      const { id } = await program.run<{ id: string }>(
        'accounts',
        'create',
        '--name',
        `Bench ${number}`,
        '--plan',
        'pro',
        '--status',
        'active',
      )
      await program.run('accounts', 'set', id, ...meters.flatMap((meter) => ['--limit', `${meter}=${unlimited}`]))
      const { key } = await program.run<{ key: string }>('keys', 'create', id, '--name', 'bench')
      return key
    },
    2,
  )
}

const readyTimeoutMs = 600_000

/** Starts the service and waits until this engine answers searches. */
export async function serveWith(
  engine: EngineName,
  program: Program,
  environment: Record<string, string> = {},
  nodeFlags: readonly string[] = [],
): Promise<Service> {
  const service = await program.serve({ ...environment, SEARCH_ENGINE: engine }, nodeFlags)
  const deadline = performance.now() + readyTimeoutMs
  while ((await servingEngine(service)) !== engine) {
    if (performance.now() > deadline)
      throw new Error(`the service did not switch searches to the engine ${engine} in time`)
    await delay(100)
  }
  return service
}

/** Null while the service is not ready. */
async function servingEngine({ api }: Service): Promise<string | null> {
  const response = await fetch(new URL('/readyz', api))
  const reply = (await response.json()) as { search?: { engine: string } }
  return response.ok ? (reply.search?.engine ?? null) : null
}
