import { demonstrationRequestId, type OperationExample } from '../../foundation/http/openapi/examples.ts'

/** An example of the operation on the taxonomy. */
export const taxonomyExamples = {
  getTaxonomy: {
    reply: {
      status: 200,
      body: {
        object: 'taxonomy',
        version: '033aadde462b',
        categories: [
          { value: 'animals_pet_supplies', label: 'Animals & Pet Supplies', parent: null },
          { value: 'animals_pet_supplies_live_animals', label: 'Live Animals', parent: 'animals_pet_supplies' },
        ],
        countries: [
          { value: 'AD', label: 'Andorra' },
          { value: 'AE', label: 'United Arab Emirates' },
        ],
        traffic_tiers: [
          { value: 'under_1k', label: 'Under 1K visits a month', min: 0, max: 1_000 },
          { value: '1k_10k', label: '1K to 10K visits a month', min: 1_000, max: 10_000 },
        ],
        revenue_tiers: [
          { value: 'under_10k', label: 'Under $10K a month', min: 0, max: 10_000 },
          { value: '10k_50k', label: '$10K to $50K a month', min: 10_000, max: 50_000 },
        ],
        theme_types: [
          { value: 'custom', label: 'Custom' },
          { value: 'free', label: 'Free' },
        ],
        roles: [
          { value: 'ceo', label: 'CEO' },
          { value: 'customer_support', label: 'Customer Support' },
        ],
        seniorities: [
          { value: 'decision_maker', label: 'Decision maker' },
          { value: 'executive', label: 'Executive' },
        ],
        apps: [
          { value: '17track', label: '17TRACK', category: 'order_tracking' },
          { value: 'accessibe', label: 'accessiBe', category: 'accessibility' },
        ],
        pixels: [
          { value: '6sense', label: '6sense', category: 'visitor_identification' },
          { value: 'ab_tasty', label: 'AB Tasty', category: 'experimentation' },
        ],
        request_id: demonstrationRequestId,
      },
      isExcerpt: true,
    },
  },
} satisfies Record<string, OperationExample>
