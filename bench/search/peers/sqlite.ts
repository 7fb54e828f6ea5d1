import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { BenchCatalogue, ResultOrder } from '../catalogue/result-order.ts'
import type { Engine, PreparedSearch, Search } from '../engine.ts'
import { FacetsOfTokens, readQuery, singleFacets } from './facets.ts'
import { loadPeerPackage } from './install.ts'
import { contactPage, peerContacts, peerRows, postingLists } from './rows.ts'
import { type KnownCounts, planStatement } from './sqlite-plan.ts'

/** The used part of `better-sqlite3`. */
interface Database {
  pragma(text: string): unknown
  exec(sql: string): void
  prepare(sql: string): Statement
  close(): void
}
interface Statement {
  run(...values: unknown[]): void
  pluck(): Statement
  raw(): Statement
  all(...values: number[]): number[]
  get(...values: number[]): number
}

const rowsAtOnce = 20_000
/** Above all codes of tokens. */
const codes = 8_192

export function openSqlite(folder: string): SqliteEngine | undefined {
  const Sqlite = loadPeerPackage<new (file: string) => Database>('better-sqlite3')
  try {
    return Sqlite && new SqliteEngine(Sqlite, join(folder, 'peer.sqlite'))
  } catch (error) {
    // Installed without being compiled.
    if (String(error).includes('bindings file')) return undefined
    throw error
  }
}

/** SQLite, in this process: tables that are indexes, and a plan of our own for each search. */
export class SqliteEngine implements Engine {
  readonly name = 'SQLite'
  readonly settings = [
    'in this process, file in the page cache: mmap_size = 16 GB, cache_size = 1 GB, page_size = 8192, locking_mode = exclusive, journal_mode = off, analyzed, prepared statements',
    'stores (rank, category, country, both tiers, theme, plus, ads, created, discovered) by rank; indexes on ads, created, discovered',
    'postings (token, rank) and the same the other way round, both WITHOUT ROWID; tokens are small numbers',
    'the plan is ours, from exact counts that cost nothing here: walk the order, the rarest clause (several tokens are merged in order) or the narrowest range, and check the rest store by store, the most selective first',
    'contacts (rank, sort_key, role, traits) WITHOUT ROWID, read for each store found',
    'cannot be stopped, so it has as long as it takes; more than 20 s count as 20 s',
  ]
  readonly #db: Database
  readonly #file: string
  #order!: ResultOrder
  #facets!: FacetsOfTokens
  #codes!: Map<number, number>
  #counts!: KnownCounts

  constructor(Sqlite: new (file: string) => Database, file: string) {
    this.#db = new Sqlite(file)
    this.#file = file
  }

