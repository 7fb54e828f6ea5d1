import { execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, onTestFinished } from 'vitest'
import { findInstalledPackage } from '../src/binaries.ts'
import { hasAccess, type OsUser } from '../src/location.ts'
import { isServerOf, readPostmasterFile } from '../src/postmaster.ts'
import { openEmbeddedPostgres, type TestOptions } from './setup.ts'

export const isRoot = process.getuid?.() === 0
const holderFile = join(import.meta.dirname, 'holder.ts')

/** A directory of the running test's own, which everybody may pass; it goes with the test, and so does a server left in it. */
export function temporaryDirectory(): string {
  const directory = makeDirectory()
  onTestFinished(() => removeWithServers(directory))
  return directory
}

/** The same for the whole file. */
export function keptDirectory(): string {
  const directory = makeDirectory()
  afterAll(() => removeWithServers(directory))
  return directory
}

function makeDirectory(): string {
  const directory = mkdtempSync(join(realpathSync(tmpdir()), 'embedded-postgres-'))
  chmodSync(directory, 0o755)
  return directory
}

async function stopServersIn(directory: string): Promise<void> {
  const pidFiles = execFileSync('find', [directory, '-name', 'postmaster.pid'], { encoding: 'utf8' }).split('\n')
  for (const file of pidFiles.filter(Boolean)) {
    const home = join(file, '../../..')
    const pid = readPostmasterFile(home)?.pid ?? 0
    if (!isServerOf(home, pid)) continue
    process.kill(pid, 'SIGQUIT')
    await until(() => !isServerOf(home, pid))
  }
}

async function removeWithServers(directory: string): Promise<void> {
  await stopServersIn(directory)
  execFileSync('find', [directory, '-type', 'd', '-exec', 'chmod', 'u+w', '{}', '+'])
  await rm(directory, { recursive: true, force: true, maxRetries: 5 })
}

/**
 * Makes one stopped cluster for the whole file, which is quicker than a new one per test. `shared` is for tests that
 * leave its files as they were; `copy` gives a test a data directory of its own.
 */
export function seededDataDirs(): { shared: () => string; copy: () => string } {
  let seed: string
  beforeAll(async () => {
    seed = makeDirectory()
    const postgres = await openEmbeddedPostgres({ dataDir: join(seed, 'data') })
    await run(postgres.url, 'create table kept (word text primary key)')
    await run(postgres.url, "insert into kept values ('aurora')")
    await postgres.release()
  })
  // A test that failed must not fail those after it.
  afterEach(async () => {
    await stopServersIn(seed)
    rmSync(join(seed, 'data', 'postgres', 'users'), { recursive: true, force: true })
  })
  afterAll(() => removeWithServers(seed))
  return {
    shared: () => join(seed, 'data'),
    copy: () => {
      const dataDir = join(temporaryDirectory(), 'data')
      copyDirectory(join(seed, 'data'), dataDir)
      return dataDir
    },
  }
}

/** A copy with the same owners and modes. */
export function copyDirectory(from: string, to: string): void {
  execFileSync('cp', ['-Rp', from, to])
}

export async function run(url: string, statement: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(statement, values)).rows
  } finally {
    await client.end()
  }
}

/** The installed package, with a shell script in place of one of its programs; `write` gets the program's path. */
export function packageWithScript(name: 'initdb' | 'postgres', write: (program: string) => string): string {
  const packageDir = join(temporaryDirectory(), 'package')
  const installed = findInstalledPackage()
  mkdirSync(join(packageDir, 'native', 'bin'), { recursive: true })
  const linked = ['package.json', 'native/lib', 'native/share', 'native/bin/initdb', 'native/bin/postgres']
  for (const path of linked.filter((each) => each !== `native/bin/${name}`))
    symlinkSync(join(installed, path), join(packageDir, path))
  const program = `native/bin/${name}`
  writeFileSync(join(packageDir, program), `#!/bin/sh\n${write(join(installed, program))}\n`)
  chmodSync(join(packageDir, program), 0o755)
  return packageDir
}

export function homeOf(dataDir: string): string {
  return realpathSync(join(dataDir, 'postgres'))
}

/** The process id of the server in a data directory, as long as it is running. */
export function serverPid(dataDir: string): number | undefined {
  if (!existsSync(join(dataDir, 'postgres'))) return undefined
  const pid = readPostmasterFile(homeOf(dataDir))?.pid
  return pid !== undefined && isServerOf(homeOf(dataDir), pid) ? pid : undefined
}

export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let waits = 0; !(await isSo()); waits++) {
    if (waits > 3_000) throw new Error(`Waited in vain until ${isSo}`)
    await delay(5)
  }
}

/** Somebody without privileges: for root the user nobody, where that user can read this checkout; else undefined. */
export function ordinaryUser(): OsUser | undefined {
  if (!isRoot) return undefined
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' })) | 0
  const nobody = { uid: id('-u'), gid: id('-g') }
  const modules = join(import.meta.dirname, '../../../node_modules')
  const needed = [process.execPath, holderFile, join(modules, 'tsx/package.json'), join(modules, 'pg/package.json')]
  return needed.every((path) => hasAccess(realpathSync(path), nobody, 0o4)) ? nobody : undefined
}

/** Starts a process that opens the embedded PostgreSQL and holds it. It leads a process group of its own. */
export function startHolder(options: TestOptions, user?: OsUser) {
  const child = spawn(process.execPath, ['--import', 'tsx', holderFile, JSON.stringify(options)], {
    cwd: import.meta.dirname,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
    ...user,
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  let complaints = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints += text
  })
  const next = async () => {
    const line = await lines.next()
    if (line.done) throw new Error(`The process ended early: ${complaints}`)
    return JSON.parse(line.value) as Record<string, unknown>
  }
  const opened = next() as Promise<{ url: string; adopted: boolean }>
  opened.catch(() => {}) // a test that kills the process early does not ask for it
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  onTestFinished(() => {
    child.kill('SIGKILL')
    return ended
  })
  return {
    pid: child.pid!,
    opened,
    next,
    async release(): Promise<Record<string, unknown>> {
      child.stdin.write('release\n')
      const answer = await next()
      await ended
      return answer
    },
    async kill(): Promise<void> {
      child.kill('SIGKILL')
      await ended
    },
    /** As a terminal does on Ctrl-C. */
    interruptGroup(): void {
      process.kill(-child.pid!, 'SIGINT')
    },
  }
}
