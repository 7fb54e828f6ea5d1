import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { isProcessAlive, processIdentity } from '@storedex/process-lock/processes'
import { ignoreErrors } from '@storedex/process-lock/system-errors'
import { prepareDataDir } from '../../db/embedded.ts'

/** Where a stand-in runs, for those that share it. */
export interface StandinAddress {
  url: string
  /** Names its process for good, so that a later one with the same id is another. */
  process: string
}

/** The folder of the stand-in in a data directory; what it remembers lies in a folder of its own below. */
export function ensureStandinFolder(dataDir: string): string {
  const folder = join(dataDir, 'stripe-standin')
  // It starts beside the database, and so may be the first to need the directory.
  prepareDataDir(dataDir)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  closeToOthers(folder, 0o700)
  return folder
}

/** Where it ran last, whether or not it still does. */
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
  writeWhole(addressFile(folder), `${JSON.stringify(address)}\n`)
}

export function isStandinAlive(address: StandinAddress): boolean {
  return isProcessAlive(address.process)
}

/** Signs its events; made once. */
export function ensureWebhookSecret(folder: string): string {
  return provideSecret(folder, 'webhook-secret', 'whsec_')
}

/** Opens its API and its controls, and is known to nobody but those who may read the folder; made once. */
export function ensureSecretKey(folder: string): string {
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

/** How the stand-in for Stripe is run: arguments of node, and its settings by their names in the environment. */
export interface StandinProgram {
  args: readonly string[]
  settings: Readonly<Record<string, string>>
}

/** A stand-in that this process has started, and that ends with it, however this process ends. */
export interface StandinProcess {
  pid: number
  url: string
  isRunning(): boolean
  stop(): Promise<void>
}

const startTimeoutMs = 20_000
const stopTimeoutMs = 5_000
const keptOutput = 2_000

/** Resolves once it listens. Rejects when it ends before that, telling what it said, or when it is not wanted any more. */
export async function spawnStandin({ args, settings }: StandinProgram, unwanted: AbortSignal): Promise<StandinProcess> {
  const child = spawn(process.execPath, args, {
    // The settings of this process hold passwords, and none of them is for it.
    env: { ...settings, STANDIN_TIED: '1' },
    cwd: '/',
    // Out of reach of the terminal's Ctrl-C: it is needed until the last request is answered.
    detached: true,
    // The end of its input tells it that this process is gone.
    stdio: 'pipe',
  })
  let output = ''
  const keep = (text: string) => {
    output = (output + text).slice(-keptOutput)
  }
  child.stderr.setEncoding('utf8').on('data', keep)
  child.stdin.on('error', () => {})
  let isRunning = true
  const ended = new Promise<void>((resolve) => {
    child.once('error', ({ message }) => keep(message))
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

  const giveUp = AbortSignal.any([unwanted, AbortSignal.timeout(startTimeoutMs)])
  try {
    const lines = createInterface({ input: child.stdout })
    const firstLine = once(lines, 'line', { signal: giveUp }) as Promise<[string]>
    // What it says first it says when it listens.
    const [line] = await Promise.race([firstLine, ended.then(() => [undefined])])
    if (line === undefined) throw new Error(output.trim() || 'it ended without a word')
    const { url } = JSON.parse(line) as { url: string }
    return { pid: child.pid!, url, isRunning: () => isRunning, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
