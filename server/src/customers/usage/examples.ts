import { demonstrationRequestId, type OperationExample } from '../../foundation/http/openapi/examples.ts'
import { scopes } from '../auth/caller.ts'

/** An example of the operation on usage. */
export const usageExamples = {
  getUsage: {
    reply: {
      status: 200,
      body: {
        object: 'usage',
        plan: { slug: 'pro', name: 'Pro', status: 'active', trial: { active: false, ends_at: null } },
        contact_credits: {
          total: 1_000,
          used: 0,
          remaining: 1_000,
          paid_plan_total: 1_000,
          period_start: '2026-11-10T12:00:00.000Z',
          period_end: '2026-12-10T12:00:00.000Z',
        },
        store_exports: {
          limit: 5_000,
          used: 3,
          reserved: 0,
          remaining: 4_997,
          period_start: '2026-11-10T12:00:00.000Z',
          period_end: '2026-12-10T12:00:00.000Z',
        },
        api_requests: {
          limit: 5_000,
          used: 5,
          remaining: 4_995,
          period_start: '2026-11-10T00:00:00.000Z',
          period_end: '2026-11-11T00:00:00.000Z',
        },
        search_rows: {
          limit: 25_000,
          used: 0,
          remaining: 25_000,
          period_start: '2026-11-10T12:00:00.000Z',
          period_end: '2026-12-10T12:00:00.000Z',
        },
        rate_limit: { limit: 60, interval: 'minute' },
        key: {
          id: 'key_RtWqLzXcVbNmPkJh',
          name: 'demonstration, live',
          mode: 'live',
          scopes: [...scopes],
        },
        request_id: demonstrationRequestId,
      },
    },
  },
} satisfies Record<string, OperationExample>
