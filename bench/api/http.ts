import type { Request } from 'autocannon'
import { type Operation, type SearchItem, searchLimit, type Workload } from './workload.ts'

/** A reply as it came, to be sent again by the bare route. */
export interface Sample {
  headers: Record<string, string>
  body: string
}

export function lookupRequest(key: string, domain: string): Request {
  return { method: 'GET', path: `/api/v1/stores/${domain}`, headers: { authorization: `Bearer ${key}` } }
}

export function searchRequest(key: string, { filters }: SearchItem, cursor: string | null): Request {
  return post('/api/v1/stores/search', key, { filters, limit: searchLimit, ...(cursor && { cursor }) })
}

export function enrichRequest(key: string, domains: string[]): Request {
  return post('/api/v1/stores/enrich', key, { domains })
}

function post(path: string, key: string, body: unknown): Request {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return { method: 'POST', path, headers, body: JSON.stringify(body) }
}

/** Sends one request and reads the reply; anything but 200 ends the bench, with what it said. */
export async function send(origin: string, { path, ...request }: Request): Promise<Sample> {
  const response = await fetch(origin + path, request)
  const body = await response.text()
  if (response.status !== 200) throw new Error(`${request.method} ${path} was answered ${response.status}: ${body}`)
  const headers = Object.fromEntries([...response.headers].filter(([name]) => !ownHeaders.has(name)))
  return { headers, body }
}

/** Node sets these on every reply by itself. */
const ownHeaders = new Set(['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding'])

/** The requests of a workload with each account's key, in the workload's order: `[account][index]`. */
export type RequestsByAccount = Record<Operation, Request[][]>

/** Cursors belong to an account, so each walks to its own later pages; where a search has too few, its first page is asked for. */
export async function prepareRequests(origin: string, workload: Workload, keys: string[]): Promise<RequestsByAccount> {
  const search = []
  for (const key of keys) search.push(await mapConcurrently(workload.search, (item) => walkTo(origin, key, item)))
  return {
    lookup: keys.map((key) => workload.lookup.map((domain) => lookupRequest(key, domain))),
    search,
    enrich: keys.map((key) => workload.enrich.map((domains) => enrichRequest(key, domains))),
  }
}

async function walkTo(origin: string, key: string, item: SearchItem): Promise<Request> {
  let cursor: string | null = null
  for (let page = 0; page < item.pagesBefore; page++) {
    const { body } = await send(origin, searchRequest(key, item, cursor))
    cursor = (JSON.parse(body) as { next_cursor: string | null }).next_cursor
    if (cursor === null) break
  }
  return searchRequest(key, item, cursor)
}

/** Results in the order of the items, however many are worked on at once. */
export async function mapConcurrently<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
  lanes = 8,
): Promise<R[]> {
  const results: R[] = []
  const entries = items.entries()
  const walk = async () => {
    for (const [index, item] of entries) results[index] = await work(item)
  }
  await Promise.all(Array.from({ length: lanes }, walk))
  return results
}

/** Each connection's share of its account's requests: a stretch of its own, so that connections do not repeat each other. */
export function shareOut<T>(itemsByAccount: T[][], connections: number): T[][] {
  return Array.from({ length: connections }, (_, connection) => {
    const items = itemsByAccount[connection % itemsByAccount.length]!
    const startOf = (place: number) => Math.floor((place * items.length) / connections)
    return items.slice(startOf(connection), startOf(connection + 1))
  })
}
