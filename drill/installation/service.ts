import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { pickFreePort } from '@storedex/embedded-postgres/settings'
import type { Cleanup } from '@storedex/testkit'
import { environmentOf } from '../../server/test/support/programs/program.ts'
import { requestOnce, requestText } from '../client/http-connection.ts'
import { isTrueWithin } from './processes.ts'

export const launcher = resolve(import.meta.dirname, '../../bin/storedex.mjs')

export interface ServiceOptions {
  folder: string
  environment: Record<string, string>
  /** `ulimit -n` of the process. */
  descriptors?: number
  cleanup: Cleanup
}

const startTimeoutMs = 90_000
const stopTimeoutMs = 40_000

/** The service as an operator starts it. All starts use the same port. */
export class Service {
  readonly origin: string
  readonly metricsUrl: string
  readonly #options: ServiceOptions
  readonly #logFile: string
  #child: ChildProcess | undefined
  /** How often it exited without being stopped. */
  unexpectedExits = 0
  /** Exit status of the last end. */
  lastExit = 'nothing'
  #isStopRequested = false
  /** Prevents a restart while the scenario is cleaned up. */
  #isOver = false

  private constructor(options: ServiceOptions, port: number, metricsPort: number) {
    this.#options = options
    this.origin = `http://127.0.0.1:${port}`
    this.metricsUrl = `http://127.0.0.1:${metricsPort}/metrics`
    this.#logFile = join(options.folder, `service-${port}.log`)
    options.cleanup.add(() => {
      this.#isOver = true
      return this.stop()
    })
  }

  static async start(options: ServiceOptions): Promise<Service> {
    const service = new Service(options, await pickFreePort(), await pickFreePort())
    await service.start()
    return service
  }

  /** Starts the process; resolves when it listens. */
  async start(): Promise<void> {
    if (this.#isOver) throw new Error('the scenario is over')
    const { descriptors, environment } = this.#options
    const { port } = new URL(this.origin)
    const metricsPort = new URL(this.metricsUrl).port
    const env = environmentOf({ LOG_LEVEL: 'warn', ...environment, PORT: port, METRICS_PORT: metricsPort })
    const args = [process.execPath, launcher, 'serve', '--json']
    const limited = ['/bin/sh', '-c', `ulimit -n ${descriptors} && exec "$0" "$@"`, ...args]
    const [program, ...rest] = descriptors === undefined ? args : limited
    const log = openSync(this.#logFile, 'a')
    const child = spawn(program!, rest, { env, stdio: ['ignore', 'pipe', log] })
    closeSync(log)
    this.#child = child
    this.#isStopRequested = false
    child.once('exit', () => {
      this.lastExit = this.exitStatus
      if (!this.#isStopRequested) this.unexpectedExits++
    })
    const lines = createInterface({ input: child.stdout! })
    const firstLine = await Promise.race([
      once(lines, 'line', { signal: AbortSignal.timeout(startTimeoutMs) }),
      once(lines, 'close').then(() => null),
    ])
    if (firstLine === null) throw new Error(`the service ended before it listened:\n${this.log()}`)
  }

  get pid(): number {
    return this.#child?.pid ?? 0
  }

  get isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null
  }

  /** `exit code 1`, `SIGKILL` or `running`. */
  get exitStatus(): string {
    if (this.isRunning || !this.#child) return 'running'
    return this.#child.signalCode ?? `exit code ${this.#child.exitCode}`
  }

  kill(): Promise<void> {
    return this.#end('SIGKILL')
  }

  /** Sends SIGTERM, and SIGKILL when stopping takes too long. */
  async stop(): Promise<void> {
    const timer = setTimeout(() => this.#child?.kill('SIGKILL'), stopTimeoutMs)
    await this.#end('SIGTERM')
    clearTimeout(timer)
  }

  async #end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    this.#isStopRequested = true
    if (!this.isRunning) return
    const exited = once(this.#child!, 'exit')
    this.#child!.kill(signal)
    await exited
  }

  async isReady(): Promise<boolean> {
    return (await requestOnce(this.origin, requestText('GET', '/readyz'), 2_500)).status === 200
  }

  isReadyWithin(timeoutMs: number): Promise<boolean> {
    return isTrueWithin(timeoutMs, () => this.isReady(), 50)
  }

  /** The end of its standard error. */
  log(): string {
    return readFileSync(this.#logFile, 'utf8').slice(-4_000)
  }
}
