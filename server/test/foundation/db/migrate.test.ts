import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { migrate } from '../../../src/foundation/db/migrate.ts'
import { renderPreviewedStore } from '../../../src/product/delivery/contact-preview.ts'
import { renderStore, type Store } from '../../../src/product/delivery/store-document.ts'
import { connectClient, createTestDatabase } from '../../support/database.ts'
import { describeSchema } from '../../support/describe-schema.ts'

const folder = join(import.meta.dirname, '../../../migrations')

async function connect(url: string): Promise<pg.Client> {
  const client = await connectClient(url)
  onTestFinished(() => client.end())
  return client
}

// Small tables, which are copied to every node when the database is distributed.
const smallTables =
  'accounts api_keys attempt_windows catalogue_batches catalogue_state catalogue_statistics challenges clock_readings import_jobs installation invitations members passkeys people person_settings person_windows privacy_requests schema_migrations sessions sign_in_links taxonomy_values'.split(
    ' ',
  )
const distributionColumns: Record<string, string> = {
  audit_log: 'account_id',
  billing_events: 'id',
  billing_windows: 'account_id',
  contacts: 'store_id',
  export_chunks: 'account_id',
  export_rollups: 'account_id',
  exports: 'account_id',
  idempotency: 'account_id',
  key_counters: 'account_id',
  ledger: 'account_id',
  ledger_archives: 'account_id',
  ledger_rollups: 'account_id',
  list_contacts: 'account_id',
  list_counts: 'account_id',
  list_pending: 'account_id',
  list_stores: 'account_id',
  lists: 'account_id',
  removed_stores: 'store_id',
  request_windows: 'account_id',
  reveals: 'account_id',
  store_changes: 'store_id',
  store_domains: 'host',
  store_exports: 'account_id',
  stores: 'id',
  suppressions: 'hash',
  usage_counters: 'account_id',
  viewed_pages: 'account_id',
}

