import { deepStrictEqual } from 'node:assert/strict'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildSegment, mergeSegments } from '@storedex/search-index'
import fc from 'fast-check'
import { expect } from 'vitest'
import { type PlainStore, stageStores } from '../../../../packages/search-index/test/support/plain-segments.ts'
import { type Catalogue, catalogues, drawStores } from '../../../../packages/search-index/test/support/random-stores.ts'
import { type Client, createPool, type Pool, transact } from '../../../src/foundation/db/pool.ts'
import { type Mode, modes } from '../../../src/foundation/kernel/ids.ts'
import { catalogueChannel } from '../../../src/search/replica/queries.ts'
import {
  type CatalogueIndex,
  defaultTimings,
  type Replica,
  type ReplicaReport,
  type ReplicaSettings,
  type ReplicaTimings,
  type StartReplica,
} from '../../../src/search/replica/replica.ts'
import { runInProcess } from '../../../src/search/replica/replica-sync.ts'
import { atEnd, removeFolder } from '../../support/cleanup.ts'
import { createTestDatabase } from '../../support/database.ts'

/** A database of its own, written without the importer, and the stores that the index must contain. */
export interface ReplicaWorld {
  url: string
  db: Pool
  stores: Record<Mode, Map<number, PlainStore>>
  /** Inserts or replaces stores in one batch. */
  write(mode: Mode, stores: readonly PlainStore[], options?: { notifies: boolean }): Promise<number>
  /** Removes stores in one batch. */
  remove(mode: Mode, ids: readonly number[]): Promise<number>
  newestBatch(): Promise<number>
}

const roleTokens = [7, 8, 40_000_000]

export async function createReplicaWorld(): Promise<ReplicaWorld> {
  const { url } = await createTestDatabase()
  const db = createPool({ url, applicationName: 'replica test', maxConnections: 4 })
  atEnd(() => db.end())
  await db.query(
    `insert into taxonomy_values (facet, value, token, label, position)
     select 'role', 'role-' || token, token, 'A role', 1 from unnest($1::integer[]) as token`,
    [roleTokens],
  )
  const stores = { live: new Map<number, PlainStore>(), test: new Map<number, PlainStore>() }
  return {
    url,
    db,
    stores,
    write: async (mode, changed, { notifies } = { notifies: false }) => {
      const batch = await writeBatch(db, mode, changed, notifies)
      for (const store of changed) stores[mode].set(store.id, store)
      return batch
    },
    remove: async (mode, ids) => {
      const batch = await removeInBatch(db, ids)
      for (const id of ids) stores[mode].delete(id)
      return batch
    },
    newestBatch: async () => (await db.query('select batch from catalogue_state')).rows[0].batch,
  }
}

async function nextBatch(client: Client): Promise<number> {
  const { rows } = await client.query<{ batch: number }>('update catalogue_state set batch = batch + 1 returning batch')
  const { batch } = rows[0]!
  await client.query(`insert into catalogue_batches (batch, mark) values ($1::bigint, (random() * 1e18)::bigint)`, [
    batch,
  ])
  return batch
}

function removeInBatch(db: Pool, ids: readonly number[]): Promise<number> {
  return transact(db, async (client) => {
    const batch = await nextBatch(client)
    await client.query('delete from contacts where store_id = any ($1::bigint[])', [ids])
    await client.query('delete from stores where id = any ($1::bigint[])', [ids])
    await client.query('insert into removed_stores (store_id, batch) select unnest($1::bigint[]), $2::bigint', [
      ids,
      batch,
    ])
    return batch
  })
}

