import { demonstrationRequestId, type OperationExample } from '../../foundation/http/openapi/examples.ts'
import { examplePreview, exampleStore } from '../delivery/examples.ts'

/** Examples of the operations on stores. */
export const storeExamples = {
  getStore: {
    request: { params: { domain: 'aurora-candles.example' } },
    reply: { status: 200, body: { ...exampleStore, request_id: demonstrationRequestId } },
  },
  getStoreHistory: {
    request: { params: { domain: 'aurora-candles.example' }, query: { limit: 2 } },
    reply: {
      status: 200,
      body: {
        object: 'list',
        data: [
          {
            at: '2026-11-03T12:00:00.000Z',
            field: 'apps',
            before: null,
            after: null,
            added: [],
            removed: ['judge_me'],
          },
          {
            at: '2026-10-13T12:00:00.000Z',
            field: 'lead_fit_score',
            before: 63.5,
            after: 71.5,
            added: null,
            removed: null,
          },
        ],
        has_more: true,
        next_cursor: 'cur_AmT4d18YMERNzdDkitW9dgSUS0dGzEIigSxuEbfryMgFBMXqHw6uHV66qrNwIyDY',
        request_id: demonstrationRequestId,
      },
    },
  },
  searchStores: {
    request: {
      body: {
        filters: {
          countries: ['DE'],
          categories: ['home_garden'],
          apps: { any: ['klaviyo'] },
          contacts: { has_revealable_contacts: true },
        },
        limit: 1,
      },
    },
    reply: {
      status: 200,
      body: {
        object: 'list',
        data: [exampleStore],
        has_more: true,
        next_cursor: 'cur_AmT4d18YMERNzdDkitW9dgSUS0dGzEIigSxuEbfryMgFBMXqHw6uHV66qrNwIyDY',
        request_id: demonstrationRequestId,
      },
    },
  },
  enrichStores: {
    request: {
      body: {
        domains: ['https://www.aurora-candles.example/collections/all', 'not-in-the-catalogue.example'],
        include: ['store', 'technologies', 'contact_previews'],
        contact_roles: ['marketing'],
        max_contacts_per_store: 1,
      },
    },
    reply: {
      status: 200,
      body: {
        object: 'store_enrichment_result',
        data: [
          {
            domain: 'aurora-candles.example',
            status: 'found',
            store: exampleStore,
            contact_previews: [examplePreview],
          },
          { domain: 'not-in-the-catalogue.example', status: 'not_found', store: null },
        ],
        found: 1,
        not_found: 1,
        request_id: demonstrationRequestId,
      },
    },
  },
} satisfies Record<string, OperationExample>
