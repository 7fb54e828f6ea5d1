import { demonstrationRequestId, exampleIds, type OperationExample } from '../../foundation/http/openapi/examples.ts'
import { examplePreview } from '../delivery/examples.ts'

/** Examples of the operations on contacts. The person is invented. */
export const contactExamples = {
  searchContacts: {
    request: {
      body: {
        person: { roles_any: ['marketing'], has_verified_email: true },
        store: { countries: ['DE'], categories: ['home_garden'] },
        limit: 1,
      },
    },
    reply: {
      status: 200,
      body: {
        object: 'list',
        data: [examplePreview],
        has_more: true,
        next_cursor: 'cur_AmT4d18YMERNzdDkitW9dgSUS0dGzEIigSxuEbfryMgFBMXqHw6uHV66qrNwIyDY',
        request_id: demonstrationRequestId,
      },
    },
  },
  revealContacts: {
    request: {
      headers: { 'Idempotency-Key': '0d9c3f6e-52a4-4c0f-9a67-3f4f9f0f8a11' },
      body: { contact_ids: [exampleIds.contact] },
    },
    reply: {
      status: 200,
      body: {
        object: 'contact_reveal_result',
        credits: { spent: 1, remaining: 999 },
        data: [
          {
            id: exampleIds.contact,
            object: 'contact',
            full_name: 'Mara Lindqvist',
            first_name: 'Mara',
            last_name: 'Lindqvist',
            title: 'Head of Marketing',
            role: 'marketing',
            seniority: 'decision_maker',
            profile_url: 'https://people.example/mara',
            reveal_status: 'newly_revealed',
            charged: true,
            emails: [{ email: 'mara@aurora-candles.example', status: 'verified', type: 'work', is_primary: true }],
            phones: [{ phone: '+1 202 555 0100', type: 'office', is_primary: true }],
            store: { id: exampleIds.store, domain: 'aurora-candles.example', name: 'Aurora Candles' },
            revealed_at: '2026-11-10T12:05:00.000Z',
          },
        ],
        request_id: demonstrationRequestId,
      },
    },
  },
} satisfies Record<string, OperationExample>
