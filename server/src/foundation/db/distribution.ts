import { connectClient } from '@storedex/pg-lanes'
import { OperatorError } from '../kernel/errors.ts'
import { takeMigrationLock } from './migrate.ts'
import type { Queryable } from './pool.ts'

/** The column that decides on which machine a row is. Tables of one group are together for the same value. */
interface Distribution {
  column: string
  group: 'account' | 'store' | 'host' | 'hash' | 'event'
}

const byAccount: Distribution = { column: 'account_id', group: 'account' }
const byStore: Distribution = { column: 'store_id', group: 'store' }

/** Every table of the schema: spread over machines, copied to each of them, or only where the statement runs. */
export const distributions: Readonly<Record<string, Distribution | 'copied' | 'local'>> = {
  accounts: 'copied',
  api_keys: 'copied',
  attempt_windows: 'copied',
  audit_log: byAccount,
  billing_events: { column: 'id', group: 'event' },
  billing_windows: byAccount,
  catalogue_batches: 'copied',
  catalogue_state: 'copied',
  catalogue_statistics: 'copied',
  challenges: 'copied',
  clock_readings: 'copied',
  contacts: byStore,
  export_chunks: byAccount,
  export_rollups: byAccount,
  exports: byAccount,
  idempotency: byAccount,
  import_jobs: 'copied',
  installation: 'copied',
  invitations: 'copied',
  key_counters: byAccount,
  ledger: byAccount,
  ledger_archives: byAccount,
  ledger_rollups: byAccount,
  list_contacts: byAccount,
  list_counts: byAccount,
  list_pending: byAccount,
  list_stores: byAccount,
  lists: byAccount,
  members: 'copied',
  passkeys: 'copied',
  people: 'copied',
  person_settings: 'copied',
  person_windows: 'copied',
  privacy_requests: 'copied',
  readiness_probe: 'local',
  removed_stores: byStore,
  request_windows: byAccount,
  reveals: byAccount,
  schema_migrations: 'local',
  sessions: 'copied',
  sign_in_links: 'copied',
  store_changes: byStore,
  store_domains: { column: 'host', group: 'host' },
  store_exports: byAccount,
  stores: { column: 'id', group: 'store' },
  suppressions: { column: 'hash', group: 'hash' },
  taxonomy_values: 'copied',
  usage_counters: byAccount,
  viewed_pages: byAccount,
}

interface DistributionResult {
  /** Machines that hold rows of distributed tables. */
  workers: number
  /** Tables that this run copied to every machine or spread over them; the others were already. */
  copied: string[]
  distributed: string[]
  alreadyDone: number
}

/**
 * Spreads the tables of a migrated database over the machines of a Citus cluster, as `distributions` says. Tables that are
 * spread already stay as they are, so it can be repeated, such as after a migration with new tables. Throws an
 * `OperatorError` for a database without Citus or workers.
 */
export async function distributeTables(url: string): Promise<DistributionResult> {
  const client = await connectClient({ connectionString: url, application_name: 'storedex migrate' })
  try {
    await takeMigrationLock(client)
    const workers = await countWorkers(client)
    const done = await listSpreadTables(client)
    const tables = (await orderByReferences(client)).filter((table) => !done.has(table))
    const copied = tables.filter((table) => distributions[table] === 'copied')
    const distributed = tables.filter((table) => typeof distributions[table] === 'object')
    // Copied tables come first: distributed tables may refer to them.
    for (const table of copied) await client.query('select create_reference_table($1::regclass)', [table])
    for (const table of distributed) await distributeTable(client, table, await listSpreadTables(client))
    // What was stored before stays in the coordinator's own tables, unseen by every statement, also by erasures.
    for (const table of [...copied, ...distributed])
      await client.query('select truncate_local_data_after_distributing_table($1::regclass)', [table])
    return { workers, copied, distributed, alreadyDone: done.size }
  } finally {
    await client.end().catch(() => {})
  }
}

async function countWorkers(client: Queryable): Promise<number> {
  const { rows: extensions } = await client.query("select 1 from pg_extension where extname = 'citus'")
  if (extensions.length === 0)
    throw new OperatorError(
      'This database has no Citus extension, so there is nothing to spread. Run "create extension citus" on every machine, or leave out --distribute.',
    )
  const { rows } = await client.query<{ workers: number; is_coordinator: boolean }>(
    `select citus_is_coordinator() as is_coordinator,
            (select count(*)::integer from pg_dist_node where noderole = 'primary' and shouldhaveshards) as workers`,
  )
  const { workers, is_coordinator: isCoordinator } = rows[0]!
  if (!isCoordinator)
    throw new OperatorError('This database is a worker of Citus. Give the address of the coordinator as DATABASE_URL.')
  if (workers === 0)
    throw new OperatorError(
      'This Citus coordinator has no machine to put rows on. Add workers with citus_add_node, and run this again.',
    )
  return workers
}

/** The tables that Citus copies or distributes; others, which it only manages, are still local. */
async function listSpreadTables(client: Queryable): Promise<Set<string>> {
  const { rows } = await client.query<{ table: string }>(
    `select c.relname as table
     from citus_tables t
     join pg_class c on c.oid = t.table_name
     where t.citus_table_type in ('reference', 'distributed') and c.relnamespace = 'public'::regnamespace`,
  )
  return new Set(rows.map(({ table }) => table).filter((table) => table in distributions))
}

/** Our tables that exist, each after the tables that it refers to. */
async function orderByReferences(client: Queryable): Promise<string[]> {
  const { rows } = await client.query<{ table: string; refers_to: string[] }>(
    `select c.relname as table,
            array(select distinct confrelid::regclass::text from pg_constraint
                  where conrelid = c.oid and contype = 'f' and confrelid <> c.oid) as refers_to
     from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname = any ($1::text[])
     order by c.relname`,
    [Object.keys(distributions)],
  )
  const references = new Map(rows.map((row) => [row.table, row.refers_to]))
  const ordered = new Set<string>()
  const add = (table: string) => {
    if (ordered.has(table)) return
    for (const other of references.get(table) ?? []) add(other)
    ordered.add(table)
  }
  for (const { table } of rows) add(table)
  return [...ordered]
}

/** Distributes a table beside those of its group, so that rows of one account or store are on one machine. */
async function distributeTable(client: Queryable, table: string, spread: ReadonlySet<string>): Promise<void> {
  const { column, group } = distributions[table] as Distribution
  const neighbour = [...spread].find((other) => {
    const distribution = distributions[other]
    return typeof distribution === 'object' && distribution.group === group
  })
  await client.query('select create_distributed_table($1::regclass, $2::text, colocate_with => $3::text)', [
    table,
    column,
    neighbour ?? 'none',
  ])
}
