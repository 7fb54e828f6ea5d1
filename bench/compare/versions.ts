import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Cleanup } from '@storedex/testkit'
import { openProgram, type Program } from '../../server/test/support/programs/program.ts'
import { createDatabase, type Workspace } from '../../server/test/support/programs/workspace.ts'
import { type BenchDatabase, openBenchDatabase, prepareInstallation } from '../api/installation.ts'
import type { Workload } from '../api/load/workload.ts'
import { type Checkout, checkOut, currentCheckout, ownCheckout } from './checkout.ts'

export const versionNames = ['old', 'new'] as const
export type VersionName = (typeof versionNames)[number]

/** A version of the program with a database of its own. */
interface Version {
  checkout: Checkout
  workspace: Workspace
  program: Program
  database: BenchDatabase
}

export interface ComparedVersions {
  versions: Record<VersionName, Version>
  /** Valid at both: the databases are equal but for their schemas. */
  keys: string[]
  workload: Workload
}

export interface ComparedOptions {
  /** The commit to compare with. */
  baseline: string
  stores: number
  seconds: number
  /** The most that are needed at once. */
  mostAccounts: number
}

/**
 * Fills a database with the old version's commands, and copies it for the new one, which brings the copy up to date at its
 * first command.
 */
export async function openVersions(
  options: ComparedOptions,
  workspace: Workspace,
  cleanup: Cleanup,
  report: (progress: string) => void,
): Promise<ComparedVersions> {
  report(`checking out ${options.baseline}`)
  const checkouts = { old: checkOut(options.baseline, join(workspace.folder, 'baseline')), new: currentCheckout() }
  // Both show the same console: building the old one would only take time.
  const shared = {
    CONSOLE_DIR: await buildConsole(),
    DATA_KEYS: `1:${randomBytes(32).toString('base64')}`,
  }
  const workspaceOf = (name: VersionName, databaseUrl: string): Workspace => {
    const dataDir = join(workspace.folder, `data-${name}`)
    mkdirSync(dataDir)
    const environment = { ...shared, DATA_DIR: dataDir, DATABASE_URL: databaseUrl }
    return { folder: workspace.folder, dataDir, databaseUrl, environment }
  }
  const oldUrl = await createDatabase(workspace.databaseUrl, cleanup)
  const oldWorkspace = workspaceOf('old', oldUrl)
  const oldProgram = openProgram(oldWorkspace, cleanup, checkouts.old.folder)
  const wanted = { ...options, accounts: options.mostAccounts }
  const filled = await prepareInstallation(wanted, oldWorkspace, cleanup, report, oldProgram)

  report('copying the database')
  await filled.database.close()
  const newUrl = await createDatabase(workspace.databaseUrl, cleanup, new URL(oldUrl).pathname.slice(1))
  const newWorkspace = workspaceOf('new', newUrl)
  const newProgram = openProgram(newWorkspace, cleanup)
  return {
    versions: {
      old: {
        checkout: checkouts.old,
        workspace: oldWorkspace,
        program: oldProgram,
        database: await openBenchDatabase(oldUrl, cleanup),
      },
      new: {
        checkout: checkouts.new,
        workspace: newWorkspace,
        program: newProgram,
        database: await openBenchDatabase(newUrl, cleanup),
      },
    },
    keys: filled.keys,
    workload: filled.workload,
  }
}

/** The folder of this version's console, built unless it exists. */
async function buildConsole(): Promise<string> {
  // Imported by a computed name: the launcher has no types.
  const launcher = await import(pathToFileURL(join(ownCheckout, 'bin/launcher/console.mjs')).href)
  return launcher.prepareConsole(ownCheckout)
}
