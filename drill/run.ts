/**
 * Runs the service through faults and reports its behaviour. Uses temporary processes and folders, and loopback only.
 *
 *   npm run drill [-- SCENARIO … --short --minutes 30 --kills 1000 --seed N --report drill/report.md --json]
 */

import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Cleanup } from '@storedex/testkit'
import { parseCount, printProgress, runCommand } from '../server/test/support/programs/command.ts'
import { openTemporaryFolder } from '../server/test/support/programs/workspace.ts'
import { makeSeed, type Seed } from './installation/seed.ts'
import { renderReport, writeReport } from './report.ts'
import { type OutcomeWithPlots, runScenario } from './runner.ts'
import type { Outcome } from './scenario.ts'
import { scenarios } from './scenarios.ts'

const names = scenarios.map(({ name }) => name)
const usage = `usage: npm run drill [-- SCENARIO … --short --minutes N --kills N --seed N --report FILE --json]
scenarios: ${names.join(', ')}`

const defaultMinutes = 30
const defaultKills = 1_000

interface Options {
  chosen: typeof scenarios
  isShort: boolean
  minutes: number
  kills: number
  seed: number
  report: string | null
  json: boolean
}

/** The options, or undefined for wrong usage. */
function readOptions(args: string[]): Options | undefined {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        short: { type: 'boolean', default: false },
        minutes: { type: 'string', default: String(defaultMinutes) },
        kills: { type: 'string', default: String(defaultKills) },
        seed: { type: 'string', default: String(Date.now() % 1_000_000 || 1) },
        report: { type: 'string' },
        json: { type: 'boolean', default: false },
      },
    })
    const [minutes, kills, seed] = [values.minutes, values.kills, values.seed].map((text) => parseCount(text))
    if (!minutes || !kills || !seed || positionals.some((name) => !names.includes(name))) return undefined
    const chosen = positionals.length === 0 ? scenarios : scenarios.filter(({ name }) => positionals.includes(name))
    return { chosen, minutes, kills, seed, isShort: values.short, report: values.report ?? null, json: values.json }
  } catch {
    return undefined
  }
}

async function run(
  { chosen, report, json, ...settings }: Options,
  cleanup: Cleanup,
  termination: AbortSignal,
): Promise<number> {
  const folder = openTemporaryFolder(cleanup)
  let seed: Promise<Seed> | undefined
  const provideSeed = () => {
    seed ??= makeSeed(folder, cleanup)
    return seed
  }
  printProgress(`seed ${settings.seed}`)
  await provideSeed()
  const all: OutcomeWithPlots[] = []
  for (const scenario of chosen) {
    if (termination.aborted) break
    printProgress(`${scenario.name}: ${scenario.title}`)
    const record = await runScenario(
      scenario,
      { ...settings, folder, seed: provideSeed, randomSeed: settings.seed, reportProgress: printProgress },
      cleanup,
    )
    if (termination.aborted) break
    printOutcome(record.outcome)
    all.push(record)
    if (json) process.stdout.write(`${JSON.stringify(record.outcome)}\n`)
    // After each scenario, so that an interrupted run keeps its results.
    if (report) writeReport(resolve(report), record, names)
  }
  if (!json && !report) process.stdout.write(renderReport(all.map(({ outcome }) => outcome)))
  return all.every(({ outcome }) => outcome.status !== 'failed') ? 0 : 1
}

function printOutcome({ name, status, reason, seconds, checks }: Outcome): void {
  for (const { promise, isKept, came } of checks) printProgress(`  ${isKept ? 'kept  ' : 'BROKEN'} ${promise}: ${came}`)
  printProgress(`  ${name} ${status} after ${seconds} s${reason === null ? '' : `: ${reason}`}`)
}

await runCommand({ usage, readOptions, run })
