import { mapConcurrently, splitEvenly } from '@storedex/testkit'
import type { Request } from 'autocannon'
import { enrichRequest, lookupRequest, type RevealLoad, searchRequest } from './requests.ts'
import {
  type Operation,
  type RevealOperation,
  type SearchItem,
  type SearchOperation,
  searchLimit,
  type Workload,
} from './workload.ts'

/** The load of one connection: requests to repeat, or reveals. */
export type ConnectionLoad = { repeated: Request[] } | { reveals: RevealLoad }
export type LoadOfConnections = Record<Operation, ConnectionLoad[]>

/**
 * Distributes the workload over the connections, which use the keys in turn. A cursor belongs to an account, so later
 * pages are reached with the key that will request them.
 */
export async function prepareLoad(
  origin: string,
  workload: Workload,
  keys: readonly string[],
  connections: number,
): Promise<LoadOfConnections> {
  const keyOf = (connection: number) => keys[connection % keys.length]!
  const repeat = <T>(items: readonly T[], requestOf: (key: string, item: T) => Request): ConnectionLoad[] =>
    splitEvenly(items, connections).map((share, connection) => ({
      repeated: share.map((item) => requestOf(keyOf(connection), item)),
    }))
  const search = async (operation: SearchOperation): Promise<ConnectionLoad[]> =>
    (await prepareSearches(origin, workload, keys, connections, operation)).map((repeated) => ({ repeated }))
  const idsOfConnections = splitEvenly(workload.contacts, connections).map((share) => share.map(({ id }) => id))
  const reveal = (operation: RevealOperation): ConnectionLoad[] =>
    idsOfConnections.map((contactIds, connection) => ({
      reveals: { operation, key: keyOf(connection), name: `connection ${connection}`, contactIds },
    }))
  return {
    lookup: repeat(workload.lookup, lookupRequest),
    search: await search('search'),
    enrich: repeat(workload.enrich, enrichRequest),
    contact_search: await search('contact_search'),
    reveal_1: reveal('reveal_1'),
    reveal_10: reveal('reveal_10'),
    reveal_1_keyed: reveal('reveal_1_keyed'),
    reveal_10_keyed: reveal('reveal_10_keyed'),
  }
}

/** The searches of each connection, in pages of `limit`. */
export async function prepareSearches(
  origin: string,
  workload: Workload,
  keys: readonly string[],
  connections: number,
  operation: SearchOperation,
  limit = searchLimit,
): Promise<Request[][]> {
  const searches: Request[][] = []
  for (const [connection, items] of splitEvenly<SearchItem<object>>(workload[operation], connections).entries()) {
    const key = keys[connection % keys.length]!
    searches.push(await mapConcurrently(items, (item) => requestForPage(origin, operation, key, item, limit)))
  }
  return searches
}

/** Falls back to the first page where the search has too few. */
async function requestForPage(
  origin: string,
  operation: SearchOperation,
  key: string,
  item: SearchItem<object>,
  limit: number,
): Promise<Request> {
  let cursor: string | null = null
  for (let page = 0; page < item.pagesBefore; page++) {
    const { body } = await send(origin, searchRequest(operation, key, item, cursor, limit))
    cursor = (JSON.parse(body) as { next_cursor: string | null }).next_cursor
    if (cursor === null) break
  }
  return searchRequest(operation, key, item, cursor, limit)
}

/** A recorded reply for the bare route. */
export interface Sample {
  headers: Record<string, string>
  body: string
}

/** Sends one request and reads the reply. Any status but 200 is an error. */
export async function send(origin: string, { path, ...request }: Request): Promise<Sample> {
  const response = await fetch(origin + path, request)
  const body = await response.text()
  if (response.status !== 200) throw new Error(`${request.method} ${path} got ${response.status}: ${body}`)
  const headers = Object.fromEntries([...response.headers].filter(([name]) => !ownHeaders.has(name)))
  return { headers, body }
}

/** Node sets these on every reply. */
const ownHeaders = new Set(['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding'])
