import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

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
