import { Taxonomy } from '../../src/lib/filters/taxonomy.ts'

/** A small taxonomy with everything that a real one has: a tree, labels with accents and signs, a value that is deprecated. */
export const taxonomy = new Taxonomy({
  categories: [
    { value: 'home_garden', label: 'Home & Garden', parent: null },
    { value: 'apparel', label: 'Apparel', parent: null },
    { value: 'home_garden_decor', label: 'Decor', parent: 'home_garden' },
    { value: 'home_garden_decor_candles', label: 'Candles', parent: 'home_garden_decor' },
    { value: 'apparel_shoes', label: 'Shoes', parent: 'apparel' },
  ],
  countries: [
    { value: 'CI', label: 'Côte d’Ivoire' },
    { value: 'DE', label: 'Germany' },
    { value: 'NO', label: 'Norway' },
  ],
  traffic_tiers: [{ value: '10k_50k', label: '10K to 50K visits a month' }],
  revenue_tiers: [{ value: '10k_50k', label: '$10K to $50K a month' }],
  theme_types: [{ value: 'free', label: 'Free' }],
  roles: [
    { value: 'marketing', label: 'Marketing' },
    { value: 'other', label: 'Other' },
  ],
  seniorities: [{ value: 'other', label: 'Other' }],
  apps: [
    { value: 'klaviyo', label: 'Klaviyo', category: 'email_marketing' },
    { value: 'yotpo', label: 'Yotpo', category: 'reviews' },
    { value: 'mark_old', label: 'Mark Old', category: null, deprecated: true },
    { value: '360', label: '360 View', category: null },
  ],
  pixels: [{ value: 'meta_pixel', label: 'Meta Pixel', category: 'advertising' }],
})
