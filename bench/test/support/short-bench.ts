import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { commands } from '../../options.ts'

const launcher = resolve(import.meta.dirname, '../../../bin/storedex.mjs')

/** On a busy machine; the longest of them takes half a minute on a quiet one. */
export const benchTimeoutMs = 600_000

export type BenchName = (typeof commands)[number]

/**
 * Runs a bench in its short form to its end, and returns what it prints with --json. Throws unless it ends with code 0; a
 * reply with another status than 200 ends a bench with another code. `--report` writes into a temporary folder.
 */
export async function runShortBench<T>(name: BenchName, ...args: string[]): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'storedex-bench-report-'))
  const given = args.map((arg) => (arg === 'REPORT' ? join(folder, 'report.md') : arg))
  // On the embedded PostgreSQL, wherever the other tests run.
  const env = { ...process.env, DATABASE_URL: '' }
  const child = spawn(process.execPath, [launcher, 'bench', name, '--short', '--json', ...given], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [printed, told] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    told += text
  })
  const stop = () => child.kill('SIGTERM')
  process.once('exit', stop)
  try {
    const [code] = await once(child, 'close')
    if (code !== 0) throw new Error(`the bench ended with code ${code}:\n${told.slice(-4_000)}`)
    return JSON.parse(printed) as T
  } finally {
    process.off('exit', stop)
    rmSync(folder, { recursive: true, force: true })
  }
}

/** All numbers under these names, wherever they are. */
export function figuresNamed(value: unknown, names: readonly string[]): number[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, each]) =>
    names.includes(name) && typeof each === 'number' ? [each] : figuresNamed(each, names),
  )
}
