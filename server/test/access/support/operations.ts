import type { Scope } from '../../../src/auth/caller.ts'

/** How an operation of the API is called, and by whom. */
export interface OperationCase {
  scope: Scope
  method: 'GET' | 'POST'
  /** Relative to /api/v1, for a store that is there. */
  path: string
  /** A body that is answered with success; none where the operation takes none. */
  body?: object
  /** Open to an account that has lapsed. */
  isBilling?: true
}

export const knownDomain = 'open-door.example'
/** Stands for the id of somebody at that store, whom only the running app can name. */
export const knownContact = 'ct_live_SomebodyWeKnowOf'

/** One case for each operation that the published document names, by its method and path there. */
export const operations: Record<string, OperationCase> = {
  'GET /usage': { scope: 'usage:read', method: 'GET', path: '/usage' },
  'GET /billing/status': { scope: 'billing:read', method: 'GET', path: '/billing/status', isBilling: true },
  'POST /billing/subscription-link': {
    scope: 'billing:manage',
    method: 'POST',
    path: '/billing/subscription-link',
    body: { plan: 'business' },
    isBilling: true,
  },
  'POST /billing/portal-link': {
    scope: 'billing:manage',
    method: 'POST',
    path: '/billing/portal-link',
    isBilling: true,
  },
  'GET /taxonomy': { scope: 'stores:read', method: 'GET', path: '/taxonomy' },
  'GET /stores/{domain}': { scope: 'stores:read', method: 'GET', path: `/stores/${knownDomain}` },
  'POST /stores/search': { scope: 'stores:read', method: 'POST', path: '/stores/search', body: { filters: {} } },
  'POST /stores/enrich': {
    scope: 'stores:read',
    method: 'POST',
    path: '/stores/enrich',
    body: { domains: [knownDomain] },
  },
  'POST /contacts/search': { scope: 'contacts:search', method: 'POST', path: '/contacts/search', body: { limit: 10 } },
  'POST /contacts/reveal': {
    scope: 'contacts:reveal',
    method: 'POST',
    path: '/contacts/reveal',
    body: { contact_ids: [knownContact] },
  },
}