describe('migrations', () => {
  test('produce the schema in server/schema.sql', async () => {
    const client = await connect((await createTestDatabase()).url)
    await expect(await describeSchema(client)).toMatchFileSnapshot('../../../schema.sql')
  })

  test('change nothing when repeated, also concurrently', async () => {
    const { url } = await createTestDatabase()
    const client = await connect(url)
    const before = await describeSchema(client)
    const results = await Promise.all(Array.from({ length: 4 }, () => migrate(url, folder)))
    for (const result of results) expect(result).toEqual({ applied: [], version: expect.any(Number) })
    expect(await describeSchema(client)).toBe(before)
  })

  test('four concurrent starts migrate an empty database once', async () => {
    const { url } = await createTestDatabase()
    const client = await connect(url)
    await client.query('drop schema public cascade; create schema public')
    const results = await Promise.all(Array.from({ length: 4 }, () => migrate(url, folder)))
    expect(results.filter((result) => result.applied.length > 0)).toHaveLength(1)
  })

  test('stores from before contacts existed get the preview that an import would render', async () => {
    const { url } = await createTestDatabase()
    const client = await connect(url)
    await client.query('drop schema public cascade; create schema public')
    const first = await mkdtemp(join(tmpdir(), 'storedex-migrations-'))
    onTestFinished(() => rm(first, { recursive: true }))
    await copyFile(join(folder, '0001_foundation.sql'), join(first, '0001_foundation.sql'))
    await migrate(url, first)
    const store: Store = {
      id: 'st_live_KqWvTzHbNcRyLpXm',
      object: 'store',
      domain: 'quotes.example',
      name: 'Quotes "and" \\ more, \n 店 {"name":1}',
      category: 'home_garden',
      country: null,
      traffic_tier: null,
      revenue_tier: null,
      platform_plus: false,
      lead_fit_score: 1.5,
      store_created_at: null,
      first_discovered_at: null,
      contacts_summary: { total: 0, has_revealable_contacts: false, verified_email_count: 0, roles: [] },
      technologies: { apps: ['klaviyo', 'loox'], pixels: [], theme: { name: null, type: null } },
    }
    await client.query(
      `insert into stores (mode, batch, negated_score, tokens, document, document_version)
       values ('live', 1, -1.5, '{}', $1, 1)`,
      [renderStore(store)],
    )
    await migrate(url, folder)
    const { rows } = await client.query<{ preview: string }>('select preview from stores')
    expect(rows).toEqual([{ preview: renderPreviewedStore(store) }])
  })

  test('what keys spent and reserved before they had budgets is counted for them', async () => {
    const { url } = await createTestDatabase()
    const client = await connect(url)
    await client.query('drop schema public cascade; create schema public')
    const before = await mkdtemp(join(tmpdir(), 'storedex-migrations-'))
    onTestFinished(() => rm(before, { recursive: true }))
    const names = (await readdir(folder)).filter((name) => name.endsWith('.sql') && name < '0020')
    for (const name of names) await copyFile(join(folder, name), join(before, name))
    await migrate(url, before)
    await client.query(`
      insert into ledger (account_id, mode, meter, period_start, amount, request_id, spent_at, key_id, person_id)
      values (1, 'live', 'store_exports', '2026-11-01', 3, 'req_1', '2026-11-02', 5, null),
             (1, 'live', 'store_exports', '2026-11-01', 4, 'req_2', '2026-11-03', 5, null),
             (1, 'live', 'store_exports', '2026-11-01', 8, 'req_3', '2026-11-03', null, 9),
             (1, 'live', 'contact_credits', '2026-10-01', 2, 'req_4', '2026-11-03', 6, null);
      insert into exports (account_id, mode, kind, status, layout, query, max_rows, request_id, key_id, period_start,
                           reserved_exports, credits_period_start, reserved_credits, pieces, bytes, sha256, created_at)
      values (1, 'live', 'contacts', 'running', '{}', '{}', 10, 'req_2', 5, '2026-11-01', 6, '2026-10-01', 7, 0, 0, '',
              '2026-11-03')`)
    await migrate(url, folder)
    const { rows } = await client.query(
      'select key_id, meter, used, reserved, budget, packed from key_counters order by key_id, meter',
    )
    const counted = { budget: null, packed: '0' }
    expect(rows).toEqual([
      { ...counted, key_id: '5', meter: 'contact_credits', used: 0, reserved: 7 },
      { ...counted, key_id: '5', meter: 'store_exports', used: 7, reserved: 6 },
      { ...counted, key_id: '6', meter: 'contact_credits', used: 2, reserved: 0 },
    ])
  })

  test('a database of a newer version is rejected', async () => {
    const { url } = await createTestDatabase()
    const client = await connect(url)
    await client.query("insert into schema_migrations (version, name) values (9999, '9999_future.sql')")
    await expect(migrate(url, folder)).rejects.toThrow('newer than this program')
  })

  test('every growing table can be distributed: its unique indexes contain its distribution column', async () => {
    const client = await connect((await createTestDatabase()).url)
    const { rows } = await client.query<{ table: string; columns: string[] }>(`
      select c.relname as table, array_agg(a.attname::text) as columns
      from pg_index x
      join pg_class c on c.oid = x.indrelid and c.relnamespace = 'public'::regnamespace
      join pg_attribute a on a.attrelid = c.oid and a.attnum = any (x.indkey)
      where x.indisunique
      group by c.relname, x.indexrelid`)
    for (const { table, columns } of rows) {
      if (smallTables.includes(table)) continue
      expect(columns, `a unique index of ${table}`).toContain(distributionColumns[table])
    }
    const { rows: foreign } = await client.query<{ table: string }>(
      "select conrelid::regclass::text as table from pg_constraint where contype = 'f'",
    )
    expect(foreign.map((row) => row.table).filter((table) => !smallTables.includes(table))).toEqual([])
  })
})