  async load(catalogue: BenchCatalogue): Promise<void> {
    this.#order = catalogue.order
    this.#facets = new FacetsOfTokens(catalogue.terms)
    const columns = [...singleFacets, 'ads', 'created', 'discovered']
    for (const pragma of ['page_size = 8192', 'journal_mode = off', 'synchronous = off', 'locking_mode = exclusive'])
      this.#db.pragma(pragma)
    this.#db.pragma('cache_size = -1000000')
    this.#db.pragma(`mmap_size = ${16 * 2 ** 30}`)
    this.#db.exec(`
      create table stores (rank integer primary key, ${columns.map((name) => `${name} integer`).join(', ')});
      create table postings (token integer, rank integer, primary key (token, rank)) without rowid;
      create table tokens_of (rank integer, token integer, primary key (rank, token)) without rowid;
      create table contacts (rank integer, sort_key integer, role integer, traits integer, primary key (rank, sort_key)) without rowid;
      begin`)
    const counts = this.#loadPostings(catalogue)
    this.#loadStores(catalogue)
    const contact = this.#db.prepare('insert into contacts values (?, ?, ?, ?)')
    for (const { rank, sortKey, role, traits } of peerContacts(catalogue)) contact.run(rank, sortKey, role, traits)
    for (const column of ['ads', 'created', 'discovered'])
      this.#db.exec(`create index stores_by_${column} on stores (${column})`)
    this.#db.exec('commit; analyze')
    this.#counts = {
      stores: catalogue.staged.size,
      ofTokens: (tokens) => tokens.reduce((sum, token) => sum + (counts.get(token) ?? 0), 0),
      ofRange: (condition) => this.#db.prepare(`select count(*) from stores where ${condition}`).pluck().get(),
    }
  }

  #loadPostings(catalogue: BenchCatalogue): Map<number, number> {
    const counts = new Map<number, number>()
    this.#codes = new Map()
    const insert = this.#db.prepare('insert into postings select ?, value from json_each(?)')
    for (const [token, ranks] of postingLists(catalogue)) {
      const code = this.#codes.size
      this.#codes.set(token, code)
      counts.set(token, ranks.length)
      for (let at = 0; at < ranks.length; at += rowsAtOnce)
        insert.run(code, `[${ranks.subarray(at, at + rowsAtOnce).join()}]`)
    }
    return counts
  }

  #loadStores(catalogue: BenchCatalogue): void {
    const insert = this.#db.prepare(`insert into stores values (?${', ?'.repeat(singleFacets.length + 3)})`)
    const insertTokens = this.#db.prepare(
      `insert into tokens_of select value / ${codes}, value % ${codes} from json_each(?)`,
    )
    let tokens: number[] = []
    const addTokens = () => {
      insertTokens.run(`[${tokens.join()}]`)
      tokens = []
    }
    for (const { rank, single, several, activeAds, created, discovered } of peerRows(catalogue)) {
      insert.run(rank, ...singleFacets.map((facet) => single[facet]), activeAds, created, discovered)
      for (const token of [...several.app, ...several.pixel, ...several.people])
        tokens.push(rank * codes + this.#codes.get(token)!)
      if (tokens.length >= rowsAtOnce) addTokens()
    }
    addTokens()
  }

  prepare(search: Search): PreparedSearch {
    const query = readQuery(search, this.#facets)
    if (!query) return () => []
    const position = search.after && this.#order.rankOf(search.after.storeId)
    const text = planStatement(query, this.#counts, {
      from: position === null ? 0 : search.kind === 'stores' ? position + 1 : position,
      limit: search.kind === 'stores' ? search.limit : search.limit + 1,
      only: search.kind === 'contacts' ? (search.storeIds?.map((id) => this.#order.rankOf(id)) ?? null) : null,
      // A token that no store has gets an unused code.
      codesOf: (tokens) => tokens.map((token) => this.#codes.get(token) ?? codes).join(),
    })
    const stores = this.#db.prepare(text).pluck()
    if (search.kind === 'stores') return () => stores.all().map((rank) => this.#order.storeIdAt(rank))

    const { roleTokens, traits } = search.person
    const personConditions = [
      'rank = ?',
      ...(roleTokens ? [`role in (${roleTokens.join()})`] : []),
      ...(traits ? [`traits in (${traits.join()})`] : []),
    ]
    const people = this.#db
      .prepare(
        `select sort_key from contacts where ${personConditions.join(' and ')} order by sort_key limit ${search.maxPerStore}`,
      )
      .pluck()
    const contactsAt = function* (ranks: readonly number[]): Generator<[number, number]> {
      for (const rank of ranks) for (const sortKey of people.all(rank)) yield [rank, sortKey]
    }
    return () => contactPage(this.#order, contactsAt(stores.all()), search)
  }

  /** The rows of any query. */
  ask(sql: string): number[][] {
    return this.#db.prepare(sql).raw().all() as unknown as number[][]
  }

  codesOf(tokens: readonly number[]): number[] {
    return tokens.map((token) => this.#codes.get(token) ?? codes)
  }

  countBytes(): number {
    return statSync(this.#file).size
  }

  close(): void {
    this.#db.close()
  }
}
