/** Statements of backups and restores. Names of tables and columns come from the schema, never from a backup file. */

import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import copyStreams from 'pg-copy-streams'
import type { Client, Queryable } from '../../foundation/db/pool.ts'
import { conditionOfCopied } from './left-out.ts'
import type { SequenceState, TableColumns } from './manifest.ts'

const quoted = (name: string) => `public.${pg.escapeIdentifier(name)}`
const quotedColumns = (columns: readonly string[]) => columns.map((name) => pg.escapeIdentifier(name)).join(', ')

/** The newest migration that was applied; null for a database without our tables. */
export async function readAppliedVersion(db: Queryable): Promise<number | null> {
  const { rows } = await db.query<{ exists: boolean }>(
    "select to_regclass('public.schema_migrations') is not null as exists",
  )
  if (!rows[0]!.exists) return null
  const { rows: versions } = await db.query<{ version: number | null }>(
    'select max(version) as version from public.schema_migrations',
  )
  return versions[0]!.version
}

export async function readServerVersion(db: Queryable): Promise<string> {
  const { rows } = await db.query<{ server_version: string }>('show server_version')
  return rows[0]!.server_version
}

/** Of these tables the ones that exist, with the columns that are stored and not computed. */
export async function readTableColumns(db: Queryable, tables: readonly string[]): Promise<TableColumns[]> {
  const { rows } = await db.query<TableColumns>(
    `
select c.relname::text as name, array_agg(a.attname::text order by a.attnum) as columns
from pg_class c
join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname = any ($1::text[])
group by c.relname
order by c.relname`,
    [tables],
  )
  return rows
}

/** Begins a transaction that sees one moment, and in which no table can be changed by a migration. */
export async function beginSnapshot(db: Queryable): Promise<void> {
  await db.query('begin transaction isolation level repeatable read, read only')
}

export async function lockAgainstMigrations(db: Queryable, tables: readonly string[]): Promise<void> {
  await db.query(`lock table ${tables.map(quoted).join(', ')} in access share mode`)
}

interface SequenceName extends Pick<SequenceState, 'table' | 'column'> {
  sequence: string
}

async function readSequenceNames(db: Queryable, tables: readonly string[]): Promise<SequenceName[]> {
  const { rows } = await db.query<SequenceName>(
    `
select c.relname::text as table, a.attname::text as column,
       pg_get_serial_sequence('public.' || quote_ident(c.relname), a.attname) as sequence
from pg_class c
join pg_attribute a on a.attrelid = c.oid and a.attidentity <> ''
where c.relnamespace = 'public'::regnamespace and c.relname = any ($1::text[])
order by 1, 2`,
    [tables],
  )
  return rows
}

/** Sequences are outside of transactions: what they say is at least what the snapshot needs. */
export async function readSequences(db: Queryable, tables: readonly string[]): Promise<SequenceState[]> {
  const states: SequenceState[] = []
  for (const { table, column, sequence } of await readSequenceNames(db, tables)) {
    const { rows } = await db.query<Pick<SequenceState, 'value' | 'called'>>(
      `select last_value::text as value, is_called as called from ${sequence}`,
    )
    states.push({ table, column, ...rows[0]! })
  }
  return states
}

/** The sequences of these tables start after `kept` too, so that no number of the tables before is given again. */
export async function raiseSequences(db: Queryable, kept: readonly SequenceState[]): Promise<void> {
  const tables = [...new Set(kept.map(({ table }) => table))]
  const restored = await readSequences(db, tables)
  const higher = kept.filter(({ table, column, value, called }) => {
    const other = restored.find((each) => each.table === table && each.column === column)
    if (!other) return false
    return BigInt(value) === BigInt(other.value) ? called && !other.called : BigInt(value) > BigInt(other.value)
  })
  await setSequences(db, higher)
}

export async function setSequences(db: Queryable, states: readonly SequenceState[]): Promise<void> {
  const names = await readSequenceNames(db, [...new Set(states.map(({ table }) => table))])
  for (const { table, column, sequence } of names) {
    const state = states.find((each) => each.table === table && each.column === column)
    if (state)
      await db.query('select setval($1::regclass, $2::bigint, $3::boolean)', [sequence, state.value, state.called])
  }
}

/** The rows of a table in COPY's text format. `rowCount` is known at the end. */
export function copyTableOut(client: Client, { name, columns }: TableColumns): copyStreams.CopyToStreamQuery {
  const condition = conditionOfCopied(name)
  const rows = condition
    ? `(select ${quotedColumns(columns)} from ${quoted(name)} where ${condition})`
    : `${quoted(name)} (${quotedColumns(columns)})`
  return client.query(copyStreams.to(`copy ${rows} to stdout`))
}

/**
 * Fills a table that this transaction emptied or created: its rows need no vacuum later. Returns how many there were.
 */
export async function copyTableIn(
  client: Client,
  { name, columns }: TableColumns,
  pieces: AsyncIterable<Buffer>,
): Promise<number> {
  const stream = client.query(
    copyStreams.from(`copy ${quoted(name)} (${quotedColumns(columns)}) from stdin with (freeze true)`),
  )
  await pipeline(pieces, stream)
  return stream.rowCount
}

