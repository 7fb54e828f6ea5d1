import { demonstrationRequestId, exampleIds, type OperationExample } from '../../../foundation/http/openapi/examples.ts'

/** What the examples export. */
export const exportedStores = {
  kind: 'stores' as const,
  filters: { countries: ['DE'], categories: ['home_garden'] },
  columns: ['domain', 'name', 'category', 'country', 'lead_fit_score'],
  max_rows: 3,
}

/** The export that an example creates. */
const queuedExport = {
  id: 'exp_live_LpHdTvRbNqWzKcXm',
  object: 'export',
  kind: 'stores',
  status: 'queued',
  progress: { rows: 0, of: 0 },
  cost: { store_exports: 0, contact_credits: 0 },
  stopped_by: null,
  file: null,
  error: null,
  created_at: '2026-11-10T12:05:00.000Z',
  finished_at: null,
}

/** An export of the demonstration, with its file. */
const readyExport = {
  id: exampleIds.export,
  object: 'export',
  kind: 'stores',
  status: 'ready',
  progress: { rows: 3, of: 3 },
  cost: { store_exports: 3, contact_credits: 0 },
  stopped_by: 'max_rows',
  file: {
    bytes: 247,
    sha256: 'ff0e86b677dbc35c74ca96c981feaebcb99309beb7f3917d5cbdeb370775a35f',
    rows: 3,
    expires_at: '2026-11-13T12:05:00.000Z',
  },
  error: null,
  created_at: '2026-11-10T12:00:00.000Z',
  finished_at: '2026-11-10T12:05:00.000Z',
}

/** Examples of the operations on exports. */
export const exportExamples = {
  createExport: {
    request: { headers: { 'Idempotency-Key': '7c1e5b0a-93d8-4f6e-8b2d-6a4f1c9e2d35' }, body: exportedStores },
    reply: {
      status: 201,
      body: {
        ...queuedExport,
        request_id: demonstrationRequestId,
      },
    },
  },
  listExports: {
    request: { query: { limit: 2 } },
    reply: {
      status: 200,
      body: {
        object: 'list',
        data: [
          {
            ...readyExport,
            id: queuedExport.id,
            cost: { store_exports: 0, contact_credits: 0 },
            file: { ...readyExport.file, expires_at: '2026-11-13T12:05:01.000Z' },
            created_at: queuedExport.created_at,
            finished_at: '2026-11-10T12:05:01.000Z',
          },
          readyExport,
        ],
        has_more: true,
        next_cursor: 'cur_AmT4d18YMERNzdDkitW9dgSUS0dGzEIigSxuEbfryMgFBMXqHw6uHV66qrNwIyDY',
        request_id: demonstrationRequestId,
      },
    },
  },
  getExport: {
    request: { params: { id: exampleIds.export } },
    reply: {
      status: 200,
      body: {
        ...readyExport,
        request_id: demonstrationRequestId,
      },
    },
  },
  deleteExport: {
    request: { params: { id: exampleIds.deletedExport } },
    reply: {
      status: 200,
      body: {
        ...queuedExport,
        id: exampleIds.deletedExport,
        status: 'expired',
        created_at: '2026-11-10T12:00:00.000Z',
        finished_at: '2026-11-10T12:00:00.000Z',
        request_id: demonstrationRequestId,
      },
    },
  },
  cancelExport: {
    request: { params: { id: exampleIds.canceledExport } },
    reply: {
      status: 200,
      body: {
        ...queuedExport,
        id: exampleIds.canceledExport,
        status: 'canceled',
        file: {
          bytes: 45,
          sha256: '05081e150d996d31b1a5b35577829a4f04d7faa588ba89e2f1aeca5f9826babc',
          rows: 0,
          expires_at: '2026-11-13T12:00:00.000Z',
        },
        created_at: '2026-11-10T12:00:00.000Z',
        finished_at: '2026-11-10T12:00:00.000Z',
        request_id: demonstrationRequestId,
      },
    },
  },
  getExportFile: {
    request: { params: { id: exampleIds.export } },
    reply: {
      status: 200,
      body: 'domain,name,category,country,lead_fit_score\r\nthe-wander-home.example,The Wander Home,home_garden,DE,76.3\r\naurora-candles.example,Aurora Candles,home_garden,DE,71.5\r\nbayleaf-lane-linens.example,Bayleaf Lane Linens,home_garden_linens_bedding,DE,70\r\n',
    },
  },
} satisfies Record<string, OperationExample>
