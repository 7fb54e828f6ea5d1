import type { PeerQuery } from './facets.ts'
import { arrayOf, type PostgresDesign, rangeColumns, rangeConditionsOf, rangeValuesOf } from './postgres.ts'

/** All tokens of a store in one array, under an inverted index. */
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