export interface FoundContents {
  accounts: number
  people: number
  stores: number
  suppressions: number
}

/** What an installation holds that a start with DEMO=0 does not create. Older schemas lack some of the tables. */
export async function countContents(db: Queryable): Promise<FoundContents> {
  const { rows: existing } = await db.query<{ name: string }>(
    `select relname::text as name from pg_class
     where relnamespace = 'public'::regnamespace and relname in ('accounts', 'people', 'stores', 'suppressions')`,
  )
  const found: FoundContents = { accounts: 0, people: 0, stores: 0, suppressions: 0 }
  for (const { name } of existing) {
    const { rows } = await db.query<{ count: string }>(
      `select count(*) as count from ${quoted(name)} ${name === 'stores' ? "where mode = 'live'" : ''}`,
    )
    found[name as keyof FoundContents] = Number(rows[0]!.count)
  }
  return found
}

/** The names of our other connections to this database. */
export async function readOtherSessions(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    `select distinct application_name as name from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()
       and application_name like 'storedex%' and application_name <> 'storedex migrate'
     order by 1`,
  )
  return rows.map(({ name }) => name)
}

/**
 * Makes PostgreSQL look for a lost client during long statements too: a restore that was killed holds its locks until
 * then. Some systems cannot do that.
 */
export async function noticeLostClient(db: Queryable): Promise<void> {
  await db.query("set client_connection_check_interval = '2s'").catch(() => {})
}

export async function dropTables(db: Queryable, tables: readonly string[]): Promise<void> {
  await db.query(`drop table if exists ${tables.map(quoted).join(', ')}`)
}

export async function emptyTables(db: Queryable, tables: readonly string[]): Promise<void> {
  await db.query(`truncate ${tables.map(quoted).join(', ')}`)
}

/** Deletes what an older file holds of a table that is copied in part. */
export async function deleteRowsNotCopied(db: Queryable, table: string, copied: string): Promise<void> {
  await db.query(`delete from ${quoted(table)} where (${copied}) is not true`)
}

export async function analyzeTables(db: Queryable, tables: readonly string[]): Promise<void> {
  await db.query(`analyze ${tables.map(quoted).join(', ')}`)
}

/**
 * Drops indexes and foreign keys of these tables, and returns the statements that create them again: both take longer
 * row by row than all at once, and a foreign key would prescribe the order of the tables.
 */
export async function dropIndexesAndForeignKeys(db: Queryable, tables: readonly string[]): Promise<string[]> {
  const { rows } = await db.query<{ drop: string; create: string }>(
    `
select format('alter table %s drop constraint %I', t.oid::regclass, f.conname) as drop,
       format('alter table %s add constraint %I %s', t.oid::regclass, f.conname, pg_get_constraintdef(f.oid)) as create
from pg_constraint f
join pg_class t on t.oid = f.conrelid
where f.contype = 'f' and t.relnamespace = 'public'::regnamespace and t.relname = any ($1::text[])
union all
select format('drop index %s', i.indexrelid::regclass), pg_get_indexdef(i.indexrelid)
from pg_index i
join pg_class t on t.oid = i.indrelid
where t.relnamespace = 'public'::regnamespace and t.relname = any ($1::text[])
  and not exists (select 1 from pg_constraint where conindid = i.indexrelid and contype in ('p', 'u', 'x'))`,
    [tables],
  )
  for (const { drop } of rows) await db.query(drop)
  return rows.map(({ create }) => create)
}

/** Indexes first: they were listed after the foreign keys, which may need them. */
export async function createAgain(db: Queryable, statements: readonly string[]): Promise<void> {
  for (const statement of statements.toReversed()) await db.query(statement)
}

/**
 * Copies the suppressions aside until the transaction ends. Returns false if this database, perhaps of an older version,
 * has none.
 */
export async function keepSuppressions(db: Queryable): Promise<boolean> {
  const { rows } = await db.query<{ exists: boolean }>(
    "select to_regclass('public.suppressions') is not null as exists",
  )
  if (!rows[0]!.exists) return false
  await db.query('create temporary table kept_suppressions on commit drop as table public.suppressions')
  return true
}

/** Adds the suppressions that were kept aside. Returns those that were not there. */
export async function addKeptSuppressions(db: Queryable): Promise<{ hash: string; kind: string }[]> {
  const { rows } = await db.query<{ hash: string; kind: string }>(
    `insert into public.suppressions (hash, kind, added_at)
     select hash, kind, added_at from kept_suppressions
     on conflict (hash) do nothing
     returning hash::text as hash, kind`,
  )
  return rows
}

/** The next hosts of live stores, in their order. */
export async function readLiveHosts(db: Queryable, after: string, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ host: string }>(
    `select host from public.store_domains where mode = 'live' and host > $1::text order by host limit $2::integer`,
    [after, limit],
  )
  return rows.map(({ host }) => host)
}
