import { createHash } from 'node:crypto'
import buildSerializer from 'fast-json-stringify'
import type { Queryable } from '../db/pool.ts'
import { type Facet, facets, Vocabulary } from '../search/query/vocabulary.ts'
import { readTaxonomy, type TaxonomyRow } from './queries.ts'
import { facetLists, TaxonomyContent } from './schema.ts'

/** The taxonomy at one version, ready for use: what filters mean, and what `GET /taxonomy` answers. Immutable. */
export interface Taxonomy {
  /** The database's count of changes. */
  version: number
  vocabulary: Vocabulary
  /** The reply without its request id, rendered once. */
  content: string
  /** Strong, over the content: equal in every process that serves the same. */
  etag: string
}

export async function loadTaxonomy(db: Queryable): Promise<Taxonomy> {
  const { version, values } = await readTaxonomy(db)
  return { version, vocabulary: new Vocabulary(values), ...renderContent(values) }
}

/** The body of a reply: the content with the one field that is the request's own. */
export function renderTaxonomyReply(taxonomy: Taxonomy, requestId: string): string {
  return `${taxonomy.content.slice(0, -1)},"request_id":${JSON.stringify(requestId)}}`
}

const serialize = buildSerializer(TaxonomyContent as object)

function renderContent(values: TaxonomyRow[]): { content: string; etag: string } {
  const itemsOf = (facet: Facet) =>
    values
      .filter((row) => row.facet === facet)
      .map(({ deprecated, ...item }) => (deprecated ? { ...item, deprecated } : item))
  const lists = Object.fromEntries(facets.map((facet) => [facetLists[facet], itemsOf(facet)]))
  const render = (version: string) => serialize({ object: 'taxonomy', version, ...lists })
  const hash = createHash('sha256').update(render('')).digest('hex')
  return { content: render(hash.slice(0, 12)), etag: `"${hash.slice(0, 32)}"` }
}
