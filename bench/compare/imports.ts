/** The import of this version beside that of another commit: both in turns, each time into an empty database. */

import { join } from 'node:path'
import { type Cleanup, median } from '@storedex/testkit'
import { captureScript } from '../../server/test/support/programs/program.ts'
import { createDatabase, type Workspace } from '../../server/test/support/programs/workspace.ts'
import { checkOut, currentCheckout } from './checkout.ts'
import { type VersionName, versionNames } from './versions.ts'

export interface ImportComparisonOptions {
  baseline: string
  stores: number
  contacts: number
  rounds: number
}

/** What `bench/import.ts` prints of one import. */
interface Printed {
  import: { read: number; per_second: number; cpu_seconds: number; postgres_cpu_seconds: number | null }
}

type Measured = Record<VersionName, { perSecond: number; cpuSeconds: number }>

interface ImportComparison {
  /** stores_ndjson, contacts_csv … */
  name: string
  rounds: Measured[]
  /** Records a second of this version to those of the other, and the same of the processor time that a record takes. */
  speed: number
  processorTime: number
}

export interface ImportComparisons {
  commits: Record<VersionName, string>
  stores: number
  contacts: number
  imports: ImportComparison[]
}

/** The ratios are medians of pairs, so that another load on the machine meets both. */
export async function compareImports(
  { baseline, stores, contacts, rounds }: ImportComparisonOptions,
  workspace: Workspace,
  cleanup: Cleanup,
  report: (progress: string) => void,
): Promise<ImportComparisons> {
  report(`checking out ${baseline}`)
  const checkouts = { old: checkOut(baseline, join(workspace.folder, 'baseline')), new: currentCheckout() }
  const measured: Record<string, Measured[]> = {}
  for (let round = 0; round < rounds; round++) {
    report(`round ${round + 1} of ${rounds}`)
    const printed = {} as Record<VersionName, Record<string, Printed>>
    for (const name of round % 2 === 0 ? versionNames : versionNames.toReversed()) {
      const url = await createDatabase(workspace.databaseUrl, cleanup)
      const script = join(checkouts[name].folder, 'bench/import.ts')
      const args = ['--url', url, '--stores', String(stores), '--contacts', String(contacts)]
      printed[name] = JSON.parse(await captureScript(script, args, workspace, cleanup))
    }
    for (const name of Object.keys(printed.new)) {
      const pair = { old: figuresOf(printed.old[name]!), new: figuresOf(printed.new[name]!) }
      measured[name] = [...(measured[name] ?? []), pair]
    }
  }
  const imports = Object.entries(measured).map(([name, pairs]) => ({
    name,
    rounds: pairs,
    speed: median(pairs.map((pair) => pair.new.perSecond / pair.old.perSecond)),
    processorTime: median(pairs.map((pair) => pair.new.cpuSeconds / pair.old.cpuSeconds)),
  }))
  return { commits: { old: checkouts.old.commit, new: checkouts.new.commit }, stores, contacts, imports }
}

function figuresOf({ import: { per_second, cpu_seconds, postgres_cpu_seconds } }: Printed) {
  return { perSecond: per_second, cpuSeconds: cpu_seconds + (postgres_cpu_seconds ?? 0) }
}

export function formatImportComparisons({ commits, imports }: ImportComparisons): string {
  const perSecond = (pairs: Measured[], name: VersionName) =>
    Math.round(median(pairs.map((pair) => pair[name].perSecond))).toLocaleString('en')
  const rows = imports.map(({ name, rounds, speed, processorTime }) => {
    const cells = [name, perSecond(rounds, 'old'), perSecond(rounds, 'new'), speed.toFixed(2), processorTime.toFixed(2)]
    return `| ${cells.join(' | ')} |`
  })
  return [
    `| import | ${commits.old}, a second | ${commits.new}, a second | speed, new to old | processor time, new to old |`,
    '| --- | ---: | ---: | ---: | ---: |',
    ...rows,
  ].join('\n')
}
