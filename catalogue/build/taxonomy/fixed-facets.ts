import type { TaxonomyItem } from './files.ts'

/** Facets that come from no outside list. Tiers stand in their natural order, the others by value. */
export const trafficTiers: TaxonomyItem[] = [
  { value: 'under_1k', label: 'Under 1K visits a month', min: 0, max: 1_000 },
  { value: '1k_10k', label: '1K to 10K visits a month', min: 1_000, max: 10_000 },
  { value: '10k_50k', label: '10K to 50K visits a month', min: 10_000, max: 50_000 },
  { value: '50k_100k', label: '50K to 100K visits a month', min: 50_000, max: 100_000 },
  { value: '100k_500k', label: '100K to 500K visits a month', min: 100_000, max: 500_000 },
  { value: '500k_1m', label: '500K to 1M visits a month', min: 500_000, max: 1_000_000 },
  { value: 'over_1m', label: 'Over 1M visits a month', min: 1_000_000, max: null },
]

export const revenueTiers: TaxonomyItem[] = [
  { value: 'under_10k', label: 'Under $10K a month', min: 0, max: 10_000 },
  { value: '10k_50k', label: '$10K to $50K a month', min: 10_000, max: 50_000 },
  { value: '50k_100k', label: '$50K to $100K a month', min: 50_000, max: 100_000 },
  { value: '100k_500k', label: '$100K to $500K a month', min: 100_000, max: 500_000 },
  { value: '500k_1m', label: '$500K to $1M a month', min: 500_000, max: 1_000_000 },
  { value: '1m_10m', label: '$1M to $10M a month', min: 1_000_000, max: 10_000_000 },
  { value: 'over_10m', label: 'Over $10M a month', min: 10_000_000, max: null },
]

export const themeTypes: TaxonomyItem[] = [
  { value: 'custom', label: 'Custom' },
  { value: 'free', label: 'Free' },
  { value: 'paid', label: 'Paid' },
]

export const roles: TaxonomyItem[] = [
  { value: 'ceo', label: 'CEO' },
  { value: 'customer_support', label: 'Customer Support' },
  { value: 'design', label: 'Design' },
  { value: 'ecommerce', label: 'E-commerce' },
  { value: 'finance', label: 'Finance' },
  { value: 'founder', label: 'Founder' },
  { value: 'growth', label: 'Growth' },
  { value: 'marketing', label: 'Marketing' },
  { value: 'operations', label: 'Operations' },
  { value: 'other', label: 'Other' },
  { value: 'product', label: 'Product' },
  { value: 'sales', label: 'Sales' },
  { value: 'technology', label: 'Technology' },
]

export const seniorities: TaxonomyItem[] = [
  { value: 'decision_maker', label: 'Decision maker' },
  { value: 'executive', label: 'Executive' },
  { value: 'other', label: 'Other' },
]
