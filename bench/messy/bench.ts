import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Cleanup } from '@storedex/testkit'
import { openContactSeals } from '../../server/src/foundation/encryption/keyring.ts'
import { openProgram, type Program } from '../../server/test/support/programs/program.ts'
import { openMigratedDatabase, openWorkspace, type Workspace } from '../../server/test/support/programs/workspace.ts'
import { type Dialect, dialects, endingOf } from './dialect.ts'
import { contactFlags } from './faults/contact-columns.ts'
import { storeFlags } from './faults/store-columns.ts'
import { fileCases } from './files/file-cases.ts'
import { type CaseResult, runFileCases } from './files/run-cases.ts'
import { contactSheet, type Sizes, storeSheet, writeMessyContacts, writeMessyStores } from './generate.ts'
import type { RecordComparison } from './judge/compare.ts'
import { type Installation, Judge, type Kind, type Verdict } from './judge/judge.ts'
import { mendRejects, type Rejects, readRejects } from './judge/rejects.ts'
import type { Problem } from './judge/report-check.ts'
import type { MessyFile } from './truth.ts'

export interface MessyOptions extends Sizes {
  /** The dialects to run, by name. */
  dialects: readonly string[]
}

/** What the command prints with --json. */
interface ImportReport {
  read: number
  inserted: number
  updated: number
  unchanged: number
  rejected: number
  rejects_file: string | null
  seconds: number
  dropped: number
  would_take_with_drop: number
  problems: Problem[]
}

export interface KindFigures {
  kind: Kind
  rows: number
  faultless: number
  bytes: number
  drawn: Record<string, number>
  report: ImportReport
  dryRun: ImportReport
  verdict: Verdict
  /** The second import, of the mended rejects; null where nothing was rejected. */
  mended: { rows: number; report: ImportReport } | null
  afterMending: RecordComparison
}

export interface DialectFigures {
  dialect: Dialect
  kinds: KindFigures[]
}

/** Each dialect in an installation of its own: stores, contacts, then what was rejected, mended. */
export async function* benchMessy(
  options: MessyOptions,
  cleanup: Cleanup,
  reportProgress: (progress: string) => void,
): AsyncGenerator<DialectFigures> {
  for (const dialect of dialects.filter(({ name }) => options.dialects.includes(name))) {
    reportProgress(`${dialect.name}: ${dialect.description}`)
    yield { dialect, kinds: await benchDialect(options, dialect, cleanup, reportProgress) }
  }
}

/** The small files, each imported by itself; two at a time, in an installation each. */
export async function benchFiles(cleanup: Cleanup, reportProgress: (progress: string) => void): Promise<CaseResult[]> {
  reportProgress(`files: ${fileCases.length} small ones`)
  const results = await Promise.all(
    [0, 1].map(async (half) => {
      const workspace = await openWorkspace(null, cleanup)
      const program = openProgram(workspace, cleanup)
      const cases = fileCases.filter((_, index) => index % 2 === half)
      return runFileCases(cases, program.attempt, await openInstallation(workspace, cleanup), workspace.folder)
    }),
  )
  return results.flat().sort((a, b) => a.number - b.number)
}

async function openInstallation({ databaseUrl, dataDir }: Workspace, cleanup: Cleanup): Promise<Installation> {
  const db = await openMigratedDatabase(databaseUrl, 600_000)
  cleanup.add(() => db.end())
  return { db, seals: await openContactSeals(db, null, dataDir) }
}

async function benchDialect(
  sizes: Sizes,
  dialect: Dialect,
  cleanup: Cleanup,
  reportProgress: (progress: string) => void,
): Promise<KindFigures[]> {
  const workspace = await openWorkspace(null, cleanup)
  const program = openProgram(workspace, cleanup)
  const installation = await openInstallation(workspace, cleanup)
  const path = (name: string) => join(workspace.folder, name)

  reportProgress('  writing the files')
  const stores = await writeMessyStores(path(`stores.${endingOf(dialect)}`), sizes, dialect)
  const contacts = await writeMessyContacts(path(`contacts.${endingOf(dialect)}`), sizes, dialect)
  const runs = [
    new MessyRun(new Judge('stores', storeSheet, stores), stores, dialect, storeFlags),
    new MessyRun(new Judge('contacts', contactSheet, contacts), contacts, dialect, contactFlags),
  ]
  for (const run of runs) {
    reportProgress(`  importing ${run.judge.kind}`)
    await run.import(program, installation)
  }
  for (const run of runs) {
    reportProgress(`  importing the mended rejects of ${run.judge.kind}`)
    await run.importMended(program)
  }
  return Promise.all(runs.map((run) => run.finish(installation)))
}

/** One file on its way: imported, judged, mended, imported again. */
class MessyRun {
  readonly judge: Judge
  readonly #file: MessyFile
  readonly #flags: readonly string[]
  readonly #dialect: Dialect
  #figures!: Omit<KindFigures, 'mended' | 'afterMending'>
  #rejects: Rejects | null = null
  #mended: KindFigures['mended'] = null

  constructor(judge: Judge, file: MessyFile, dialect: Dialect, flags: readonly string[]) {
    this.judge = judge
    this.#file = file
    this.#dialect = dialect
    this.#flags = [...flags, ...dialect.flags]
  }

  async import(program: Program, installation: Installation): Promise<void> {
    const { kind } = this.judge
    const { file, rows, faultless, drawn } = this.#file
    const flags = [...this.#flags, '--on-bad-value', 'drop']
    const dryRun = await program.run<ImportReport>('import', kind, file, ...this.#flags, '--dry-run')
    await refuseChanges(installation, kind)
    const report = await program.run<ImportReport>('import', kind, file, ...flags)
    if (report.rejects_file !== null) this.#rejects = readRejects(report.rejects_file, this.#dialect)
    const verdict = await this.judge.judge(installation, this.#rejects, report.problems)
    const { size: bytes } = await stat(file)
    this.#figures = { kind, rows, faultless, bytes, drawn, report, dryRun, verdict }
  }

  async importMended(program: Program): Promise<void> {
    if (this.#rejects === null) return
    const file = this.#file.file.replace(/\.(csv|xlsx)$/, '.mended.$1')
    const rows = mendRejects(file, this.#rejects, this.judge.sheet, this.judge.rejectedTruths)
    const report = await program.run<ImportReport>('import', this.judge.kind, file, ...this.#flags)
    this.#mended = { rows, report }
  }

  async finish(installation: Installation): Promise<KindFigures> {
    const afterMending = await this.judge.judgeMended(installation)
    return { ...this.#figures, mended: this.#mended, afterMending }
  }
}

async function refuseChanges({ db }: Installation, kind: Kind): Promise<void> {
  const { rows } = await db.query<{ some: boolean }>(
    `select exists (select from ${kind === 'stores' ? 'stores' : 'contacts c join stores on stores.id = c.store_id'}
                    where stores.mode = 'live') as some`,
  )
  if (rows[0]!.some) throw new Error(`a dry run has written ${kind}`)
}
