import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { BenchCatalogue, ResultOrder } from '../catalogue/result-order.ts'
import { type Engine, type PreparedSearch, type Search, SearchTimeout, searchTimeoutMs } from '../engine.ts'
import { type Condition, FacetsOfTokens, isSingle, type PeerQuery, readQuery, singleFacets } from './facets.ts'
import { loadPeerPackage } from './install.ts'
import { contactPage, peerContacts, peerRows, postingLists } from './rows.ts'

/** The used part of `@duckdb/node-api`. */
interface DuckDb {
  DuckDBInstance: { create(path: string, options: Record<string, string>): Promise<Instance> }
}
interface Instance {
  connect(): Promise<Connection>
  closeSync(): void
}
interface Connection {
  run(sql: string): Promise<unknown>
  prepare(sql: string): Promise<Prepared>
  createAppender(table: string): Promise<Appender>
  interrupt(): void
  closeSync(): void
}
interface Prepared {
  bindInteger(index: number, value: number): void
  runAndReadAll(): Promise<{ getColumns(): number[][] }>
}
interface Appender {
  appendInteger(value: number): void
  appendNull(): void
  endRow(): void
  closeSync(): void
}

/** Length of the first range of ranks that is searched, and the growth of each further one. */
const firstStretch = 65_536
const stretchGrowth = 16

export function openDuckDb(folder: string, threads: number): DuckDbEngine | undefined {
  const duckdb = loadPeerPackage<DuckDb>('@duckdb/node-api')
  return duckdb && new DuckDbEngine(duckdb, join(folder, `peer-${threads}.duckdb`), threads)
}

/** DuckDB, in this process: columns in result order, and a table of tokens beside them. */
export class DuckDbEngine implements Engine {
  readonly name: string
  readonly settings: readonly string[]
  readonly #duckdb: DuckDb
  readonly #file: string
  readonly #threads: number
  #instance!: Instance
  #connection!: Connection
  #order!: ResultOrder
  #facets!: FacetsOfTokens
  #stores = 0

  constructor(duckdb: DuckDb, file: string, threads: number) {
    this.name = threads === 1 ? 'DuckDB' : `DuckDB, ${threads} threads`
    this.settings = [
      `threads = ${threads}, memory_limit = 4 GB, in this process, database in a file that is in the page cache, prepared statements`,
      'stores (rank, category, country, both tiers, theme, plus, ads, created, discovered) in result order, integers only',
      'postings (token, rank), sorted, for apps, pixels and people: semi and anti joins, which beat lists',
      `the order is looked at in stretches of ${firstStretch} stores, then ${stretchGrowth} times as many each, so that broad searches stop early`,
      'contacts (rank, sort_key, role, traits), sorted: read by the ranks of the stores found',
    ]
    this.#duckdb = duckdb
    this.#file = file
    this.#threads = threads
  }

