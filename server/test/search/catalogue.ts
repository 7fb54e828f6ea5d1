import type { Queryable } from '../../src/db/pool.ts'

/** A store as the search sees it; the document says which one it is. */
export interface SearchRow {
  mode: 'live' | 'test'
  negatedScore: number
  tokens: number[]
  activeAds: number | null
  createdEstimate: Date | null
  firstDiscoveredAt: Date | null
  document: string
}

export const plainRow: SearchRow = {
  mode: 'live',
  negatedScore: 0,
  tokens: [],
  activeAds: null,
  createdEstimate: null,
  firstDiscoveredAt: null,
  document: '{}',
}

/** Writes rows straight into the table, as an import would leave them, and returns their ids in order. */
export async function insertRows(db: Queryable, rows: SearchRow[]): Promise<number[]> {
  const { rows: inserted } = await db.query<{ id: number }>(
    `insert into stores (mode, batch, negated_score, tokens, active_ads, created_estimate, first_discovered_at, document, document_version)
     select row.mode, 1, row.negated_score, row.tokens, row.active_ads, row.created_estimate, row.first_discovered_at, row.document, 1
     from jsonb_to_recordset($1::jsonb) as row (
       mode text, negated_score double precision, tokens integer[], active_ads integer,
       created_estimate timestamptz, first_discovered_at timestamptz, document text
     )
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
        })),
      ),
    ],
  )
  return inserted.map((row) => row.id)
}
