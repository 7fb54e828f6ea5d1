import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { OperatorError } from '../../server/src/foundation/kernel/errors.ts'

export const ownCheckout = resolve(import.meta.dirname, '../..')

/** A version of the project in a folder. */
export interface Checkout {
  folder: string
  /** Its abbreviated commit; with `-dirty` when files differ from it. */
  commit: string
}

export function currentCheckout(): Checkout {
  return { folder: ownCheckout, commit: git('describe', '--always', '--dirty', '--exclude=*') }
}

/**
 * Writes the files of a commit into `folder`. Packages are hard links to those installed here when both versions lock the
 * same ones; otherwise the launcher installs them at the first command.
 */
export function checkOut(revision: string, folder: string): Checkout {
  const commit = findCommit(revision)
  mkdirSync(folder, { recursive: true })
  const archive = execFileSync('git', ['archive', commit], { cwd: ownCheckout, maxBuffer: 2 ** 30 })
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
  const lockOf = (checkout: string) => readFileSync(join(checkout, 'package-lock.json'), 'utf8')
  if (lockOf(folder) === lockOf(ownCheckout)) linkPackages(folder)
  return { folder, commit: git('rev-parse', '--short', commit) }
}

function findCommit(revision: string): string {
  try {
    return git('rev-parse', '--verify', '--end-of-options', `${revision}^{commit}`)
  } catch (cause) {
    throw new OperatorError(`${revision} is no commit of this repository.`, { cause })
  }
}

/** Links of workspaces are relative, so they lead to the workspaces of the copy. */
function linkPackages(folder: string): void {
  const from = join(ownCheckout, 'node_modules')
  const to = join(folder, 'node_modules')
  try {
    execFileSync('cp', ['-a', '--link', from, to], { stdio: 'ignore' })
  } catch {
    // Another file system.
    cpSync(from, to, { recursive: true, verbatimSymlinks: true, force: true })
  }
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: ownCheckout, encoding: 'utf8', stdio: 'pipe' }).trim()
}
