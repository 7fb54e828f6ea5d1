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

/** What each connection sends, over and over. */
export type RequestsOfConnections = Record<Operation, Request[][]>

/**
 * The workload's requests, shared out; the connections use the keys in turn. Cursors belong to an account, so the later
 * pages are walked to with the key that will ask for them.
 */
export async function prepareRequests(
  origin: string,
  workload: Workload,
  keys: readonly string[],
  connections: number,
): Promise<RequestsOfConnections> {
  const keyOf = (connection: number) => keys[connection % keys.length]!
  const search: Request[][] = []
  for (const [connection, items] of shareOut(workload.search, connections).entries())
    search.push(await mapConcurrently(items, (item) => walkTo(origin, keyOf(connection), item)))
  return {
    lookup: shareOut(workload.lookup, connections).map((domains, connection) =>
      domains.map((domain) => lookupRequest(keyOf(connection), domain)),
    ),
    search,
    enrich: shareOut(workload.enrich, connections).map((lists, connection) =>
      lists.map((domains) => enrichRequest(keyOf(connection), domains)),
    ),
  }
}

/** Where a search has too few pages, its first is asked for. */
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

/** Cuts a list into stretches, so that connections do not repeat each other. */
export function shareOut<T>(items: readonly T[], connections: number): T[][] {
  const startOf = (share: number) => Math.floor((share * items.length) / connections)
  return Array.from({ length: connections }, (_, share) => items.slice(startOf(share), startOf(share + 1)))
}
