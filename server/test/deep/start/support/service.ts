import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import { findProjectDir } from '../../../../src/operations/config.ts'
import type { Greeting } from '../../../../src/program/serving/greeting.ts'
import { removeFolder } from '../../../support/cleanup.ts'

export const launcher = join(findProjectDir(import.meta.dirname), 'bin/storedex.mjs')

export type Settings = Record<string, string>

/** Starts what `npm start` runs, as a terminal does: in a process group of its own, until `onEnd`. */
export function startService(
  settings: Settings,
  args: string[] = ['--json'],
  onEnd: (work: () => Promise<void>) => void = onTestFinished,
) {
  // As in `npm start`, the shell execs the service, so that signals sent to npm reach it.
  return startInShell(`exec '${process.execPath}' '${launcher}' serve ${args.join(' ')}`, { settings, onEnd })
}

/** The same of another script that ends in a start. */
export function startInShell(
  script: string,
  {
    settings,
    onEnd = onTestFinished,
    cwd,
  }: { settings: Settings; onEnd?: (work: () => Promise<void>) => void; cwd?: string },
) {
  const { PATH = '', HOME = '' } = process.env
  const shell = spawn('/bin/sh', ['-c', script], {
    cwd,
    env: { PATH, HOME, PORT: '0', ...settings },
    stdio: 'pipe',
    detached: true,
  })
  const closed = once(shell, 'close')
  let log = ''
  shell.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text
  })
  onEnd(async () => {
    try {
      process.kill(-shell.pid!, 'SIGKILL')
    } catch {
      // The process group is already empty.
    }
    await closed
  })
  const lines = createInterface({ input: shell.stdout })[Symbol.asyncIterator]()
  return {
    /** The shell becomes the service. */
    pid: shell.pid!,
    log: () => log,
    async line(): Promise<string> {
      const next = await lines.next()
      if (next.done) throw new Error(`The service ended early: ${log}`)
      return next.value
    },
    async greeting(): Promise<Greeting> {
      return JSON.parse(await this.line())
    },
    /** Sends SIGINT to the group, as Ctrl-C does. */
    interrupt: () => process.kill(-shell.pid!, 'SIGINT'),
    /** Sends SIGTERM to the service only. */
    terminate: () => shell.kill('SIGTERM'),
    /** Sends SIGKILL to the service only. */
    kill: () => shell.kill('SIGKILL'),
    /** Sends SIGHUP to the service only. */
    hangUp: () => shell.kill('SIGHUP'),
    /** Resolves when every process has closed the output. */
    async exitCode(): Promise<number | null> {
      await closed
      return shell.exitCode
    },
  }
}

export function hasPseudoTerminals(): boolean {
  const { status, stdout } = spawnSync('script', ['--version'], { encoding: 'utf8' })
  return status === 0 && stdout.includes('util-linux')
}

/** The service on a pseudo-terminal, or what `command` starts there. */
export function startOnTerminal(settings: Settings, command = `exec '${process.execPath}' '${launcher}' serve`) {
  const { PATH = '', HOME = '' } = process.env
  const script = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    env: { PATH, HOME, PORT: '0', SHELL: '/bin/sh', ...settings },
    stdio: 'pipe',
    detached: true,
  })
  const closed = once(script, 'close')
  const close = async () => {
    script.kill('SIGKILL') // the terminal is hung up with it
    await closed
  }
  onTestFinished(close)
  const lines = createInterface({ input: script.stdout })[Symbol.asyncIterator]()
  return {
    async line(): Promise<string> {
      const next = await lines.next()
      if (next.done) throw new Error('The service ended early.')
      return next.value.replace(/\r$/, '')
    },
    async stop(): Promise<void> {
      script.stdin.write('\x03')
      await closed
    },
    /** Closes the terminal. */
    close,
  }
}

export function runShell(command: string): Promise<string> {
  const child = spawn('/bin/sh', ['-c', command], { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  return once(child, 'close').then(() => output)
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'storedex-start-'))
  // A process that was told to end may still write there.
  onTestFinished(() => removeFolder(folder))
  return folder
}

/** The output of a start up to the example request. */
export async function linesUpToCurl(service: { line(): Promise<string> }): Promise<string[]> {
  const lines: string[] = []
  while (!lines.at(-1)?.includes('curl -s')) lines.push(await service.line())
  return lines
}
