import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Outcome } from '../scenario.ts'

const launcher = resolve(import.meta.dirname, '../../bin/storedex.mjs')

/** Scenarios that take seconds; `npm run drill` runs the others. */
const cheap = ['kills', 'charges', 'restarts', 'descriptors', 'clock', 'slow', 'sigterm', 'backup']
const runTimeoutMs = 500_000

const outcomes = new Map<string, Outcome>()
let drill: ChildProcess
let said = ''

beforeAll(async () => {
  drill = spawn(process.execPath, [launcher, 'drill', ...cheap, '--short', '--json'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  drill.stderr!.setEncoding('utf8').on('data', (text: string) => {
    said += text
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

test.for(cheap)('the drill %s, in its short form, keeps every promise', (name, context) => {
  const outcome = outcomes.get(name)
  if (!outcome) throw new Error(`the drill ended before:\n${said.slice(-4_000)}`)
  if (outcome.status === 'skipped') context.skip(outcome.reason ?? '')
  expect(outcome.checks.filter(({ isKept }) => !isKept)).toEqual([])
  expect(outcome.reason).toBe(null)
})
