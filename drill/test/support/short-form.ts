import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Outcome } from '../../scenario.ts'

const launcher = resolve(import.meta.dirname, '../../../bin/storedex.mjs')
const runTimeoutMs = 900_000

/** Scenarios by the file that runs their short forms; two files run at once. */
export const scenariosOf = {
  kills: ['kills', 'charges', 'restarts', 'descriptors', 'sigterm', 'standin'],
  faults: ['frozen', 'disk', 'clock', 'client'],
  load: ['overload', 'slow', 'bombs', 'keys', 'abuse', 'soak'],
  data: ['imports', 'erasing', 'backup', 'exports'],
} as const

/** Runs these scenarios in their short form, one after another, and makes a test of each. */
export function testShortForms(names: readonly string[]): void {
  const outcomes = new Map<string, Outcome>()
  let drill: ChildProcess
  let told = ''

  beforeAll(async () => {
    drill = spawn(process.execPath, [launcher, 'drill', ...names, '--short', '--json'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    drill.stderr!.setEncoding('utf8').on('data', (text: string) => {
      told += text
    })
    const closed = once(drill, 'close')
    for await (const line of createInterface({ input: drill.stdout! })) {
      const outcome = JSON.parse(line) as Outcome
      outcomes.set(outcome.name, outcome)
    }
    await closed
  }, runTimeoutMs)

  afterAll(async () => {
    if (drill.exitCode !== null || drill.signalCode !== null) return
    const closed = once(drill, 'close')
    drill.kill('SIGTERM')
    await closed
  })

  test.for(names)('the drill %s, in its short form, keeps every promise', (name, context) => {
    const outcome = outcomes.get(name)
    if (!outcome) throw new Error(`the drill ended before:\n${told.slice(-4_000)}`)
    if (outcome.status === 'skipped') context.skip(outcome.reason ?? '')
    expect(outcome.checks.filter(({ isKept }) => !isKept)).toEqual([])
    expect(outcome.reason).toBe(null)
    expect(outcome.status).toBe('passed')
  })
}
