import type { Queryable } from '../../../src/db/pool.ts'

/** A store as the search sees it; the document says which one it is. */
export interface SearchRow {
  mode: 'live' | 'test'
  negatedScore: number
  tokens: number[]
  activeAds: number | null
  createdEstimate: Date | null
  firstDiscoveredAt: Date | null
  document: string
  /** The store's part of a contact preview. */
  preview: string
}

/** A person as the search sees them; the preview says who it is. */
export interface PersonRow {
  storeId: number
  number: number
  role: string | null
  /** Packed. */
  traits: number
  preview: string
}

export const plainRow: SearchRow = {
  mode: 'live',
  negatedScore: 0,
  tokens: [],
  activeAds: null,
  createdEstimate: null,
  firstDiscoveredAt: null,
  document: '{}',
  preview: '{}',
}

/** Writes rows straight into the table, as an import would leave them, in one batch, and returns their ids in order. */
export async function insertRows(db: Queryable, rows: SearchRow[]): Promise<number[]> {
  const { rows: inserted } = await db.query<{ id: number }>(
    `with ${nextBatch}
     insert into stores (mode, batch, negated_score, tokens, active_ads, created_estimate, first_discovered_at, document, document_version, preview)
     select row.mode, batch, row.negated_score, row.tokens, row.active_ads, row.created_estimate, row.first_discovered_at, row.document, 1, row.preview
     from jsonb_to_recordset($1::jsonb) as row (
       mode text, negated_score double precision, tokens integer[], active_ads integer,
       created_estimate timestamptz, first_discovered_at timestamptz, document text, preview text
     )
     cross join numbered
     returning id`,
    [
      JSON.stringify(
        rows.map((row) => ({
          mode: row.mode,
          // JSON has no Infinity; PostgreSQL reads the word.
          negated_score: String(row.negatedScore),
          tokens: row.tokens,
          active_ads: row.activeAds,
          created_estimate: row.createdEstimate,
          first_discovered_at: row.firstDiscoveredAt,
          document: row.document,
          preview: row.preview,
        })),
      ),
    ],
  )
  return inserted.map((row) => row.id)
}

/** Writes people straight into the table. That their stores have the tokens of them is the caller's to see to. */
export async function insertPeople(db: Queryable, people: PersonRow[]): Promise<void> {
  await db.query(
    `with ${nextBatch}, told as (
       update stores set batch = numbered.batch from numbered
       where id in (select store_id from jsonb_to_recordset($1::jsonb) as row (store_id bigint))
     )
     insert into contacts (store_id, number, external_key, role, traits, revealable, verified_revealable, verified_emails,
       preview, preview_version, identities, sealed)
     select row.store_id, row.number, int4send(row.number), row.role, row.traits, true, true, 0, row.preview, 1, '{}', ''
     from jsonb_to_recordset($1::jsonb) as row (store_id bigint, number integer, role text, traits integer, preview text)`,
    [JSON.stringify(people.map(({ storeId, ...person }) => ({ store_id: storeId, ...person })))],
  )
}

const nextBatch = `numbered as (update catalogue_state set batch = batch + 1 returning batch),
     marked as (insert into catalogue_batches (batch, mark) select batch, batch from numbered)`
