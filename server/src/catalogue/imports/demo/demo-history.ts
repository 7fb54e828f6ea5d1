import { readFile } from 'node:fs/promises'
import { ensureInstallationValue, readInstallationValue } from '../../../foundation/db/installation.ts'
import { transact } from '../../../foundation/db/pool.ts'
import { historyFields, type StoreChange } from '../../../product/delivery/store-history.ts'
import {
  bulkInsertChanges,
  deleteChangesOf,
  type StoreChangeInsert,
  selectUnchangedStores,
} from '../../history/queries.ts'
import { lockCatalogue, prepareCatalogueTransaction, recordBatch } from '../../writing/queries.ts'
import type { ImportContext } from '../records/import-file.ts'

/** A line of the file: the history of one invented store, which leads to what the store is now. */
interface ShippedHistory {
  domain: string
  changes: (Partial<Omit<StoreChange, 'at'>> & Pick<StoreChange, 'field'> & { days_ago: number })[]
}

/** Stored once the history is written; it would otherwise be written again, relative to a later start. */
const historyWrittenKey = 'demonstration_history'
const dayMs = 24 * 3_600_000

/**
 * Writes the invented history of the demonstration's invented stores, relative to now, in one transaction, and once. Each day
 * on which something changed is a batch. Stores with changes of their own keep their history, as do real shops.
 */
export async function writeDemonstrationHistory(
  { db, clock }: Pick<ImportContext, 'db' | 'clock'>,
  file: string,
): Promise<void> {
  if (await readInstallationValue(db, historyWrittenKey)) return
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n')
  const histories = lines.map((line) => JSON.parse(line) as ShippedHistory)
  await transact(db, async (client) => {
    await prepareCatalogueTransaction(client)
    let { batch } = await lockCatalogue(client)
    const storeIds = await selectUnchangedStores(
      client,
      histories.map(({ domain }) => domain),
    )
    await deleteChangesOf(client, [...storeIds.values()])
    const now = clock.now().getTime()
    for (const [daysAgo, rows] of groupByDay(histories, storeIds)) {
      const at = new Date(now - daysAgo * dayMs)
      batch++
      await bulkInsertChanges(client, { batch, at }, rows)
      await recordBatch(client, batch, { rows: 0, left: [] }, at)
    }
    await ensureInstallationValue(client, historyWrittenKey, Buffer.from('written'))
  })
}

/** The changes of each day, the oldest day first. */
function groupByDay(histories: ShippedHistory[], storeIds: Map<string, number>): [number, StoreChangeInsert[]][] {
  const days = new Map<number, StoreChangeInsert[]>()
  for (const { domain, changes } of histories) {
    const storeId = storeIds.get(domain)
    if (storeId === undefined) continue
    for (const { days_ago, ...change } of changes) {
      const rows = days.get(days_ago) ?? []
      rows.push(rowOf(storeId, change))
      days.set(days_ago, rows)
    }
  }
  return [...days].sort(([a], [b]) => b - a)
}

function rowOf(
  storeId: number,
  { field, before = null, after = null, added, removed }: Omit<ShippedHistory['changes'][number], 'days_ago'>,
): StoreChangeInsert {
  return {
    storeId,
    field: historyFields.indexOf(field),
    before: before === null ? null : String(before),
    after: after === null ? null : String(after),
    added: added?.length ? added : null,
    removed: removed?.length ? removed : null,
  }
}
