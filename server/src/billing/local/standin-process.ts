import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isProcessAlive, processIdentity } from '@storedex/process-lock/processes'
import { ignoreErrors } from '@storedex/process-lock/system-errors'
import { ensureDataDir } from '../../db/embedded.ts'

/** Where a stand-in runs, for those that share it. */
export interface StandinAddress {
  url: string
  /** Names its process for good, so that a later one with the same id is another. */
  process: string
}

/** The folder of the stand-in in a data directory; what it remembers lies in a folder of its own below. */
export function standinFolder(dataDir: string): string {
  const folder = join(dataDir, 'stripe-standin')
  // It starts beside the database, and so may be the first to need the directory.
  ensureDataDir(dataDir)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  closeToOthers(folder, 0o700)
  return folder
}

/** Where it ran last, whether or not it still does. */
export function readAddress(folder: string): StandinAddress | undefined {
  const text = ignoreErrors(['ENOENT'], () => readFileSync(addressFile(folder), 'utf8'))
  try {
    const { url, process } = JSON.parse(text ?? '') as Partial<StandinAddress>
    return typeof url === 'string' && typeof process === 'string' ? { url, process } : undefined
  } catch {
    return undefined
  }
}

export function writeAddress(folder: string, { url, pid }: { url: string; pid: number }): void {
  const address: StandinAddress = { url, process: processIdentity(pid) }
  writeWhole(addressFile(folder), `${JSON.stringify(address)}\n`)
}

export function isStandinAlive(address: StandinAddress): boolean {
  return isProcessAlive(address.process)
}

/** Signs its events; made once. */
export function readWebhookSecret(folder: string): string {
  return provideSecret(folder, 'webhook-secret', 'whsec_')
}

/** Opens its API and its controls, and is known to nobody but those who may read the folder; made once. */
export function readSecretKey(folder: string): string {
  return provideSecret(folder, 'secret-key', 'sk_test_')
}

function provideSecret(folder: string, name: string, prefix: string): string {
  const file = join(folder, name)
  const kept = ignoreErrors(['ENOENT'], () => readFileSync(file, 'utf8').trim())
  if (kept) {
    closeToOthers(file, 0o600)
    return kept
  }
  const secret = prefix + randomBytes(24).toString('hex')
  writeWhole(file, `${secret}\n`)
  return secret
}

/** What was copied here from elsewhere may have been opened on the way. */
function closeToOthers(path: string, mode: number): void {
  if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, mode)
}

function addressFile(folder: string): string {
  return join(folder, 'address.json')
}

/** A reader finds the old text or the new one, never a part; nobody else may read either. */
function writeWhole(file: string, text: string): void {
  const aside = `${file}.${process.pid}`
  rmSync(aside, { force: true })
  writeFileSync(aside, text, { mode: 0o600 })
  renameSync(aside, file)
}
