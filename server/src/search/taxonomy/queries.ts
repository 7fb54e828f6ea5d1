import type { Client, Queryable } from '../../foundation/db/pool.ts'
import type { Facet } from '../query/vocabulary.ts'

/** The attributes of a value, except its token. */
export interface TaxonomyEntry {
  facet: Facet
  value: string
  label: string
  parent: string | null
  category: string | null
  min: number | null
  max: number | null
  position: number
  deprecated: boolean
}

export interface TaxonomyRow extends TaxonomyEntry {
  token: number
}

export async function readTaxonomyVersion(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ version: number }>('select taxonomy_version as version from catalogue_state')
  return rows[0]!.version
}

/** Returns all values in display order with the version; one statement, so that they match. */
export async function readTaxonomy(db: Queryable): Promise<{ version: number; values: TaxonomyRow[] }> {
  const { rows } = await db.query<{ version: number } & ({ facet: null } | TaxonomyRow)>(`
    select state.taxonomy_version as version,
           item.facet, item.value, item.token, item.label, item.parent, item.category, item.min, item.max,
           item.position, item.deprecated
    from catalogue_state as state
    left join taxonomy_values as item on true
    order by item.facet, item.position, item.value`)
  // An empty taxonomy is one row that has only the version.
  return { version: rows[0]!.version, values: rows.filter((row) => row.facet !== null) }
}

/** Locks the taxonomy until the transaction ends, with the same row lock as `lockCatalogue`. */
export async function lockTaxonomy(client: Client): Promise<void> {
  await client.query('select taxonomy_version from catalogue_state for update')
}

export async function bumpTaxonomyVersion(client: Client): Promise<void> {
  await client.query('update catalogue_state set taxonomy_version = taxonomy_version + 1')
}

export async function insertTaxonomyValues(client: Client, entries: TaxonomyEntry[]): Promise<void> {
  await client.query(
    `insert into taxonomy_values (facet, value, label, parent, category, min, max, position, deprecated)
     select facet, value, label, parent, category, min, max, position, deprecated
     from jsonb_populate_recordset(null::taxonomy_values, $1::jsonb)`,
    [JSON.stringify(entries)],
  )
}

export async function updateTaxonomyValues(client: Client, entries: TaxonomyEntry[]): Promise<void> {
  await client.query(
    `update taxonomy_values as item
     set label = fresh.label, parent = fresh.parent, category = fresh.category, min = fresh.min, max = fresh.max,
         position = fresh.position, deprecated = fresh.deprecated
     from jsonb_populate_recordset(null::taxonomy_values, $1::jsonb) as fresh
     where item.facet = fresh.facet and item.value = fresh.value`,
    [JSON.stringify(entries)],
  )
}

/** Returns which of the named values exist. */
export async function findTaxonomyValues(
  db: Queryable,
  named: { facet: Facet; value: string }[],
): Promise<{ facet: Facet; value: string }[]> {
  const { rows } = await db.query<{ facet: Facet; value: string }>(
    `select item.facet, item.value
     from jsonb_to_recordset($1::jsonb) as named (facet text, value text)
     join taxonomy_values as item on item.facet = named.facet and item.value = named.value`,
    [JSON.stringify(named)],
  )
  return rows
}
