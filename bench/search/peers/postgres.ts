import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Cleanup } from '@storedex/testkit'
import pg from 'pg'
import copyStreams from 'pg-copy-streams'
import { openDatabaseServer } from '../../../server/src/foundation/db/embedded.ts'
import type { BenchCatalogue, ResultOrder } from '../catalogue/result-order.ts'
import {
  contactRowKey,
  type Engine,
  type PreparedSearch,
  type Search,
  SearchTimeout,
  searchTimeoutMs,
} from '../engine.ts'
import { FacetsOfTokens, type PeerQuery, readQuery } from './facets.ts'
import { type PeerRow, peerContacts, peerRows } from './rows.ts'

/** A table design for PostgreSQL, in a schema of its own. */
export interface PostgresDesign {
  name: string
  schema: string
  settings: readonly string[]
  /** Columns of `stores` beside `rank`, with their types. */
  columns: readonly string[]
  /** Their values in the text format of COPY. */
  valuesOf(row: PeerRow): readonly string[]
  /** Statements that run after the rows are loaded. */
  indexes: readonly string[]
  /** Conditions on `stores`, with the values written in. */
  conditionsOf(query: PeerQuery): string[]
}

const serverSettings = {
  shared_buffers: '4GB',
  effective_cache_size: '12GB',
  work_mem: '256MB',
  maintenance_work_mem: '1GB',
  max_wal_size: '8GB',
  max_parallel_workers_per_gather: '0',
  autovacuum: 'off',
  jit: 'off',
  random_page_cost: '1.1',
  default_statistics_target: '1000',
}

/** Starts the server that the designs share. */
export async function openPeerServer(folder: string, cleanup: Cleanup): Promise<string> {
  const dataDir = join(folder, 'peers')
  const server = await openDatabaseServer({ dataDir, settings: serverSettings })
  const home = realpathSync(join(dataDir, 'postgres'))
  cleanup.add(async () => {
    await server.release()
    rmSync(home, { recursive: true, force: true })
  })
  const url = new URL(server.url)
  url.username = 'postgres'
  return url.href
}

/** The embedded PostgreSQL with the tables of a design. */
export class PostgresEngine implements Engine {
  readonly name: string
  readonly settings: readonly string[]
  readonly #design: PostgresDesign
  readonly #client: pg.Client
  #order!: ResultOrder
  #facets!: FacetsOfTokens

