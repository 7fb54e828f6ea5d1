/**
 * Puts the service through faults and says what came of them, on processes and folders of its own that are gone
 * afterwards. Everything stays on loopback.
 *
 *   npm run drill [-- SCENARIO … --short --minutes 30 --seed N --report drill/report.md --json]
 */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { Cleanup } from '../bench/support/cleanup.ts'
import { openFolder } from '../bench/support/workspace.ts'
import { untilAborted, watchTermination } from '../server/src/bin/termination.ts'
import { makeSeed, type Seed } from './installation/seed.ts'
import { renderReport, writeReport } from './report.ts'
import { type Kept, runScenario } from './runner.ts'
import type { Outcome } from './scenario.ts'
import { scenarios } from './scenarios/all.ts'

const names = scenarios.map(({ name }) => name)
const usage = `usage: npm run drill [-- SCENARIO … --short --minutes N --seed N --report FILE --json]
scenarios: ${names.join(', ')}`

const defaultMinutes = 30

interface Options {
  chosen: typeof scenarios
  isShort: boolean
  minutes: number
  seed: number
  report: string | null
  json: boolean
}

/** The options, or undefined for wrong usage. */
function readOptions(args: string[]): Options | undefined {
  const whole = (text: string) => (/^\d{1,9}$/.test(text) && +text > 0 ? +text : undefined)
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        short: { type: 'boolean', default: false },
        minutes: { type: 'string', default: String(defaultMinutes) },
        seed: { type: 'string', default: String(Date.now() % 1_000_000 || 1) },
        report: { type: 'string' },
        json: { type: 'boolean', default: false },
      },
    })
    const [minutes, seed] = [whole(values.minutes), whole(values.seed)]
    if (!minutes || !seed || positionals.some((name) => !names.includes(name))) return undefined
    const chosen = positionals.length === 0 ? scenarios : scenarios.filter(({ name }) => positionals.includes(name))
    return { chosen, minutes, seed, isShort: values.short, report: values.report ?? null, json: values.json }
  } catch {
    return undefined
  }
}

const tell = (line: string) => void process.stderr.write(`${line}\n`)

async function run({ chosen, report, json, ...settings }: Options, cleanup: Cleanup): Promise<boolean> {
  const folder = openFolder(cleanup)
  let seed: Promise<Seed> | undefined
  const provideSeed = () => {
    seed ??= makeSeed(folder, cleanup)
    return seed
  }
  tell(`seed ${settings.seed}`)
  await provideSeed()
  const all: Kept[] = []
  for (const scenario of chosen) {
    if (termination.aborted) break
    tell(`${scenario.name}: ${scenario.title}`)
    const kept = await runScenario(
      scenario,
      { ...settings, folder, seed: provideSeed, chance: settings.seed, tell },
      cleanup,
    )
    if (termination.aborted) break
    tellOutcome(kept.outcome)
    all.push(kept)
    if (json) process.stdout.write(`${JSON.stringify(kept.outcome)}\n`)
    // After each one, so that a run that is cut short leaves what it has.
    if (report) writeReport(resolve(report), kept, names)
  }
  if (!json && !report) process.stdout.write(renderReport(all.map(({ outcome }) => outcome)))
  return all.every(({ outcome }) => outcome.status !== 'failed')
}

function tellOutcome({ name, status, reason, seconds, checks }: Outcome): void {
  for (const { promise, isKept, came } of checks) tell(`  ${isKept ? 'kept  ' : 'BROKEN'} ${promise}: ${came}`)
  tell(`  ${name} ${status} after ${seconds} s${reason === null ? '' : `: ${reason}`}`)
}

const interruptedCode = 130
const termination = watchTermination()
const cleanup = new Cleanup()
const options = readOptions(process.argv.slice(2))
let code = 0
try {
  if (!options) {
    tell(usage)
    code = 2
  } else if (!(await untilAborted(termination, run(options, cleanup)))) code = 1
} catch (error) {
  code = termination.aborted ? interruptedCode : 1
  if (!termination.aborted) tell(String((error as Error).stack))
}
await cleanup.run()
process.exit(code)
