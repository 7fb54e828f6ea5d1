import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, lchownSync, mkdirSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { prepareBinaries, programOptions, runProgram } from '@storedex/embedded-postgres/binaries'
import { clusterPaths } from '@storedex/embedded-postgres/cluster'
import { type ClusterLocation, prepareLocation } from '@storedex/embedded-postgres/location'
import { readPostmasterFile } from '@storedex/embedded-postgres/postmaster'
import { pickFreePort } from '@storedex/embedded-postgres/settings'
import type { Cleanup } from '@storedex/testkit'
import { reachableHomes } from '../../server/src/foundation/db/embedded.ts'
import { isAlive, isTrueWithin, postgresProcesses, signal } from './processes.ts'

const oldest = 15
const startTimeoutMs = 60_000
const stopTimeoutMs = 30_000

/** An operator's PostgreSQL, as `DATABASE_URL` names one. The drill starts and stops it. */
export class ExternalPostgres {
  readonly url: string
  readonly #location: ClusterLocation
  readonly #program: string
  readonly #port: number
  readonly #environment: Record<string, string>
  #child: ChildProcess | undefined
  /** Prevents a restart while the scenario is cleaned up. */
  #isOver = false

  private constructor(location: ClusterLocation, program: string, port: number, environment: Record<string, string>) {
    this.#location = location
    this.#program = program
    this.#port = port
    this.#environment = environment
    this.url = `postgres://storedex@127.0.0.1:${port}/postgres`
  }

  /** Creates and starts a cluster, with the machine's PostgreSQL if there is one, otherwise with the embedded programs. */
  static async open(folder: string, environment: Record<string, string>, cleanup: Cleanup): Promise<ExternalPostgres> {
    const location = prepareLocation(folder, reachableHomes)
    const { cluster, data } = clusterPaths(location.home)
    mkdirSync(cluster)
    mkdirSync(data, { mode: 0o700 })
    if (location.runAs) lchownSync(data, location.runAs.uid, location.runAs.gid)
    const bin = findLocalPrograms() ?? join(prepareBinaries(location).postgres, '..')
    const args = ['--username=storedex', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync']
    const { code, output } = await runProgram(join(bin, 'initdb'), ['--pgdata', data, ...args], {
      runAs: location.runAs,
    })
    if (code !== 0) throw new Error(`initdb failed: ${output}`)
    const own = new ExternalPostgres(location, join(bin, 'postgres'), await pickFreePort(), environment)
    cleanup.add(() => {
      own.#isOver = true
      return own.stop('SIGQUIT')
    })
    await own.start()
    return own
  }

  get version(): string {
    return execFileSync(this.#program, ['--version'], { encoding: 'utf8' }).trim()
  }

  get pid(): number {
    return this.#child?.pid ?? 0
  }

  get isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null
  }

  async start(): Promise<void> {
    if (this.#isOver) throw new Error('the scenario is over')
    const { home, runAs } = this.#location
    const options = programOptions(runAs)
    const settings = { listen_addresses: '127.0.0.1', unix_socket_directories: '', max_connections: '100' }
    const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const logFile = join(home, 'own.log')
    const log = openSync(logFile, 'a')
    const child = spawn(this.#program, ['-D', clusterPaths(home).data, '-p', String(this.#port), ...args], {
      ...options,
      env: { ...options.env, ...this.#environment },
      stdio: ['ignore', log, log],
    })
    closeSync(log)
    this.#child = child
    const isReady = () => {
      if (!this.isRunning) throw new Error(`PostgreSQL did not start:\n${readFileSync(logFile, 'utf8').slice(-2_000)}`)
      const postmaster = readPostmasterFile(home)
      return postmaster?.pid === child.pid && postmaster?.status === 'ready'
    }
    if (!(await isTrueWithin(startTimeoutMs, isReady))) throw new Error('PostgreSQL was not ready in time')
  }

  /** Kills all its processes at once, as when the machine loses power, and starts it again. */
  async killAndStart(): Promise<void> {
    const processes = postgresProcesses(this.pid)
    const exited = once(this.#child!, 'exit')
    for (const pid of processes.reverse()) signal(pid, 'SIGKILL')
    await exited
    await isTrueWithin(5_000, () => !processes.some(isAlive))
    await this.start()
  }

  /** SIGINT is what `pg_ctl -m fast` sends. */
  async stop(how: 'SIGINT' | 'SIGQUIT'): Promise<void> {
    if (!this.isRunning) return
    const exited = once(this.#child!, 'exit')
    const timer = setTimeout(() => this.#child?.kill('SIGKILL'), stopTimeoutMs)
    signal(this.pid, 'SIGCONT')
    signal(this.pid, how)
    await exited
    clearTimeout(timer)
  }
}

/** The oldest supported PostgreSQL on this machine: the one most different from the embedded version. */
function findLocalPrograms(): string | undefined {
  const root = '/usr/lib/postgresql'
  const versions = existsSync(root) ? readdirSync(root).map(Number) : []
  return versions
    .filter((version) => version >= oldest)
    .sort((a, b) => a - b)
    .map((version) => join(root, String(version), 'bin'))
    .find((bin) => existsSync(join(bin, 'postgres')) && existsSync(join(bin, 'initdb')))
}
