import { cpSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type DataKey, parseDataKeys } from '../../../../src/foundation/kernel/seal.ts'
import { type BackupResult, backUp } from '../../../../src/operations/backup/back-up.ts'
import { isNeverCopied } from '../../../../src/operations/backup/left-out.ts'
import {
  type RestoreContext,
  type RestoreInput,
  type RestoreResult,
  restore,
} from '../../../../src/operations/backup/restore.ts'
import { findProjectDir } from '../../../../src/operations/config.ts'
import { removeFolder } from '../../../support/cleanup.ts'
import { connectClient, createTestDatabase } from '../../../support/database.ts'
import { createManualClock, testDataKeys } from '../../../support/fixtures.ts'

export const migrationsDir = join(findProjectDir(import.meta.dirname), 'server/migrations')

/** One installation, as the commands see it. */
export interface Target {
  url: string
  dataDir: string
  /** DATA_KEYS. */
  dataKeys: readonly DataKey[] | null
  migrationsDir: string
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'storedex-backup-'))
  onTestFinished(() => removeFolder(folder))
  return folder
}

/** A database of its own, and an empty data directory. */
export async function createTarget(more: Partial<Target> = {}): Promise<Target> {
  const { url } = await createTestDatabase()
  const dataDir = temporaryFolder()
  return { url, dataDir, dataKeys: parseDataKeys(testDataKeys)!, migrationsDir, ...more }
}

/** The migrations up to a version, and an invented one after them. */
export function otherMigrations(upTo: number, added?: string): string {
  const folder = join(temporaryFolder(), 'migrations')
  const isWanted = (path: string) => !/\d{4}_\w+\.sql$/.test(path) || Number(/(\d{4})_\w+\.sql$/.exec(path)![1]) <= upTo
  cpSync(migrationsDir, folder, { recursive: true, filter: isWanted })
  if (added) writeFileSync(join(folder, '9999_invented.sql'), added)
  return folder
}

const clock = createManualClock('2026-11-22T12:00:00Z')

export function backUpTo(file: string, source: Target, withKeys = false): Promise<BackupResult> {
  const { url: databaseUrl, dataDir, dataKeys, migrationsDir } = source
  const context = { databaseUrl, dataDir, dataKeys, migrationsDir, clock, program: 'storedex test' }
  return backUp(context, { file, withKeys })
}

type RestoreOptions = Partial<RestoreInput & Pick<RestoreContext, 'openDatabase'>>

export function restoreFrom(file: string, target: Target, options: RestoreOptions = {}): Promise<RestoreResult> {
  const { url, dataDir, dataKeys, migrationsDir } = target
  const { openDatabase = async () => ({ ownerUrl: url, serviceRole: null }), ...more } = options
  return restore({ dataDir, dataKeys, migrationsDir, clock, openDatabase }, { file, replace: false, ...more })
}

/** A digest of each table, over all columns of all rows; also the state of each sequence. */
export async function digestEverything(url: string): Promise<Record<string, string>> {
  const client = await connectClient(url)
  try {
    const { rows } = await client.query<{ name: string; statement: string }>(`
      select relname::text as name,
             case relkind when 'S' then format('select last_value || '' '' || is_called as digest from %s', oid::regclass)
             else format('select count(*) || '' '' || md5(coalesce(string_agg(t::text, ''|'' order by t::text), '''')) as digest from %s t', oid::regclass)
             end as statement
      from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'S') order by 1`)
    const digests: Record<string, string> = {}
    for (const { name, statement } of rows) digests[name] = (await client.query(statement)).rows[0].digest
    return digests
  } finally {
    await client.end()
  }
}

/** The digests of what a restore puts back as it was: it adds to the audit log, and leaves out what signs somebody in. */
export async function digestCopied(url: string): Promise<Record<string, string>> {
  const digests = Object.entries(await digestEverything(url))
  return Object.fromEntries(
    digests.filter(([name]) => !isNeverCopied(name) && !['audit_log', 'audit_log_entry_seq'].includes(name)),
  )
}

export async function query<Row extends object>(url: string, statement: string): Promise<Row[]> {
  const client = await connectClient(url)
  try {
    return (await client.query<Row>(statement)).rows
  } finally {
    await client.end()
  }
}
