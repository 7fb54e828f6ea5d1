import { demonstrationRequestId, type OperationExample } from '../../foundation/http/openapi/examples.ts'

/** An example of the operation that quotes. */
export const quoteExamples = {
  createQuote: {
    request: {
      body: {
        for: 'export',
        kind: 'contacts',
        person: { roles_any: ['marketing'] },
        store: { countries: ['DE'], categories: ['home_garden'] },
        max_rows: 25,
        max_credits: 25,
      },
    },
    reply: {
      status: 200,
      body: {
        object: 'quote',
        contacts: 4,
        stores: 4,
        credits: 3,
        already_revealed: 1,
        unrevealable: 0,
        new_exports: 1,
        credits_remaining: 999,
        exports_remaining: 4_996,
        credits_after: 996,
        exports_after: 4_995,
        sufficient: true,
        quote: 'quo_AQBwXbBybgzsbQnHRpzd7QaiShS6sv0WdSyoQw',
        expires_at: '2026-11-10T12:15:00.000Z',
        request_id: demonstrationRequestId,
      },
    },
  },
} satisfies Record<string, OperationExample>
