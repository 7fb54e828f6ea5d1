import type { Request } from 'autocannon'
import {
  contactBatches,
  isReveal,
  type Operation,
  type RevealOperation,
  revealShapes,
  type SearchItem,
  type SearchOperation,
  searchLimit,
  type Workload,
} from './workload.ts'

export const paths = {
  lookup: '/api/v1/stores/:domain',
  search: '/api/v1/stores/search',
  enrich: '/api/v1/stores/enrich',
  contact_search: '/api/v1/contacts/search',
  taxonomy: '/api/v1/taxonomy',
  reveal: '/api/v1/contacts/reveal',
} as const

export function lookupRequest(key: string, domain: string): Request {
  return { method: 'GET', path: paths.lookup.replace(':domain', domain), headers: { authorization: `Bearer ${key}` } }
}

export function searchRequest(
  operation: SearchOperation,
  key: string,
  { filters }: SearchItem<object>,
  cursor: string | null,
  limit = searchLimit,
): Request {
  return post(paths[operation], key, { ...filters, limit, ...(cursor && { cursor }) })
}

export function enrichRequest(key: string, domains: string[]): Request {
  return post(paths.enrich, key, { domains })
}

export function taxonomyRequest(key: string): Request {
  return { method: 'GET', path: paths.taxonomy, headers: { authorization: `Bearer ${key}` } }
}

/** The reveals of one connection. */
export interface RevealLoad {
  operation: RevealOperation
  key: string
  /** Makes its Idempotency-Keys different from those of other connections. */
  name: string
  contactIds: string[]
}

/** Returns the next reveal. Idempotency-Keys never repeat; contacts repeat only with `allowRepeats`. */
export function revealRequests({ operation, key, name, contactIds }: RevealLoad, allowRepeats = false): () => Request {
  const { isKeyed } = revealShapes[operation]
  const nextBatch = contactBatches(contactIds, operation, allowRepeats)
  let made = 0
  return () => {
    const request = post(paths.reveal, key, { contact_ids: nextBatch() })
    made++
    if (isKeyed) request.headers['idempotency-key'] = `${name} ${made}`
    return request
  }
}

/** The first requests of an operation; searches request their first page. */
export function firstRequests(workload: Workload, operation: Operation, key: string, count: number): Request[] {
  if (operation === 'lookup') return workload.lookup.slice(0, count).map((domain) => lookupRequest(key, domain))
  if (operation === 'enrich') return workload.enrich.slice(0, count).map((domains) => enrichRequest(key, domains))
  if (isReveal(operation)) {
    const contactIds = workload.contacts.map(({ id }) => id)
    return Array.from({ length: count }, revealRequests({ operation, key, name: `first ${operation}`, contactIds }))
  }
  return workload[operation].slice(0, count).map((item) => searchRequest(operation, key, item, null))
}

function post(path: string, key: string, body: unknown): Request {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return { method: 'POST', path, headers, body: JSON.stringify(body) }
}
