import type pg from 'pg'
import type { Queryable } from './pool.ts'

type Right = 'select' | 'insert' | 'update' | 'delete' | 'truncate'
const allRights: readonly Right[] = ['select', 'insert', 'update', 'delete', 'truncate']

const usualRights: readonly Right[] = ['select', 'insert', 'update', 'delete']
/** Tables on which the service has other rights than the usual ones. */
const rightsOf: Record<string, readonly Right[]> = {
  ledger: ['select', 'insert'],
  audit_log: ['select', 'insert'],
  ledger_archives: ['select'],
  ledger_rollups: ['select'],
  export_rollups: ['select'],
  clock_readings: ['select'],
  schema_migrations: ['select'],
  store_changes: ['select', 'insert', 'delete'],
  readiness_probe: [...usualRights, 'truncate'],
}

/** Columns that the service may change although it may not change the rest of the row. */
const changeableColumns: Record<string, readonly string[]> = { audit_log: ['address'] }

/**
 * Grants the service's role its rights on every table and sequence, and revokes excessive ones on the ledger. Changes nothing when
 * all rights are correct. The owner of the tables runs it after every migration.
 */
export async function grantServiceRights(client: pg.Client, role: string): Promise<void> {
  const quotedRole = client.escapeIdentifier(role)
  const { rows: schema } = await client.query<{ usable: boolean }>(
    "select has_schema_privilege($1::text, 'public', 'usage') as usable",
    [role],
  )
  if (!schema[0]!.usable) await client.query(`grant usage on schema public to ${quotedRole}`)
  for (const { table, rights, unchangeable } of await readRights(client, role)) {
    const wanted = rightsOf[table] ?? usualRights
    const missing = wanted.filter((right) => !rights.includes(right))
    const excessive = allRights.filter((right) => rights.includes(right) && !wanted.includes(right))
    const quotedTable = `public.${client.escapeIdentifier(table)}`
    if (missing.length > 0) await client.query(`grant ${missing.join(', ')} on ${quotedTable} to ${quotedRole}`)
    if (excessive.length > 0) await client.query(`revoke ${excessive.join(', ')} on ${quotedTable} from ${quotedRole}`)
    for (const column of unchangeable)
      await client.query(`grant update (${client.escapeIdentifier(column)}) on ${quotedTable} to ${quotedRole}`)
  }
  // PostgreSQL itself needs no right for the numbers of identity columns; Citus asks the sequence for them.
  const { rows: sequences } = await client.query<{ name: string }>(
    `
select c.relname as name
from pg_sequence s
join pg_class c on c.oid = s.seqrelid
where c.relnamespace = 'public'::regnamespace and not has_sequence_privilege($1::text, s.seqrelid, 'usage')`,
    [role],
  )
  for (const { name } of sequences)
    await client.query(`grant usage on sequence public.${client.escapeIdentifier(name)} to ${quotedRole}`)
}

interface TableRights {
  table: string
  rights: string[]
  /** The columns of `changeableColumns` that the role may not change yet. */
  unchangeable: string[]
}

async function readRights(client: pg.Client, role: string): Promise<TableRights[]> {
  const changeable = Object.entries(changeableColumns).flatMap(([table, columns]) =>
    columns.map((column) => ({ table, column })),
  )
  const { rows } = await client.query<TableRights>(
    `
select c.relname as table,
       array(select r from unnest($2::text[]) r where has_table_privilege($1::text, c.oid, r)) as rights,
       array(select a.attname::text
             from unnest($3::text[], $4::text[]) f (table_name, name)
             join pg_attribute a on a.attname = f.name
             where f.table_name = c.relname and a.attrelid = c.oid
               and not has_column_privilege($1::text, c.oid, a.attnum, 'update')) as unchangeable
from pg_class c
where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')`,
    [role, allRights, changeable.map(({ table }) => table), changeable.map(({ column }) => column)],
  )
  return rows
}

/** Whether a role, by default the connection's own, can neither change nor delete ledger entries. */
export async function isLedgerAppendOnly(db: Queryable, role: string | null): Promise<boolean> {
  const { rows } = await db.query<{ append_only: boolean }>(
    `
select not pg_has_role(role, c.relowner, 'member')
       and not has_table_privilege(role, c.oid, 'update')
       and not has_table_privilege(role, c.oid, 'delete')
       and not has_table_privilege(role, c.oid, 'truncate') as append_only
from pg_class c, (select coalesce($1::text, current_user::text)::name as role) r
where c.oid = 'ledger'::regclass`,
    [role],
  )
  return rows[0]!.append_only
}
