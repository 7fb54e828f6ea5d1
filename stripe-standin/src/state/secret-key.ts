import { randomBytes } from 'node:crypto'
import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The key of a stand-in that was given none: made once for each folder of state and readable by its owner only, or for
 * this process where no state is kept. Call it while the folder is locked.
 */
export function provideSecretKey(stateDir: string | undefined): string {
  if (stateDir === undefined) return newKey()
  const file = join(stateDir, 'secret-key')
  const kept = readKept(file)
  if (kept) {
    // A copy from elsewhere may have been readable by others.
    chmodSync(file, 0o600)
    return kept
  }
  const key = newKey()
  const aside = `${file}.new`
  writeFileSync(aside, `${key}\n`, { mode: 0o600 })
  renameSync(aside, file)
  return key
}

function newKey(): string {
  return `sk_test_${randomBytes(24).toString('hex')}`
}

function readKept(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim() || undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
