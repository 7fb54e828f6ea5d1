import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { isProcessAlive, processIdentity } from '@storedex/process-lock/processes'
import { ignoreErrors } from '@storedex/process-lock/system-errors'
import { prepareDataDir } from '../../../foundation/db/embedded.ts'

/** The address of a running stand-in, stored for the processes that share it. */
export interface StandinAddress {
  url: string
  /** Identity of its process, which differs from a later process with the same pid. */
  process: string
}

/** Creates the stand-in's folder in a data directory. Its state is in a subfolder. */
export function ensureStandinFolder(dataDir: string): string {
  const folder = join(dataDir, 'stripe-standin')
  // It starts concurrently with the database and may be the first to need the directory.
  prepareDataDir(dataDir)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  restrictToOwner(folder, 0o700)
  return folder
}

/** The last stored address; the process may have ended. */
export function readStandinAddress(folder: string): StandinAddress | undefined {
  const text = ignoreErrors(['ENOENT'], () => readFileSync(addressFile(folder), 'utf8'))
  try {
    const { url, process } = JSON.parse(text ?? '') as Partial<StandinAddress>
    return typeof url === 'string' && typeof process === 'string' ? { url, process } : undefined
  } catch {
    return undefined
  }
}

export function writeStandinAddress(folder: string, { url, pid }: { url: string; pid: number }): void {
  const address: StandinAddress = { url, process: processIdentity(pid) }
  writeAtomically(addressFile(folder), `${JSON.stringify(address)}\n`)
}

export function isStandinAlive(address: StandinAddress): boolean {
  return isProcessAlive(address.process)
}

/** The key that signs the stand-in's events; created once. */
export function ensureWebhookSecret(folder: string): string {
  return ensureSecret(folder, 'webhook-secret', 'whsec_')
}

/** The key of the stand-in's API and controls, readable only with access to the folder; created once. */
export function ensureSecretKey(folder: string): string {
  return ensureSecret(folder, 'secret-key', 'sk_test_')
}

function ensureSecret(folder: string, name: string, prefix: string): string {
  const file = join(folder, name)
  const existing = ignoreErrors(['ENOENT'], () => readFileSync(file, 'utf8').trim())
  if (existing) {
    restrictToOwner(file, 0o600)
    return existing
  }
  const secret = prefix + randomBytes(24).toString('hex')
  writeAtomically(file, `${secret}\n`)
  return secret
}

/** Removes permissions of other users, which a copy or a restored backup may have added. */
function restrictToOwner(path: string, mode: number): void {
  if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, mode)
}

function addressFile(folder: string): string {
  return join(folder, 'address.json')
}

/** Writes a file atomically, readable by its owner only. */
function writeAtomically(file: string, text: string): void {
  const temporary = `${file}.${process.pid}`
  rmSync(temporary, { force: true })
  writeFileSync(temporary, text, { mode: 0o600 })
  renameSync(temporary, file)
}

/** How to run the stand-in for Stripe: arguments of node, and environment variables. */
export interface StandinProgram {
  args: readonly string[]
  settings: Readonly<Record<string, string>>
}

/** A stand-in started by this process; it ends when this process ends, even after a crash. */
export interface StandinProcess {
  pid: number
  url: string
  isRunning(): boolean
  stop(): Promise<void>
}

const startTimeoutMs = 20_000
const stopTimeoutMs = 5_000
const maxOutputChars = 2_000

/** Resolves when the stand-in listens. Rejects if it ends before, with its output, or if `signal` is aborted. */
export async function spawnStandin({ args, settings }: StandinProgram, signal: AbortSignal): Promise<StandinProcess> {
  const child = spawn(process.execPath, args, {
    // Not this process's environment, which contains passwords.
    env: { ...settings, STANDIN_TIED: '1' },
    cwd: '/',
    // Not in the terminal's process group: after Ctrl-C it is needed until the last request is answered.
    detached: true,
    // With STANDIN_TIED it exits when its stdin closes, that is when this process ends.
    stdio: 'pipe',
  })
  let output = ''
  const appendOutput = (text: string) => {
    output = (output + text).slice(-maxOutputChars)
  }
  child.stderr.setEncoding('utf8').on('data', appendOutput)
  child.stdin.on('error', () => {})
  let isRunning = true
  const ended = new Promise<void>((resolve) => {
    child.once('error', ({ message }) => appendOutput(message))
    child.once('close', () => {
      isRunning = false
      resolve()
    })
  })
  const stop = async () => {
    child.kill('SIGTERM')
    const kill = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs)
    await ended
    clearTimeout(kill)
  }

  const aborted = AbortSignal.any([signal, AbortSignal.timeout(startTimeoutMs)])
  try {
    const lines = createInterface({ input: child.stdout })
    const firstLine = once(lines, 'line', { signal: aborted }) as Promise<[string]>
    // Its first line of output is printed when it listens.
    const [line] = await Promise.race([firstLine, ended.then(() => [undefined])])
    if (line === undefined) throw new Error(output.trim() || 'it ended without output')
    const { url } = JSON.parse(line) as { url: string }
    return { pid: child.pid!, url, isRunning: () => isRunning, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
