import { copyFile, mkdtemp, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import copyStreams from 'pg-copy-streams'
import { inject } from 'vitest'
import { listOwnTables, migrate } from '../../../../src/foundation/db/migrate.ts'
import { readSequences, readTableColumns } from '../../../../src/operations/backup/queries.ts'
import { findProjectDir } from '../../../../src/operations/config.ts'
import { atEnd, removeFolder } from '../../../support/cleanup.ts'
import { connectClient, createTestDatabase, type TestDatabase } from '../../../support/database.ts'

export const migrationsFolder = join(findProjectDir(import.meta.dirname), 'server/migrations')

/** Others refer to these tables. */
const filledFirst = ['accounts', 'people']
const blockPattern = /^copy (\S+) \((.*)\) from stdin;\n([\s\S]*?)^\\\.$/gm
const sequencePattern = /^select setval\(.*\);$/gm

/** All rows of our tables in one snapshot, as SQL that `psql` reads into an empty schema of the same version. */
export async function dumpRows(url: string): Promise<string> {
  const client = await connectClient(url)
  try {
    await client.query('begin transaction isolation level repeatable read, read only')
    const names = (await listOwnTables(migrationsFolder)).filter((name) => name !== 'schema_migrations')
    const parts: string[] = []
    for (const { name, columns } of await readTableColumns(client, names)) {
      const list = columns.map((column) => pg.escapeIdentifier(column)).join(', ')
      const rows = await text(client.query(copyStreams.to(`copy ${name} (${list}) to stdout`)))
      const block = `copy ${name} (${list}) from stdin;\n${rows}\\.\n`
      if (rows !== '') parts[filledFirst.includes(name) ? 'unshift' : 'push'](block)
    }
    for (const { table, column, value, called } of await readSequences(client, names))
      if (called) parts.push(`select setval(pg_get_serial_sequence('${table}', '${column}'), ${value});`)
    return `${parts.join('\n')}\n`
  } finally {
    await client.end()
  }
}

interface RestoredRows {
  database: TestDatabase
  /** Names of the migrations that came after the version of the rows. */
  applied: string[]
}

/** Creates a database with the schema of a version and these rows, and migrates it as the start of a newer program does. */
export async function restoreRows(version: number, dump: string): Promise<RestoredRows> {
  const database = await createTestDatabase()
  const client = await connectClient(database.url)
  try {
    await client.query('drop schema public cascade; create schema public')
    await migrate(database.url, await copyMigrations(version))
    const blocks = [...dump.matchAll(blockPattern)]
    await client.query('begin')
    // Migrations fill some of them.
    await client.query(`truncate ${blocks.map(([, table]) => table).join(', ')} cascade`)
    for (const [, table, columns, rows] of blocks) {
      const copy = client.query(copyStreams.from(`copy ${table} (${columns}) from stdin`))
      await pipeline(Readable.from([rows!]), copy)
    }
    for (const [statement] of dump.matchAll(sequencePattern)) await client.query(statement)
    await client.query('commit')
  } finally {
    await client.end()
  }
  const { applied } = await migrate(database.url, migrationsFolder, inject('serviceRole'))
  return { database, applied }
}

async function copyMigrations(upTo: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'storedex-migrations-'))
  atEnd(() => removeFolder(folder))
  for (const name of await readdir(migrationsFolder))
    if (Number(name.slice(0, 4)) <= upTo) await copyFile(join(migrationsFolder, name), join(folder, name))
  return folder
}
