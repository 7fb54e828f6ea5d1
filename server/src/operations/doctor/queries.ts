/** Statements that look at a database and change nothing. */
import type { Queryable } from '../../foundation/db/pool.ts'

export interface DatabaseFacts {
  server_version: string
  role: string
  /** The newest migration; null for a database without a schema. */
  has_schema: boolean
  services: number
}

/** Works in an empty database too. */
export async function readServerFacts(db: Queryable): Promise<DatabaseFacts> {
  const { rows } = await db.query<DatabaseFacts>(
    `select current_setting('server_version') as server_version, current_user as role,
            to_regclass('schema_migrations') is not null as has_schema,
            (select count(distinct (client_addr, application_name)) from pg_stat_activity
             where datname = current_database() and application_name = 'storedex') as services`,
  )
  return rows[0]!
}

export async function readSchemaVersion(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ version: number }>(
    'select coalesce(max(version), 0) as version from schema_migrations',
  )
  return rows[0]!.version
}

/** The tables that the role cannot read. */
export async function findUnreadableTables(db: Queryable, role: string): Promise<string[]> {
  const { rows } = await db.query<{ table: string }>(
    `select c.relname as table
     from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
       and not has_table_privilege($1::text, c.oid, 'select')
     order by 1`,
    [role],
  )
  return rows.map((row) => row.table)
}

export interface SealedSample {
  store_id: number
  number: number
  sealed: Buffer
}

/** A few contacts, whichever the database finds first. */
export async function readSealedSample(db: Queryable, limit: number): Promise<SealedSample[]> {
  const { rows } = await db.query<SealedSample>('select store_id, number, sealed from contacts limit $1::integer', [
    limit,
  ])
  return rows
}

export interface CatalogueFacts {
  batch: number
  written_at: Date | null
  has_live_stores: boolean
  /** A host that an earlier version stored and no request finds, as domains have lost every www. since. */
  lost_host: string | null
}

export async function readCatalogueFacts(db: Queryable): Promise<CatalogueFacts> {
  const { rows } = await db.query<CatalogueFacts>(
    `select s.batch, b.written_at, exists (select 1 from stores where mode = 'live') as has_live_stores,
            (select min(host) from store_domains
             where mode = 'live' and canonical and host >= 'www.' and host < 'www/') as lost_host
     from catalogue_state s
     left join catalogue_batches b on b.batch = s.batch`,
  )
  return rows[0]!
}
