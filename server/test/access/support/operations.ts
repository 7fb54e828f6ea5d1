import type { Scope } from '../../../src/auth/caller.ts'

/** How to call an operation of the API. */
export interface OperationCase {
  scope: Scope
  method: 'GET' | 'POST'
  /** Path relative to /api/v1, of an existing store. */
  path: string
  /** A valid body; none for an operation without a body. */
  body?: object
  /** Allowed without API access. */
  isBilling?: true
}

export const knownDomain = 'open-door.example'
/** Placeholder for the id of a contact at that store, which only the running app knows. */
export const knownContact = 'ct_live_SomebodyWeKnowOf'

/** One case for each operation of the published document, by method and path. */
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
