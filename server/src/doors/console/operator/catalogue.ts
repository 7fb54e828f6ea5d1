import type { UserContext } from '../../../customers/auth/signed-in.ts'
import type { Queryable } from '../../../foundation/db/pool.ts'
import type { SearchStatus } from '../../../search/service/service.ts'
import { type CatalogueSizeRow, countCatalogue, selectRecentBatches } from './queries.ts'
import type { OperatorCatalogueReply, SearchState } from './schema.ts'

const shownBatches = 10

export async function describeCatalogue(
  ctx: UserContext,
  { sizes, search }: { sizes: CatalogueSizes; search: { status(): SearchStatus } },
): Promise<OperatorCatalogueReply> {
  const { countedAt, row } = await sizes.read(ctx)
  const { taxonomyVersion, batches } = await selectRecentBatches(ctx.db, shownBatches)
  return {
    object: 'catalogue',
    counted_at: countedAt.toISOString(),
    live: { stores: row.live_stores, contacts: row.contacts - row.test_contacts },
    test: { stores: row.test_stores, contacts: row.test_contacts },
    taxonomy_version: taxonomyVersion,
    batches: batches.map(({ written_at, ...batch }) => ({ ...batch, written_at: written_at?.toISOString() ?? null })),
    search: describeSearchState(search.status()),
    request_id: ctx.requestId,
  }
}

export function describeSearchState({ engine, reason, batch, report }: SearchStatus): SearchState {
  const figures = report?.figures ?? null
  return {
    engine,
    reason,
    batch,
    lag: batch === null || report?.databaseBatch == null ? null : Math.max(0, report.databaseBatch - batch),
    behind_seconds: report?.behindSeconds ?? null,
    index: figures && {
      stores: figures.stores,
      contacts: figures.contacts,
      bytes: figures.bytes,
      segments: figures.segments,
      delta_stores: figures.deltaStores,
      dead_stores: figures.deadStores,
    },
    load: report?.load ?? null,
    snapshot: report?.snapshot
      ? {
          batch: report.snapshot.batch,
          bytes: report.snapshot.bytes,
          written_at: new Date(report.snapshot.writtenAt).toISOString(),
        }
      : null,
  }
}

const keptMs = 30_000

interface CountedCatalogue {
  countedAt: Date
  row: CatalogueSizeRow
}

/** Counts the catalogue at most twice a minute, however often the page is loaded. */
export class CatalogueSizes {
  #counted: Promise<CountedCatalogue> | null = null
  #countedAtMs = 0

  read({ db, now }: { db: Queryable; now: Date }): Promise<CountedCatalogue> {
    const ageMs = Math.abs(now.getTime() - this.#countedAtMs)
    if (this.#counted && ageMs < keptMs) return this.#counted
    const counted = countCatalogue(db).then((row) => ({ countedAt: now, row }))
    this.#counted = counted
    this.#countedAtMs = now.getTime()
    counted.catch(() => {
      if (this.#counted === counted) this.#counted = null
    })
    return counted
  }
}
