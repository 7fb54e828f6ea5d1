import { demonstrationRequestId, type OperationExample } from '../../foundation/http/openapi/examples.ts'

/** Examples of the operations that count. */
export const countExamples = {
  countStores: {
    request: {
      body: {
        filters: { countries: ['DE'], categories: ['home_garden'] },
        facets: ['apps', 'traffic_tiers'],
        facet_limit: 2,
      },
    },
    reply: {
      status: 200,
      body: {
        object: 'store_count',
        total: 14,
        new_exports: 10,
        facets: {
          traffic_tiers: [
            { value: '1k_10k', label: '1K to 10K visits a month', count: 2 },
            { value: 'under_1k', label: 'Under 1K visits a month', count: 2 },
          ],
          apps: [
            { value: 'elfsight', label: 'Elfsight', count: 3 },
            { value: 'klaviyo', label: 'Klaviyo', count: 3 },
          ],
        },
        engine_ms: 3.755,
        request_id: demonstrationRequestId,
      },
    },
  },
  countContacts: {
    request: {
      body: {
        person: { roles_any: ['marketing'] },
        store: { countries: ['DE'], categories: ['home_garden'] },
        facets: ['seniorities', 'apps'],
        facet_limit: 2,
      },
    },
    reply: {
      status: 200,
      body: {
        object: 'contact_count',
        contacts: 4,
        stores: 4,
        unrevealed: 3,
        facets: {
          apps: [
            { value: 'elfsight', label: 'Elfsight', count: 1 },
            { value: 'freshchat', label: 'Freshchat', count: 1 },
          ],
          seniorities: [
            { value: 'decision_maker', label: 'Decision maker', count: 3 },
            { value: 'executive', label: 'Executive', count: 1 },
          ],
        },
        engine_ms: 6.663,
        request_id: demonstrationRequestId,
      },
    },
  },
} satisfies Record<string, OperationExample>