function writeBatch(db: Pool, mode: Mode, stores: readonly PlainStore[], notifies: boolean): Promise<number> {
  return transact(db, async (client) => {
    const batch = await nextBatch(client)
    const moment = (ms: number | null) => (ms === null ? null : new Date(ms))
    await client.query(
      `insert into stores (id, mode, batch, negated_score, tokens, active_ads, created_estimate, first_discovered_at,
                           document, document_version, preview)
       select row.id, $2::text, $3::bigint, row.negated_score::double precision, row.tokens, row.active_ads, row.created, row.discovered,
              '{}', 1, '{}'
       from jsonb_to_recordset($1::jsonb) as row (id bigint, negated_score text, tokens integer[], active_ads integer,
                                                  created timestamptz, discovered timestamptz)
       on conflict (id) do update
       set batch = excluded.batch, negated_score = excluded.negated_score, tokens = excluded.tokens,
           active_ads = excluded.active_ads, created_estimate = excluded.created_estimate,
           first_discovered_at = excluded.first_discovered_at`,
      [
        JSON.stringify(
          stores.map((store) => ({
            id: store.id,
            negated_score: String(store.negatedScore),
            tokens: store.tokens,
            active_ads: store.activeAds || null,
            created: moment(store.created),
            discovered: moment(store.discovered),
          })),
        ),
        mode,
        batch,
      ],
    )
    await client.query('delete from contacts where store_id = any ($1::bigint[])', [stores.map(({ id }) => id)])
    await client.query(
      `insert into contacts (store_id, number, external_key, role, traits, revealable, verified_revealable,
                             verified_emails, preview, preview_version, identities, sealed)
       select row.store_id, row.number, int4send(row.number), row.role, row.traits, coalesce(row."isRevealable", true), true, 0, '', 1, '{}', ''
       from jsonb_to_recordset($1::jsonb) as row (store_id bigint, number integer, role text, traits integer, "isRevealable" boolean)`,
      [
        JSON.stringify(
          stores.flatMap(({ id, contacts }) =>
            contacts.map(({ role, ...contact }) => ({
              store_id: id,
              role: role === 0 ? null : `role-${role}`,
              ...contact,
            })),
          ),
        ),
      ],
    )
    if (notifies) await client.query(`select pg_notify('${catalogueChannel}', '')`)
    return batch
  })
}

/** A random catalogue of so many stores, some with contacts. */
export function catalogueOf(seed: number, size: number): Catalogue {
  return { ...fc.sample(catalogues, { seed, numRuns: 1 })[0]!, ids: 'ascending', contacts: 'some', size }
}

/** The stores of a random catalogue, with values that fit the database. */
export function storesOf(catalogue: Catalogue, variant = 0): PlainStore[] {
  return drawStores(catalogue, variant).map((store) => ({
    ...store,
    activeAds: Math.min(store.activeAds, 2 ** 31 - 1),
  }))
}

export interface RunningReplica {
  replica: Replica
  /** All views, the newest last; null where one was withdrawn. */
  views: (CatalogueIndex | null)[]
  lines: string[]
  view(): CatalogueIndex | null
  report(): ReplicaReport | null
  /** Resolves with the first view of this batch or a later one. */
  waitForBatch(batch: number): Promise<CatalogueIndex>
}

const quick: ReplicaTimings = { ...defaultTimings, pollMs: 10, snapshotEveryMs: 3_600_000 }

export interface ReplicaOptions {
  timings?: Partial<ReplicaTimings>
  settings?: Partial<ReplicaSettings>
  start?: StartReplica
}

/** Starts a replica of a world's database, by default in this thread; closed after the file's tests at the latest. */
export function startTestReplica({ url }: { url: string }, options: ReplicaOptions = {}): RunningReplica {
  const { timings, settings, start = runInProcess } = options
  const views: RunningReplica['views'] = []
  const lines: string[] = []
  let report: ReplicaReport | null = null
  const view = () => views.at(-1) ?? null
  const replica = start(
    { databaseUrl: url, snapshotFile: null, budgetBytes: null, ...settings, timings: { ...quick, ...timings } },
    {
      onIndex: (shown) => views.push(shown),
      onReport: (told) => {
        report = told
      },
      onLog: (level, line, cause) => lines.push(`${level}: ${line}${cause ? ` (${(cause as Error).message})` : ''}`),
    },
  )
  atEnd(() => replica.close())
  return {
    replica,
    views,
    lines,
    view,
    report: () => report,
    waitForBatch: async (batch) => {
      await expect.poll(() => view()?.batch ?? -1, { timeout: 30_000, interval: 5 }).toBeGreaterThanOrEqual(batch)
      return view()!
    },
  }
}

/** The view has exactly the world's stores: merged, it equals the segment built from them. */
export function expectSame(view: CatalogueIndex, { stores }: Pick<ReplicaWorld, 'stores'>): void {
  for (const mode of modes)
    deepStrictEqual(mergeSegments(view.lists[mode]), buildSegment(stageStores([...stores[mode].values()])))
}

/** A temporary folder, deleted after the file's tests. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'storedex-test-'))
  atEnd(() => removeFolder(folder))
  return folder
}