  async load(catalogue: BenchCatalogue): Promise<void> {
    this.#order = catalogue.order
    this.#facets = new FacetsOfTokens(catalogue.terms)
    this.#stores = catalogue.staged.size
    this.#instance = await this.#duckdb.DuckDBInstance.create(this.#file, {
      threads: String(this.#threads),
      memory_limit: '4GB',
    })
    this.#connection = await this.#instance.connect()
    const columns = [...singleFacets, 'ads', 'created', 'discovered'].map((name) => `${name} integer`)
    await this.#connection.run(`create table stores (rank integer, ${columns.join(', ')})`)
    await this.#connection.run('create table postings (token integer, rank integer)')
    await this.#connection.run('create table contacts (rank integer, sort_key integer, role integer, traits integer)')
    await this.#append('stores', function* () {
      for (const { rank, single, activeAds, created, discovered } of peerRows(catalogue))
        yield [rank, ...singleFacets.map((facet) => single[facet]), activeAds, created, discovered]
    })
    const facets = this.#facets
    await this.#append('postings', function* () {
      for (const [token, ranks] of postingLists(catalogue))
        if (!isSingle(facets.of(token))) for (const rank of ranks) yield [token, rank]
    })
    await this.#append('contacts', function* () {
      for (const { rank, sortKey, role, traits } of peerContacts(catalogue)) yield [rank, sortKey, role, traits]
    })
    await this.#connection.run('checkpoint')
  }

  async #append(table: string, rows: () => Iterable<(number | null)[]>): Promise<void> {
    const appender = await this.#connection.createAppender(table)
    for (const row of rows()) {
      for (const value of row) value === null ? appender.appendNull() : appender.appendInteger(value)
      appender.endRow()
    }
    appender.closeSync()
  }

  async prepare(search: Search): Promise<PreparedSearch> {
    const query = readQuery(search, this.#facets)
    if (!query) return () => []
    const findStores = await this.#prepareStores(query, search)
    if (search.kind === 'stores') return async () => (await findStores()).map((rank) => this.#order.storeIdAt(rank))

    const { roleTokens, traits } = search.person
    const personConditions = [
      ...(roleTokens ? [`role in (${roleTokens.join()})`] : []),
      ...(traits ? [`traits in (${traits.join()})`] : []),
    ]
    const ranks = Array.from({ length: search.limit + 1 }, (_, index) => `$${index + 1}`)
    const people = await this.#connection.prepare(
      `select rank, sort_key from contacts where ${[`rank in (${ranks})`, ...personConditions].join(' and ')} order by rank, sort_key`,
    )
    return async () => {
      const stores = await findStores()
      if (stores.length === 0) return []
      ranks.forEach((_, index) => void people.bindInteger(index + 1, stores[index] ?? stores[0]!))
      const [foundRanks = [], places = []] = await this.#run(people)
      const found = foundRanks.map((rank, index): [number, number] => [rank, places[index]!])
      return contactPage(this.#order, found, search)
    }
  }

  async #prepareStores(query: PeerQuery, search: Search): Promise<() => Promise<number[]>> {
    const position = search.after && this.#order.rankOf(search.after.storeId)
    const start = position === null ? 0 : search.kind === 'stores' ? position + 1 : position
    const limit = search.kind === 'stores' ? search.limit : search.limit + 1
    const named = search.kind === 'contacts' && search.storeIds
    const conditions = conditionsOf(query)
    if (named) conditions.push(`rank in (${named.map((storeId) => this.#order.rankOf(storeId)).join()})`)
    const statement = await this.#connection.prepare(
      `select rank from stores where ${['rank between $1 and $2', ...conditions].join(' and ')} order by rank limit ${limit}`,
    )
    return async () => {
      const found: number[] = []
      let [from, length] = [start, named ? this.#stores : firstStretch]
      while (from < this.#stores && found.length < limit) {
        statement.bindInteger(1, from)
        statement.bindInteger(2, from + length - 1)
        const [ranks = []] = await this.#run(statement)
        found.push(...ranks.slice(0, limit - found.length))
        from += length
        length *= stretchGrowth
      }
      return found
    }
  }

  async #run(statement: Prepared): Promise<number[][]> {
    let interrupted = false
    const timer = setTimeout(() => {
      interrupted = true
      this.#connection.interrupt()
    }, searchTimeoutMs)
    try {
      return (await statement.runAndReadAll()).getColumns()
    } catch (error) {
      throw interrupted ? new SearchTimeout() : error
    } finally {
      clearTimeout(timer)
    }
  }

  /** The rows of any query, as columns. */
  async ask(sql: string): Promise<number[][]> {
    return this.#run(await this.#connection.prepare(sql))
  }

  countBytes(): number {
    return statSync(this.#file).size
  }

  close(): void {
    this.#connection.closeSync()
    this.#instance.closeSync()
  }
}

/** Conditions on `stores`; those on multi-valued facets use the postings of the same range. */
export function conditionsOf(
  { all, none, minAds, ranges }: PeerQuery,
  stretch = ' and rank between $1 and $2',
): string[] {
  const among = ({ facet, tokens }: Condition, not: '' | 'not ') =>
    isSingle(facet)
      ? `${facet} ${not}in (${tokens.join()})`
      : `rank ${not}in (select rank from postings where token in (${tokens.join()})${stretch})`
  return [
    ...all.map((condition) => among(condition, '')),
    ...none.map((condition) => among(condition, 'not ')),
    ...(minAds === null ? [] : [`ads >= ${minAds}`]),
    ...ranges.flatMap(({ column, from, to }) => [
      ...(from === null ? [] : [`${column} >= ${from}`]),
      ...(to === null ? [] : [`${column} <= ${to}`]),
    ]),
  ]
}
