import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { pickFreePort } from '../../server/src/db/embedded/postmaster.ts'
import type { Cleanup } from './cleanup.ts'
import type { Place } from './workspace.ts'

const launcher = resolve(import.meta.dirname, '../../bin/storedex.mjs')

/** The program as an operator has it, run as child processes. */
export interface Program {
  /** Runs one command and answers what it printed with `--json`. */
  run<T>(...args: string[]): Promise<T>
  /** Starts what `npm start` starts, and resolves once it answers. */
  serve(environment?: Record<string, string>): Promise<Service>
}

export interface Service {
  /** Base of the API, version included. */
  api: string
  metricsUrl: string
  stop(): Promise<void>
}

export function openProgram(place: Place, cleanup: Cleanup): Program {
  const start = (args: string[], more: Record<string, string>, stderr: 'pipe' | number) => {
    const child = spawn(process.execPath, [launcher, ...args, '--json'], {
      env: environmentOf({ ...place.environment, ...more }),
      stdio: ['ignore', 'pipe', stderr],
    })
    cleanup.add(() => end(child))
    return child
  }

  return {
    async run(...args) {
      const child = start(args, {}, 'pipe')
      const [stdout, stderr] = await Promise.all([readAll(child.stdout!), readAll(child.stderr!), once(child, 'close')])
      if (child.exitCode !== 0) throw new Error(`storedex ${args.join(' ')} failed:\n${stderr}`)
      return JSON.parse(stdout)
    },

    async serve(environment = {}) {
      const metricsPort = await pickFreePort()
      // Its log goes to a file, as it does in production; the bench must not be kept busy reading it.
      const logFile = join(place.folder, `serve-${metricsPort}.log`)
      const log = openSync(logFile, 'w')
      const child = start(['serve'], { ...environment, METRICS_PORT: String(metricsPort) }, log)
      closeSync(log)
      for await (const line of createInterface({ input: child.stdout! })) {
        const { api } = JSON.parse(line) as { api: string }
        return { api, metricsUrl: `http://127.0.0.1:${metricsPort}/metrics`, stop: () => end(child) }
      }
      throw new Error(`the service did not start:\n${readFileSync(logFile, 'utf8').slice(-4_000)}`)
    },
  }
}

/** Settings of the person who runs the bench must not reach what it measures; one that is set to nothing is not set. */
const neutral = Object.fromEntries(
  'PUBLIC_URL DATA_KEYS PLANS_FILE STRIPE_SECRET_KEY STRIPE_WEBHOOK_SECRET STRIPE_API_BASE DATABASE_OWNER_URL LEDGER_DETAIL_MONTHS DELIVER_EMAILS LOG_LEVEL SEARCH_ENGINE SEARCH_MEMORY_MB NODE_OPTIONS'
    .split(' ')
    .map((name) => [name, '']),
)

export function environmentOf(environment: Record<string, string>): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('STRIPE_PRICE_'))
  return { ...Object.fromEntries(inherited), ...neutral, HOST: '127.0.0.1', PORT: '0', DEMO: '0', ...environment }
}

async function readAll(stream: NodeJS.ReadableStream): Promise<string> {
  let text = ''
  for await (const chunk of stream) text += chunk
  return text
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
}

/** Runs another program of the bench, on the terminal of this one. Its temporary files go the way of the place. */
export async function runScript(name: string, args: string[], place: Place, cleanup: Cleanup): Promise<void> {
  const script = join(import.meta.dirname, '..', name)
  const env = { ...process.env, TMPDIR: place.folder }
  const child = spawn(process.execPath, [...process.execArgv, script, ...args], { env, stdio: 'inherit' })
  cleanup.add(() => end(child))
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${name} failed`)
}
