import { type Condition, isSingle, type PeerQuery, severalFacets, singleFacets } from './facets.ts'
import { arrayOf, type PostgresDesign, rangeColumns, rangeConditionsOf, rangeValuesOf } from './postgres.ts'

const ordered = ['category', 'country', 'traffic_tier', 'revenue_tier', 'theme_type']

/** A column for each facet, each with an index that continues in result order. */
export const columnsDesign: PostgresDesign = {
  name: 'PostgreSQL, column indexes',
  schema: 'columns',
  settings: [
    'stores (rank, category, country, both tiers, theme type, plus, app[], pixel[], people[], ads, created, discovered); B-tree on rank covering all but the arrays; B-trees (category, rank), (country, rank), (traffic tier, rank), (revenue tier, rank), (theme type, rank), (rank) where plus; GIN on each array without fast update; B-trees on ads, created, discovered',
  ],
  columns: [
    ...singleFacets.map((facet) => `${facet} integer not null`),
    ...severalFacets.map((facet) => `${facet} integer[] not null`),
    ...rangeColumns,
  ],
  valuesOf: (row) => [
    ...singleFacets.map((facet) => String(row.single[facet])),
    ...severalFacets.map((facet) => arrayOf(row.several[facet])),
    ...rangeValuesOf(row),
  ],
  indexes: [
    `create unique index stores_in_order on stores (rank) include (${[...singleFacets, 'ads', 'created', 'discovered']})`,
    ...ordered.map((column) => `create index on stores (${column}, rank)`),
    'create index on stores (rank) where plus = 1',
    ...severalFacets.map((column) => `create index on stores using gin (${column}) with (fastupdate = off)`),
    ...['ads', 'created', 'discovered'].map((column) => `create index on stores (${column})`),
  ],
  conditionsOf(query: PeerQuery) {
    const excluded = ({ facet, tokens }: Condition) =>
      isSingle(facet) ? `${facet} not in (${tokens.join()})` : `not ${facet} && '${arrayOf(tokens)}'`
    return [...query.all.map(required), ...query.none.map(excluded), ...rangeConditionsOf(query)]
  },
}

function required({ facet, tokens }: Condition): string {
  if (isSingle(facet)) return tokens.length === 1 ? `${facet} = ${tokens[0]}` : `${facet} in (${tokens.join()})`
  return `${facet} ${tokens.length === 1 ? '@>' : '&&'} '${arrayOf(tokens)}'`
}

/** All tokens of a store in one array with an inverted index. */
export const ginDesign: PostgresDesign = {
  name: 'PostgreSQL, GIN on tokens',
  schema: 'gin',
  settings: [
    'stores (rank, tokens integer[], ads, created, discovered); GIN on tokens without fast update, B-tree on rank covering all columns, B-trees on ads, created, discovered',
  ],
  columns: ['tokens integer[] not null', ...rangeColumns],
  valuesOf: (row) => [arrayOf(row.tokens), ...rangeValuesOf(row)],
  indexes: [
    'create unique index stores_in_order on stores (rank) include (tokens, ads, created, discovered)',
    'create index on stores using gin (tokens) with (fastupdate = off)',
    'create index on stores (ads)',
    'create index on stores (created)',
    'create index on stores (discovered)',
  ],
  conditionsOf(query: PeerQuery) {
    const { all, none } = query
    const required = all.flatMap(({ tokens }) => (tokens.length === 1 ? tokens : []))
    const unwanted = none.flatMap(({ tokens }) => tokens)
    return [
      ...(required.length > 0 ? [`tokens @> '${arrayOf(required)}'`] : []),
      ...all.flatMap(({ tokens }) => (tokens.length > 1 ? [`tokens && '${arrayOf(tokens)}'`] : [])),
      ...(unwanted.length > 0 ? [`not tokens && '${arrayOf(unwanted)}'`] : []),
      ...rangeConditionsOf(query),
    ]
  },
}
