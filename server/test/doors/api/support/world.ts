import { vi } from 'vitest'
import { type Scope, scopes } from '../../../../src/customers/auth/caller.ts'
import { FailedKeyCounter } from '../../../../src/customers/auth/key-directory.ts'
import { call, type RawReply } from '../../../foundation/http/support/test-server.ts'
import {
  knownContact,
  knownDomain,
  knownExport,
  knownList,
  newName,
  type OperationCase,
} from '../../../promises/access/support/operations.ts'
import { startTestApp, type TestApp, type TestKey } from '../../../support/app.ts'
import { createTestProvider, type TestProvider } from '../../../support/billing-provider.ts'

/** A request: a case, with what is different about it. */
export interface Request {
  key?: string | null
  path?: string
  body?: unknown
  text?: string
  headers?: Record<string, string>
}

export interface World {
  app: TestApp
  provider: TestProvider
  /** The bound on a search without conditions; a test may lower it. */
  searchBounds: { max_rows_walked: number; max_rows_walked_unfiltered: number }
  /** A key with every scope and high limits. */
  key: TestKey
  /** A list of each kind, and the name of the first one. */
  lists: { stores: string; contacts: string; name: string }
  /** An export of each kind with its file, one that waits, one to delete, and one whose file is gone. */
  exports: { stores: string; previews: string; contacts: string; waiting: string; deleted: string; gone: string }
  /** Sends a request of this case, with real ids. */
  send(operation: OperationCase, request?: Request): Promise<RawReply>
}

const generous = { requests_per_minute: 1_000_000, requests_per_day: 1_000_000, billing_links_per_hour: 1_000 }

/** Starts the app with a store, a contact, lists and exports. Exports that are created later wait. */
export async function startWorld(): Promise<World> {
  // Refused keys slow their address down; `made-up-keys.test.ts` is about that.
  vi.spyOn(FailedKeyCounter.prototype, 'recordFailure').mockReturnValue(0)
  const searchBounds = { max_rows_walked: 10_000, max_rows_walked_unfiltered: 1_000 }
  const provider = createTestProvider()
  const app = await startTestApp({
    now: '2026-11-10T12:00:00.000Z',
    billing: provider,
    plans: { search: searchBounds },
  })
  await app.importStores([
    { domain: knownDomain, name: 'Open Door', country: 'DE' },
    { domain: 'next-door.example', name: 'Next Door', country: 'DE' },
  ])
  await app.importContacts([{ store_domain: knownDomain, first_name: 'Dora', profile_url: 'https://people.example/d' }])
  const key = await app.key({ scopes, limits: generous })
  const { body: found } = await key.post('/contacts/search', {})
  const contactId: string = found.data[0].id
  const newList = async (name: string, kind: string): Promise<string> =>
    (await key.post('/lists', { name, kind })).body.id
  const newExport = async (body: object): Promise<string> =>
    (await key.post('/exports', { max_rows: 1, format: 'ndjson', ...body })).body.id
  const lists = {
    stores: await newList('Shops', 'stores'),
    contacts: await newList('People', 'contacts'),
    name: 'Shops',
  }
  const ended = {
    stores: await newExport({ kind: 'stores', filters: {} }),
    previews: await newExport({ kind: 'previews' }),
    contacts: await newExport({ kind: 'contacts', max_credits: 1 }),
    gone: await newExport({ kind: 'stores', filters: {} }),
  }
  const hasEnded = async (id: string) => (await key.get(`/exports/${id}`)).body.status === 'ready'
  for (const id of Object.values(ended)) await vi.waitUntil(() => hasEnded(id), { timeout: 60_000 })
  await key.delete(`/exports/${ended.gone}`)
  await app.exportRunner.close()
  const waits = { kind: 'stores', filters: {} }
  const exports = { ...ended, waiting: await newExport(waits), deleted: await newExport(waits) }
  let names = 0
  const send: World['send'] = async (operation, request = {}) => {
    const { method } = operation
    const asked = request.path ?? operation.path
    const isDeleted = method === 'DELETE'
    const list = isDeleted && asked.includes(knownList) ? await newList(`New ${++names}`, 'stores') : lists.stores
    const file = isDeleted && asked.includes(knownExport) ? exports.deleted : exports.stores
    const path = asked.replace(knownList, list).replace(knownExport, file)
    const body = 'body' in request ? request.body : operation.body
    const text =
      request.text ?? JSON.stringify(body)?.replace(knownContact, contactId).replace(newName, `New ${++names}`)
    const secret = request.key === undefined ? key.secret : request.key
    return call(`${app.url}/api/v1${path}`, {
      method,
      headers: {
        ...(secret !== null && { authorization: `Bearer ${secret}` }),
        ...(text !== undefined && method !== 'GET' && { 'content-type': 'application/json' }),
        ...request.headers,
      },
      ...(text !== undefined && method !== 'GET' && { body: text }),
    })
  }
  return { app, provider, searchBounds, key, lists, exports, send }
}

/** A request that needs these scopes, which the last one tells apart. */
export function requestNeeding(id: string, needed: readonly Scope[], { exports, lists }: World): Request {
  const scope = needed.at(-1)!
  const exported = {
    'stores:read': { kind: 'stores', filters: {}, max_rows: 1 },
    'contacts:search': { kind: 'previews', max_rows: 1 },
    'contacts:reveal': { kind: 'contacts', max_rows: 1, max_credits: 1 },
  }
  const isOfRows = scope in exported
  const ofRows = exported[isOfRows ? (scope as keyof typeof exported) : 'stores:read']
  switch (id) {
    case 'createExport':
      return { body: ofRows }
    case 'createQuote':
      return needed.length === 1 && scope === 'contacts:search' ? {} : { body: { for: 'export', ...ofRows } }
    case 'getExportFile':
      return { path: `/exports/${exports[ofRows.kind as 'stores' | 'previews' | 'contacts']}/file` }
    case 'addListItems':
    case 'removeListItems': {
      const path = id === 'addListItems' ? '/items' : '/items/remove'
      if (scope === 'contacts:search') return { path: `/lists/${lists.contacts}${path}`, body: { from: {}, max: 1 } }
      if (scope === 'stores:read') return { body: { from: { filters: {} }, max: 1 } }
      return {}
    }
    default:
      return {}
  }
}

/** A copy of a body with another value at a path, such as `filters.apps.any[0]`. */
export function withValue(body: object | undefined, path: string, value: unknown): object {
  const copy = structuredClone(body ?? {}) as Record<string, unknown>
  const keys = path.split(/[.[\]]+/).filter((each) => each !== '')
  let node = copy
  for (const [index, each] of keys.entries()) {
    const isLast = index === keys.length - 1
    const next = /^\d+$/.test(keys[index + 1] ?? '') ? [] : {}
    node[each] = isLast ? value : typeof node[each] === 'object' ? node[each] : next
    node = node[each] as Record<string, unknown>
  }
  return copy
}
