import { catalogueVersionSql } from '../../customers/ledger/statement/allowance-queries.ts'
import type { Queryable } from '../../foundation/db/pool.ts'

export async function readCatalogueVersion(db: Queryable): Promise<string> {
  const { rows } = await db.query<{ version: string }>({
    name: 'read_catalogue_version',
    text: `select ${catalogueVersionSql} as version`,
  })
  return rows[0]!.version
}

/** What changed in the catalogue since a version. */
export interface CatalogueChanges {
  /** The version now. */
  version: string
  /** False while rows of its batch may be missing, which happens where tables are spread over machines. */
  isComplete: boolean
  /** Stores that were changed or removed; null if they are too many, or if this history does not have the version. */
  storeIds: number[] | null
}

/** Of so many newest batches the reader without a version checks that they are complete. */
const checkedBatches = 100

/** Reads what changed since a version, unless more than `maxStores` stores did; null: since the beginning. */
export async function readCatalogueChanges(
  db: Queryable,
  since: string | null,
  maxStores: number,
): Promise<CatalogueChanges> {
  const [batch = '', mark = ''] = since?.split(':') ?? []
  const { rows } = await db.query<{ version: string; is_known: boolean; is_complete: boolean; ids: string | null }>({
    name: 'read_catalogue_changes',
    text: `
with newest as materialized (
  select batch, greatest($1::bigint, batch - ${checkedBatches}) as checked_after from catalogue_state
), written as materialized (
  select batch, count(*) as stores from stores where batch > (select checked_after from newest) group by batch
), removed as materialized (
  select batch, count(*) as stores from removed_stores where batch > (select checked_after from newest) group by batch
), changed as materialized (
  select id, batch from stores where batch > $1::bigint order by batch limit $3::integer
), dropped as materialized (
  select store_id as id from removed_stores where batch > $1::bigint limit $3::integer
)
select ${catalogueVersionSql} as version,
       coalesce($1::bigint = 0 or exists (
         select 1 from catalogue_batches where batch = $1::bigint and mark is not distinct from $2::bigint
       ), false) as is_known,
       not exists (
         select 1
         from catalogue_batches b
         left join written w on w.batch = b.batch
         left join removed r on r.batch = b.batch
         where b.batch > (select checked_after from newest) and b.stores <> coalesce(w.stores, 0) + coalesce(r.stores, 0)
       ) as is_complete,
       (select string_agg(id::text, ',') from (select id from changed union all select id from dropped) ids) as ids`,
    values: [since === null ? null : batch, mark === '' ? null : mark, maxStores + 1],
  })
  const { version, is_known, is_complete, ids } = rows[0]!
  const storeIds = ids === null ? [] : ids.split(',').map(Number)
  return { version, isComplete: is_complete, storeIds: is_known && storeIds.length <= maxStores ? storeIds : null }
}