  constructor(url: string, design: PostgresDesign) {
    this.name = design.name
    this.settings = [
      Object.entries(serverSettings)
        .map(([name, value]) => `${name} = ${value}`)
        .join(', '),
      'rows copied in result order, vacuumed, analyzed, prewarmed; one local connection',
      'each search is a prepared statement with its values written in: planned for these very values, once, beforehand',
      ...design.settings,
      'contacts (rank, sort_key, role, traits), primary key (rank, sort_key) including role and traits; people by a lateral join',
    ]
    this.#design = design
    this.#client = new pg.Client({
      connectionString: url,
      options: `-c search_path=${design.schema},public`,
    })
  }

  async load(catalogue: BenchCatalogue): Promise<void> {
    this.#order = catalogue.order
    this.#facets = new FacetsOfTokens(catalogue.terms)
    const { schema, columns, valuesOf, indexes } = this.#design
    await this.#client.connect()
    await this.#client.query(`create schema ${schema}`)
    await this.#client.query(`create table stores (rank integer not null, ${columns.join(', ')})`)
    await this.#client.query(
      'create table contacts (rank integer not null, sort_key integer not null, role integer not null, traits smallint not null)',
    )
    await this.#copy('stores', function* () {
      for (const row of peerRows(catalogue)) yield `${row.rank}\t${valuesOf(row).join('\t')}\n`
    })
    await this.#copy('contacts', function* () {
      for (const { rank, sortKey, role, traits } of peerContacts(catalogue))
        yield `${rank}\t${sortKey}\t${role}\t${traits}\n`
    })
    for (const index of indexes) await this.#client.query(index)
    await this.#client.query('create unique index contacts_key on contacts (rank, sort_key) include (role, traits)')
    await this.#client.query('vacuum (analyze) stores')
    await this.#client.query('vacuum (analyze) contacts')
    await this.#client.query('create extension if not exists pg_prewarm with schema public')
    await this.#client.query(
      `select pg_prewarm(oid) from pg_class where relnamespace = '${schema}'::regnamespace and relkind in ('r', 'i')`,
    )
    await this.#client.query(`set statement_timeout = ${searchTimeoutMs}`)
  }

  async #copy(table: string, lines: () => Iterable<string>): Promise<void> {
    const copy = this.#client.query(copyStreams.from(`copy ${table} from stdin`))
    await pipeline(Readable.from(inBlocks(lines())), copy)
  }

  prepare(search: Search): PreparedSearch {
    const query = readQuery(search, this.#facets)
    if (!query) return () => []
    const text = search.kind === 'stores' ? this.#storesText(search, query) : this.#peopleText(search, query)
    const name = createHash('sha256').update(text).digest('hex').slice(0, 32)
    return async () => {
      const rows = await this.#ask(name, text)
      return search.kind === 'stores'
        ? rows.map(([rank]) => this.#order.storeIdAt(rank!))
        : rows.map(([rank, contact]) =>
            contactRowKey({ storeId: this.#order.storeIdAt(rank!), contact: contact!, negatedScore: 0 }),
          )
    }
  }

  async #ask(name: string, text: string): Promise<number[][]> {
    try {
      const { rows } = await this.#client.query<number[]>({ name, text, rowMode: 'array' })
      return rows
    } catch (error) {
      throw (error as { code?: string }).code === '57014' ? new SearchTimeout() : error
    }
  }

  #storesText({ after, limit }: Search, query: PeerQuery): string {
    const conditions = this.#design.conditionsOf(query)
    if (after) conditions.push(`rank > ${this.#order.rankOf(after.storeId)}`)
    return `select rank from stores ${where(conditions)} order by rank limit ${limit}`
  }

  #peopleText(search: Search & { kind: 'contacts' }, query: PeerQuery): string {
    const { after, limit, maxPerStore, storeIds } = search
    const { roleTokens, traits } = search.person
    const conditions = this.#design.conditionsOf(query)
    const position = after && this.#order.rankOf(after.storeId)
    if (position !== null) conditions.push(`rank >= ${position}`)
    if (storeIds) conditions.push(`rank in (${storeIds.map((id) => this.#order.rankOf(id)).join()})`)
    const personConditions = ['c.rank = s.rank']
    if (roleTokens) personConditions.push(`role in (${roleTokens.join()})`)
    if (traits) personConditions.push(`traits in (${traits.join()})`)
    return `
      with page_stores as materialized (
        select rank from stores ${where(conditions)} order by rank limit ${limit + 1}
      )
      select rank, sort_key
      from page_stores s
      cross join lateral (
        select sort_key from contacts c ${where(personConditions)} order by sort_key limit ${maxPerStore}
      ) people
      ${after ? `where (rank, sort_key) > (${position}, ${after.contact})` : ''}
      order by rank, sort_key
      limit ${limit}`
  }

  /** The rows of any query. */
  async ask(sql: string): Promise<number[][]> {
    const { rows } = await this.#client.query<(string | number)[]>({ text: sql, rowMode: 'array' })
    return rows.map((row) => row.map(Number))
  }

  async countBytes(): Promise<number> {
    const { rows } = await this.#client.query<{ bytes: string }>(
      `select sum(pg_total_relation_size(oid)) as bytes
       from pg_class where relnamespace = '${this.#design.schema}'::regnamespace and relkind = 'r'`,
    )
    return Number(rows[0]!.bytes)
  }

  async close(): Promise<void> {
    const ended = once(this.#client, 'end')
    await this.#client.end()
    await ended
  }
}

/** Columns of both designs. */
export const rangeColumns = ['ads integer not null', 'created integer', 'discovered integer']

export function rangeValuesOf({ activeAds, created, discovered }: PeerRow): string[] {
  return [String(activeAds), String(created ?? '\\N'), String(discovered ?? '\\N')]
}

export function rangeConditionsOf({ minAds, ranges }: PeerQuery): string[] {
  return [
    ...(minAds === null ? [] : [`ads >= ${minAds}`]),
    ...ranges.flatMap(({ column, from, to }) => [
      ...(from === null ? [] : [`${column} >= ${from}`]),
      ...(to === null ? [] : [`${column} <= ${to}`]),
    ]),
  ]
}

/** An array literal for COPY and for statements. */
export function arrayOf(tokens: ArrayLike<number>): string {
  return `{${Array.prototype.join.call(tokens, ',')}}`
}

function where(conditions: readonly string[]): string {
  return conditions.length > 0 ? `where ${conditions.join(' and ')}` : ''
}

function* inBlocks(lines: Iterable<string>): Generator<Buffer> {
  let block = ''
  for (const line of lines) {
    block += line
    if (block.length < 1 << 16) continue
    yield Buffer.from(block)
    block = ''
  }
  if (block !== '') yield Buffer.from(block)
}
