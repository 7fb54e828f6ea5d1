import { type Condition, isSingle, type PeerQuery, type SecondsRange } from './facets.ts'

/** Statistics for the planner. */
export interface KnownCounts {
  stores: number
  /** Upper bound of the stores that have one of the tokens. */
  ofTokens(tokens: readonly number[]): number
  ofRange(condition: string): number
}

export interface PlannedPage {
  from: number
  limit: number
  /** Restricts the search to these ranks. */
  only: readonly number[] | null
  /** The codes of tokens in the tables. */
  codesOf(tokens: readonly number[]): string
}

/** A check of one store, with the share of stores that pass. */
interface Check {
  sql: string
  share: number
  /** Whether it reads the store's tokens rather than its row in `stores`. */
  looksUp: boolean
}

interface Plan {
  text: string
  cost: number
}

/** Longer lists are compared with all tokens of a store instead of being looked up one by one. */
const fewTokens = 6
/** Cost of a row read through an index, and of a row that is sorted afterwards. */
const indexedSteps = 2
const sortedSteps = 3
/** Estimates assume independent conditions; this share of the rows is added as a margin for correlated ones. */
const caution = 0.02

/** The statement that should find the page with the fewest steps. */
export function planStatement(query: PeerQuery, counts: KnownCounts, page: PlannedPage): string {
  const plans = page.only ? [named(query, counts, page, page.only)] : allPlans(query, counts, page)
  return plans.reduce((best, plan) => (plan.cost < best.cost ? plan : best)).text
}

function allPlans(query: PeerQuery, counts: KnownCounts, page: PlannedPage): Plan[] {
  return [
    walk(query, counts, page),
    ...query.all.map((clause) => merge(query, clause, counts, page)),
    ...rangesOf(query).map((range) => sortRange(query, range, counts, page)),
  ]
}

/** Store by store in result order. */
function walk(query: PeerQuery, counts: KnownCounts, { from, limit, codesOf }: PlannedPage): Plan {
  const checks = checksOf(query, null, counts, codesOf)
  return {
    text: `select rank from stores at where ${[`rank >= ${from}`, ...sqlOf(checks)].join(' and ')} order by rank limit ${limit}`,
    cost: costOf(counts.stores, checks, limit),
  }
}

/** Merges the posting lists of a clause's tokens, which are in order. */
function merge(query: PeerQuery, clause: Condition, counts: KnownCounts, { from, limit, codesOf }: PlannedPage): Plan {
  const checks = checksOf(query, clause, counts, codesOf)
  const stores = checks.every(({ looksUp }) => looksUp) ? '' : 'cross join stores s on s.rank = at.rank'
  const arms = clause.tokens.map((token) => {
    const conditions = [`at.token = ${codesOf([token])}`, `at.rank >= ${from}`, ...sqlOf(checks)]
    return `select at.rank from postings at ${stores} where ${conditions.join(' and ')}`
  })
  return {
    text: `${arms.join(' union ')} order by 1 limit ${limit}`,
    cost: indexedSteps * costOf(counts.ofTokens(clause.tokens), checks, limit) + arms.length,
  }
}

/** All stores within a range, sorted afterwards. */
function sortRange(query: PeerQuery, range: string, counts: KnownCounts, { from, limit, codesOf }: PlannedPage): Plan {
  const checks = checksOf(query, null, counts, codesOf)
  const column = range.slice(0, range.indexOf(' '))
  const conditions = [range, `+rank >= ${from}`, ...sqlOf(checks).filter((check) => check !== range)]
  return {
    text: `select rank from stores at indexed by stores_by_${column} where ${conditions.join(' and ')} order by +rank limit ${limit}`,
    cost: sortedSteps * counts.ofRange(range),
  }
}

function named(query: PeerQuery, counts: KnownCounts, page: PlannedPage, ranks: readonly number[]): Plan {
  const checks = sqlOf(checksOf(query, null, counts, page.codesOf))
  const conditions = [`rank in (${ranks.filter((rank) => rank >= page.from).join()})`, ...checks]
  return {
    text: `select rank from stores at where ${conditions.join(' and ')} order by rank limit ${page.limit}`,
    cost: 0,
  }
}

/** Expected rows until the page is full, plus a margin for correlated conditions. */
function costOf(rows: number, checks: readonly Check[], limit: number): number {
  const share = checks.reduce((product, check) => product * check.share, 1)
  return Math.min(rows, limit / Math.max(share, 1e-12)) * (1 + checks.length) + caution * rows
}

function sqlOf(checks: readonly Check[]): string[] {
  return checks.map((check) => check.sql)
}

/** All conditions but the walked clause, cheap and selective ones first. */
function checksOf(
  query: PeerQuery,
  walked: Condition | null,
  counts: KnownCounts,
  codesOf: PlannedPage['codesOf'],
): Check[] {
  const shareOf = (tokens: readonly number[]) => Math.min(counts.ofTokens(tokens) / counts.stores, 1)
  const ranges = rangesOf(query).map((sql) => ({
    sql,
    share: counts.ofRange(sql) / counts.stores,
    looksUp: false,
  }))
  const check = (condition: Condition, not: '' | 'not '): Check => {
    const share = shareOf(condition.tokens)
    return {
      sql: checkOf(condition, not, codesOf),
      share: not === '' ? share : Math.max(1 - share, 0.05),
      looksUp: !isSingle(condition.facet),
    }
  }
  const checks = [
    ...ranges,
    ...query.all.filter((clause) => clause !== walked).map((clause) => check(clause, '')),
    ...query.none.map((condition) => check(condition, 'not ')),
  ]
  return checks.sort((a, b) => Number(a.looksUp) - Number(b.looksUp) || a.share - b.share)
}

function checkOf({ facet, tokens }: Condition, not: '' | 'not ', codesOf: PlannedPage['codesOf']): string {
  if (isSingle(facet)) return `${facet} ${not}in (${tokens.join()})`
  // The unary plus keeps SQLite from using the index.
  const token = tokens.length <= fewTokens ? 'o.token' : '+o.token'
  return `${not}exists (select 1 from tokens_of o where o.rank = at.rank and ${token} in (${codesOf(tokens)}))`
}

function rangesOf({ minAds, ranges }: PeerQuery): string[] {
  const bounds = ({ column, from, to }: SecondsRange) =>
    [...(from === null ? [] : [`${column} >= ${from}`]), ...(to === null ? [] : [`${column} <= ${to}`])].join(' and ')
  return [...ranges.map(bounds), ...(minAds === null ? [] : [`ads >= ${minAds}`])]
}
