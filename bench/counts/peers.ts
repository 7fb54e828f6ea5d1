import type { StoreQuery } from '@storedex/search-index'
import type { StoreFacetName } from '../../server/src/product/counts/schema.ts'
import type { BenchTaxonomy } from '../search/catalogue/taxonomy.ts'
import type { Engine } from '../search/engine.ts'
import { conditionsOf, DuckDbEngine } from '../search/peers/duckdb.ts'
import { FacetsOfTokens, type PeerQuery, readQuery, type SingleFacet } from '../search/peers/facets.ts'
import { PostgresEngine } from '../search/peers/postgres.ts'
import { columnsDesign } from '../search/peers/postgres-designs.ts'
import { SqliteEngine } from '../search/peers/sqlite.ts'

/** A peer that counts: a statement for the total, and one for each facet. */
export interface CountingPeer {
  name: string
  total(query: StoreQuery): Promise<number>
  /** The greatest counts of a facet, of categories all. */
  facet(query: StoreQuery, name: StoreFacetName): Promise<number[]>
}

const columnOf: Partial<Record<StoreFacetName, SingleFacet>> = {
  categories: 'category',
  countries: 'country',
  traffic_tiers: 'traffic_tier',
  revenue_tiers: 'revenue_tier',
  platform_plus: 'plus',
  theme_types: 'theme_type',
}
const facetLimit = 20

/** Null for an engine whose tables are not made for counting. */
export function countingPeer(engine: Engine, taxonomy: BenchTaxonomy): CountingPeer | null {
  const facets = new FacetsOfTokens(taxonomy.terms)
  const tokensOf = (name: StoreFacetName) => {
    const facet = name === 'apps' ? 'app' : name === 'pixels' ? 'pixel' : 'role'
    return taxonomy.terms.filter((term) => term.facet === facet).map(({ token }) => token)
  }
  const greatest = (name: StoreFacetName) => (name === 'categories' ? '' : ` order by 2 desc limit ${facetLimit}`)
  const counter = (
    ask: (sql: string) => Promise<number[][]>,
    conditions: (query: PeerQuery) => string[],
    multiFacet: (name: StoreFacetName, where: string) => string,
  ): CountingPeer => {
    const whereOf = (query: StoreQuery) => {
      const read = readQuery({ kind: 'stores', mode: 'live', query, after: null, limit: 1 }, facets)
      return read && `where ${['true', ...conditions(read)].join(' and ')}`
    }
    return {
      name: engine.name,
      total: async (query) => {
        const where = whereOf(query)
        return where === null ? 0 : (await ask(`select count(*) from stores ${where}`))[0]![0]!
      },
      facet: async (query, name) => {
        const where = whereOf(query)
        if (where === null) return []
        const column = columnOf[name]
        const sql = column
          ? `select ${column}, count(*) from stores ${where} group by 1${greatest(name)}`
          : `${multiFacet(name, where)}${greatest(name)}`
        return (await ask(sql)).map(([, count]) => count!)
      },
    }
  }
  if (engine instanceof PostgresEngine && engine.name === columnsDesign.name)
    return counter(
      (sql) => engine.ask(sql),
      (query) => columnsDesign.conditionsOf(query),
      (name, where) =>
        name === 'contact_roles'
          ? `select t, count(*) from stores cross join lateral unnest(people) t ${where} and t in (${tokensOf(name)}) group by 1`
          : `select t, count(*) from stores cross join lateral unnest(${name === 'apps' ? 'app' : 'pixel'}) t ${where} group by 1`,
    )
  const fromPostings = (codes: (tokens: number[]) => number[]) => (name: StoreFacetName, where: string) =>
    `select token, count(*) from postings where token in (${codes(tokensOf(name))}) and rank in (select rank from stores ${where}) group by 1`
  if (engine instanceof DuckDbEngine)
    return counter(
      async (sql) => rowsOf(await engine.ask(sql)),
      (query) => conditionsOf(query, ''),
      fromPostings((tokens) => tokens),
    )
  if (engine instanceof SqliteEngine) {
    const coded = (query: PeerQuery): PeerQuery => {
      const code = (condition: PeerQuery['all'][number]) =>
        columnOfFacet(condition.facet) ? condition : { ...condition, tokens: engine.codesOf(condition.tokens) }
      return { ...query, all: query.all.map(code), none: query.none.map(code) }
    }
    return counter(
      async (sql) => engine.ask(sql),
      (query) => conditionsOf(coded(query), ''),
      fromPostings((tokens) => engine.codesOf(tokens)),
    )
  }
  return null
}

function columnOfFacet(facet: string): boolean {
  return Object.values(columnOf).includes(facet as SingleFacet)
}

/** DuckDB counts in 64 bits, which JavaScript reads as BigInt. */
function rowsOf(columns: (number | bigint)[][]): number[][] {
  return (columns[0] ?? []).map((_, row) => columns.map((column) => Number(column[row])))
}
