import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import type { Storedex } from '../src/index.ts'
import { serve } from './support/server.ts'

const list = { object: 'list', data: [], has_more: false, next_cursor: null }
const firstPage = (pages: { pages(): AsyncIterator<unknown> }) => pages.pages().next()

/** Every operation of the API document, as a call of its method. */
const calls: Record<string, (storedex: Storedex) => PromiseLike<unknown>> = {
  getUsage: ({ usage }) => usage.get(),
  getTaxonomy: ({ taxonomy }) => taxonomy.get(),
  getStore: ({ stores }) => stores.get('shop.example'),
  getStoreHistory: ({ stores }) => firstPage(stores.history('shop.example')),
  searchStores: ({ stores }) => firstPage(stores.search({ filters: {} })),
  countStores: ({ stores }) => stores.count({ filters: {} }),
  enrichStores: ({ stores }) => stores.enrich({ domains: ['shop.example'] }),
  searchContacts: ({ contacts }) => firstPage(contacts.search()),
  countContacts: ({ contacts }) => contacts.count(),
  revealContacts: ({ contacts }) => contacts.reveal({ contact_ids: ['ct_live_1'] }),
  createQuote: ({ quotes }) => quotes.create({ for: 'reveal', contact_ids: ['ct_live_1'] }),
  createList: ({ lists }) => lists.create({ name: 'Shops', kind: 'stores' }),
  listLists: ({ lists }) => firstPage(lists.list()),
  getList: ({ lists }) => lists.get('lst_live_1'),
  updateList: ({ lists }) => lists.update('lst_live_1', { name: 'Other' }),
  deleteList: ({ lists }) => lists.delete('lst_live_1'),
  listListItems: ({ lists }) => firstPage(lists.items('lst_live_1')),
  addListItems: ({ lists }) => lists.addItems('lst_live_1', { domains: ['shop.example'] }),
  removeListItems: ({ lists }) => lists.removeItems('lst_live_1', { domains: ['shop.example'] }),
  createExport: ({ exports }) => exports.create({ kind: 'stores', filters: {}, max_rows: 1 }),
  listExports: ({ exports }) => firstPage(exports.list()),
  getExport: ({ exports }) => exports.get('exp_live_1'),
  cancelExport: ({ exports }) => exports.cancel('exp_live_1'),
  deleteExport: ({ exports }) => exports.delete('exp_live_1'),
  getExportFile: ({ exports }) => exports.download('exp_live_1', new Writable({ write: (_chunk, _, done) => done() })),
  getBillingStatus: ({ billing }) => billing.status(),
  createSubscriptionLink: ({ billing }) => billing.createSubscriptionLink({ plan: 'pro' }),
  createPortalLink: ({ billing }) => billing.createPortalLink(),
}

interface Operation {
  operationId: string
  requestBody?: object
  parameters?: { name: string; in: string }[]
}

const { paths } = JSON.parse(readFileSync(join(import.meta.dirname, '../../openapi/v1.json'), 'utf8'))
const operations = Object.entries<Record<string, Operation>>(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), ...operation })),
)

test('every operation of the API has a method', () => {
  expect(Object.keys(calls).sort()).toEqual(operations.map(({ operationId }) => operationId).sort())
})

test.each(operations)(
  '$operationId is $method $path',
  async ({ operationId, method, path, requestBody, parameters }) => {
    const server = await serve({
      body: list,
      headers: { etag: '"x"', 'content-length': String(JSON.stringify(list).length) },
    })
    await calls[operationId]!(server.client())
    const [sent] = server.received
    expect(sent?.method).toBe(method)
    expect(sent?.path).toMatch(new RegExp(`^/api/v1${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`))
    expect(sent?.body === undefined).toBe(requestBody === undefined)
    expect(sent?.headers['content-type']).toBe(requestBody ? 'application/json' : undefined)
    const takesKey = parameters?.some(({ name }) => name === 'Idempotency-Key') ?? false
    expect('idempotency-key' in sent!.headers).toBe(takesKey)
  },
)
