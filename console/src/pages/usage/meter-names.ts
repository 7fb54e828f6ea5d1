import type { Meter } from './search.ts'

export const meterNames: Record<Meter | 'api_requests', string> = {
  contact_credits: 'Contact credits',
  store_exports: 'Store exports',
  search_rows: 'Search rows',
  api_requests: 'API requests',
}
