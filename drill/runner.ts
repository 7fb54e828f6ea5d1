import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { cpus, totalmem, type } from 'node:os'
import { join } from 'node:path'
import { Cleanup } from '@storedex/testkit'
import { Random } from '../catalogue/build/random.ts'
import type { Seed } from './installation/seed.ts'
import { type Check, type Drill, type Outcome, type Scenario, Skipped } from './scenario.ts'

/** An outcome with its plots as SVG. */
export interface OutcomeWithPlots {
  outcome: Outcome
  plots: Map<string, string>
}

export interface RunSettings {
  folder: string
  isShort: boolean
  minutes: number
  kills: number
  /** Seed of the random numbers. */
  randomSeed: number
  seed(): Promise<Seed>
  reportProgress(line: string): void
}

/** Runs one scenario and releases everything it opened, also after a failure. */
export async function runScenario(
  scenario: Scenario,
  { folder: base, randomSeed, ...settings }: RunSettings,
  whole: Cleanup,
): Promise<OutcomeWithPlots> {
  const folder = join(base, scenario.name)
  mkdirSync(folder)
  chmodSync(folder, 0o711)
  const cleanup = new Cleanup()
  // After Ctrl-C, clean up this scenario before the rest of the run.
  whole.add(() => cleanup.run())
  cleanup.add(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }))
  const checks: Check[] = []
  const figures: Outcome['figures'] = []
  const plots = new Map<string, string>()
  const drill: Drill = {
    ...settings,
    folder,
    cleanup,
    random: new Random(randomSeed),
    reportProgress: (progress) => settings.reportProgress(`  ${progress}`),
    check: (promise, isKept, came) => checks.push({ promise, isKept, came: String(came) }),
    checkTime: (promise, isKept, came) =>
      settings.isShort ? drill.figure(promise, came) : drill.check(promise, isKept, came),
    figure: (name, value) => figures.push({ name, value: String(value) }),
    plot: (name, svg) => plots.set(`${scenario.name}-${name}.svg`, svg),
  }
  const startedAt = performance.now()
  let reason: string | null = null
  let isSkipped = false
  try {
    await scenario.run(drill)
  } catch (error) {
    isSkipped = error instanceof Skipped
    reason = error instanceof Error ? (isSkipped ? error.message : (error.stack ?? error.message)) : String(error)
  }
  await cleanup.run()
  const isPassed = reason === null && checks.length > 0 && checks.every(({ isKept }) => isKept)
  const { name, title, expected } = scenario
  const status = isSkipped ? 'skipped' : isPassed ? 'passed' : 'failed'
  const seconds = Math.round((performance.now() - startedAt) / 1_000)
  const { isShort } = settings
  const about = {
    isShort,
    date: new Date().toISOString().slice(0, 10),
    version: versionOfCheckout(),
    machine: machine(),
  }
  return {
    outcome: { name, title, expected, status, reason, ...about, seconds, checks, figures, plots: [...plots.keys()] },
    plots,
  }
}

function versionOfCheckout(): string {
  try {
    const options = { cwd: import.meta.dirname, encoding: 'utf8', stdio: 'pipe' } as const
    return execFileSync('git', ['describe', '--always', '--dirty'], options).trim()
  } catch {
    return 'unknown'
  }
}

function machine(): string {
  const all = cpus()
  return `${type()}, ${all.length} × ${all[0]?.model.trim() || 'unknown processor'}, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.version}`
}
