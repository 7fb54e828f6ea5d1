import { demonstrationRequestId, exampleIds, type OperationExample } from '../../foundation/http/openapi/examples.ts'

/** The list that an example creates. */
const createdList = {
  id: 'lst_live_HdTvRbNqWzKcXmLp',
  object: 'list_of_stores',
  name: 'Shops for spring',
  kind: 'stores',
  description: 'Candles and home fragrance in Germany',
  items: 0,
  pending: 0,
  created_at: '2026-11-10T12:05:00.000Z',
  updated_at: '2026-11-10T12:05:00.000Z',
}

/** A list of the demonstration. */
const candleShops = {
  id: exampleIds.list,
  object: 'list_of_stores',
  name: 'Candle shops',
  kind: 'stores',
  description: 'For the examples that read and change a list.',
  items: 1,
  pending: 0,
  created_at: '2026-11-10T12:00:00.000Z',
  updated_at: '2026-11-10T12:00:00.000Z',
}

/** Examples of the operations on lists. */
export const listExamples = {
  createList: {
    request: {
      body: { name: 'Shops for spring', kind: 'stores', description: 'Candles and home fragrance in Germany' },
    },
    reply: {
      status: 201,
      body: {
        ...createdList,
        request_id: demonstrationRequestId,
      },
    },
  },
  listLists: {
    request: { query: { kind: 'stores', limit: 2 } },
    reply: {
      status: 200,
      body: {
        object: 'list',
        data: [createdList, candleShops],
        has_more: true,
        next_cursor: 'cur_AmT4d18YMERNzdDkitW9dgSUS0dGzEIigSxuEbfryMgFBMXqHw6uHV66qrNwIyDY',
        request_id: demonstrationRequestId,
      },
    },
  },
  getList: {
    request: { params: { id: exampleIds.list } },
    reply: {
      status: 200,
      body: {
        ...candleShops,
        request_id: demonstrationRequestId,
      },
    },
  },
  updateList: {
    request: { params: { id: exampleIds.list }, body: { description: 'Shops to write to in March' } },
    reply: {
      status: 200,
      body: {
        ...candleShops,
        description: 'Shops to write to in March',
        updated_at: '2026-11-10T12:05:00.000Z',
        request_id: demonstrationRequestId,
      },
    },
  },
  deleteList: {
    request: { params: { id: exampleIds.deletedList } },
    reply: { status: 200, body: { object: 'deleted', id: exampleIds.deletedList, request_id: demonstrationRequestId } },
  },
  addListItems: {
    request: {
      params: { id: exampleIds.list },
      body: { domains: ['aurora-candles.example', 'not-in-the-catalogue.example'] },
    },
    reply: {
      status: 200,
      body: {
        added: 1,
        already: 0,
        unknown: ['not-in-the-catalogue.example'],
        items: 2,
        pending: 1,
        request_id: demonstrationRequestId,
      },
    },
  },
  listListItems: {
    request: { params: { id: exampleIds.list }, query: { limit: 2 } },
    reply: {
      status: 200,
      body: {
        object: 'list',
        data: [
          {
            store_id: exampleIds.store,
            domain: 'aurora-candles.example',
            name: 'Aurora Candles',
            pending: false,
            added_at: '2026-11-10T12:05:00.000Z',
          },
          {
            store_id: null,
            domain: 'not-in-the-catalogue.example',
            name: null,
            pending: true,
            added_at: '2026-11-10T12:05:00.000Z',
          },
        ],
        has_more: true,
        next_cursor: 'cur_AmT4d18YMERNzdDkitW9dgSUS0dGzEIigSxuEbfryMgFBMXqHw6uHV66qrNwIyDY',
        request_id: demonstrationRequestId,
      },
    },
  },
  removeListItems: {
    request: {
      params: { id: exampleIds.list },
      body: { domains: ['aurora-candles.example', 'not-in-the-catalogue.example'] },
    },
    reply: { status: 200, body: { removed: 2, absent: 0, items: 1, pending: 0, request_id: demonstrationRequestId } },
  },
} satisfies Record<string, OperationExample>
