import type { Scope } from '../../../../src/customers/auth/caller.ts'

/** How to call an operation of the API. */
export interface OperationCase {
  scope: Scope
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Path relative to /api/v1, of an existing store or list. */
  path: string
  /** A valid body; none for an operation without a body. */
  body?: object
  /** Scopes that this body needs as well. */
  moreScopes?: readonly Scope[]
  /** The reply is a file, which has no request id. */
  isFile?: true
  /** What the right key gets; by default 200. */
  status?: 201
  /** Allowed without API access. */
  isBilling?: true
}

export const knownDomain = 'open-door.example'
/** Placeholder for the id of a contact at that store, which only the running app knows. */
export const knownContact = 'ct_live_SomebodyWeKnowOf'

/** Placeholder for the id of a list, of the same shape. */
export const knownList = 'lst_live_TheListOfOurShop'
/** Placeholder for the id of an export that has ended, of the same shape. */
export const knownExport = 'exp_live_TheFileOfOurShop'
/** Placeholder for a name that no list has yet. */
export const newName = 'A list of ours'

/** The methods of a path, as a refusal names them. */
export const methodsOf = (path: string): string =>
  Object.values(operations)
    .filter((operation) => operation.path === path)
    .map(({ method }) => method)
    .sort()
    .join(', ')

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
  'GET /stores/{domain}/history': { scope: 'stores:read', method: 'GET', path: `/stores/${knownDomain}/history` },
  'POST /stores/search': { scope: 'stores:read', method: 'POST', path: '/stores/search', body: { filters: {} } },
  'POST /stores/enrich': {
    scope: 'stores:read',
    method: 'POST',
    path: '/stores/enrich',
    body: { domains: [knownDomain] },
  },
  'POST /contacts/search': { scope: 'contacts:search', method: 'POST', path: '/contacts/search', body: { limit: 10 } },
  'POST /stores/count': {
    scope: 'stores:read',
    method: 'POST',
    path: '/stores/count',
    body: { filters: { countries: ['DE'] } },
  },
  'POST /contacts/count': {
    scope: 'contacts:search',
    method: 'POST',
    path: '/contacts/count',
    body: { store: { countries: ['DE'] } },
  },
  'POST /contacts/reveal': {
    scope: 'contacts:reveal',
    method: 'POST',
    path: '/contacts/reveal',
    body: { contact_ids: [knownContact] },
  },
  'POST /exports': {
    scope: 'exports:manage',
    moreScopes: ['stores:read'],
    method: 'POST',
    path: '/exports',
    body: { kind: 'stores', filters: {}, max_rows: 1 },
    status: 201,
  },
  'GET /exports': { scope: 'exports:manage', method: 'GET', path: '/exports' },
  'GET /exports/{id}': { scope: 'exports:manage', method: 'GET', path: `/exports/${knownExport}` },
  'POST /exports/{id}/cancel': { scope: 'exports:manage', method: 'POST', path: `/exports/${knownExport}/cancel` },
  'DELETE /exports/{id}': { scope: 'exports:manage', method: 'DELETE', path: `/exports/${knownExport}` },
  'GET /exports/{id}/file': {
    scope: 'exports:manage',
    moreScopes: ['stores:read'],
    method: 'GET',
    path: `/exports/${knownExport}/file`,
    isFile: true,
  },
  'POST /lists': {
    scope: 'lists:manage',
    method: 'POST',
    path: '/lists',
    body: { name: newName, kind: 'stores' },
    status: 201,
  },
  'GET /lists': { scope: 'lists:manage', method: 'GET', path: '/lists' },
  'GET /lists/{id}': { scope: 'lists:manage', method: 'GET', path: `/lists/${knownList}` },
  'PATCH /lists/{id}': {
    scope: 'lists:manage',
    method: 'PATCH',
    path: `/lists/${knownList}`,
    body: { description: 'Shops of spring' },
  },
  'DELETE /lists/{id}': { scope: 'lists:manage', method: 'DELETE', path: `/lists/${knownList}` },
  'GET /lists/{id}/items': { scope: 'lists:manage', method: 'GET', path: `/lists/${knownList}/items` },
  'POST /lists/{id}/items': {
    scope: 'lists:manage',
    method: 'POST',
    path: `/lists/${knownList}/items`,
    body: { domains: [knownDomain] },
  },
  'POST /lists/{id}/items/remove': {
    scope: 'lists:manage',
    method: 'POST',
    path: `/lists/${knownList}/items/remove`,
    body: { domains: [knownDomain] },
  },
  'POST /quotes': {
    scope: 'contacts:search',
    method: 'POST',
    path: '/quotes',
    body: { for: 'reveal', contact_ids: [knownContact] },
  },
}
