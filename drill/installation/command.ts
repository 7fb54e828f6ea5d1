import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Cleanup } from '@storedex/testkit'
import { environmentOf } from '../../server/test/support/programs/program.ts'
import { peakMemoryOf } from './processes.ts'
import { launcher } from './service.ts'

interface CommandEnd {
  code: number | null
  stdout: string
  stderr: string
  seconds: number
  /** Peak memory, sampled ten times a second. */
  peakMb: number
}

export interface RunningCommand {
  child: ChildProcess
  end: Promise<CommandEnd>
}

/** Runs commands as an operator does. */
export class CommandLine {
  readonly #environment: Record<string, string>
  readonly #cleanup: Cleanup

  constructor(environment: Record<string, string>, cleanup: Cleanup) {
    this.#environment = environment
    this.#cleanup = cleanup
  }

  start(...args: string[]): RunningCommand {
    const startedAt = performance.now()
    const child = spawn(process.execPath, [launcher, ...args, '--json'], {
      env: environmentOf(this.#environment),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const closed = once(child, 'close')
    this.#cleanup.add(async () => {
      child.kill('SIGKILL')
      await closed
    })
    let peakMb = 0
    const sampling = setInterval(() => {
      peakMb = Math.max(peakMb, peakMemoryOf(child.pid!))
    }, 100)
    const end = async (): Promise<CommandEnd> => {
      const [stdout, stderr] = await Promise.all([readAll(child.stdout), readAll(child.stderr), closed])
      clearInterval(sampling)
      return { code: child.exitCode, stdout, stderr, seconds: (performance.now() - startedAt) / 1_000, peakMb }
    }
    return { child, end: end() }
  }

  /** Runs a command that must succeed, and returns the JSON it printed. */
  async run<T>(...args: string[]): Promise<T> {
    const { code, stdout, stderr } = await this.start(...args).end
    if (code !== 0) throw new Error(`storedex ${args.join(' ')} ended with ${code}:\n${stderr}`)
    return JSON.parse(stdout) as T
  }

  /** Runs `ledger check` and returns its result as text: "no differences" when the ledger balances. */
  async checkLedger(): Promise<string> {
    const { stdout, stderr } = await this.start('ledger', 'check').end
    try {
      const { differences } = JSON.parse(stdout) as { differences: object[] }
      return differences.length === 0 ? 'no differences' : `${differences.length} differences`
    } catch {
      return stderr.trim() || 'it printed nothing'
    }
  }
}

async function readAll(stream: NodeJS.ReadableStream): Promise<string> {
  let text = ''
  for await (const chunk of stream) text += chunk
  return text
}
