import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { readInstallationSecret } from '../../server/src/db/installation.ts'
import { retryConflicts } from '../../server/src/db/pool.ts'
import { contactKey, createIdSealer } from '../../server/src/kernel/ids.ts'
import type { Cleanup } from '../support/cleanup.ts'
import type { RevealableContact } from './reveals.ts'

/** What the bench does to the service's database by itself. */
export interface BenchDatabase {
  /** What PostgreSQL would do after an import within a minute, in the middle of the rounds. */
  settle(): Promise<void>
  /** Takes back all that accounts have used, exported and revealed. */
  emptyLedger(): Promise<void>
  countExports(): Promise<number>
  readRevealableContacts(): Promise<RevealableContact[]>
}

export async function openBenchDatabase(url: string, cleanup: Cleanup): Promise<BenchDatabase> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  cleanup.add(() => client.end())
  return {
    settle: async () => void (await client.query('vacuum analyze')),
    emptyLedger: async () => {
      await waitUntilIdle(client)
      await retryConflicts(() =>
        client.query('truncate request_windows, usage_counters, store_exports, reveals, idempotency, ledger'),
      )
    },
    countExports: async () => {
      const { rows } = await client.query<{ count: string }>('select count(*) from store_exports')
      return Number(rows[0]!.count)
    },
    readRevealableContacts: async () => {
      const ids = createIdSealer(await readInstallationSecret(client))
      const { rows } = await client.query<{ store_id: string; number: number }>(
        'select store_id, number from contacts where revealable order by store_id, number',
      )
      const keys = rows.map((row) => contactKey(Number(row.store_id), row.number))
      const publicIds = ids.sealMany('contact', keys, 'live')
      return keys.map((key, index) => ({ key, id: publicIds[index]! }))
    },
  }
}

/** When the load is over, its last requests are still being answered; nothing of them is to get into the next run. */
async function waitUntilIdle(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query(
      `select from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend' and state <> 'idle'`,
    )
    if (rows.length === 0) return
    await delay(20)
  }
}
