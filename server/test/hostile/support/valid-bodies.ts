import { type HostileApp, knownDomain } from './hostile-app.ts'

/** A request with every optional property, as a base for making one path invalid. */
export interface ValidBody {
  path: string
  body: object
  /** Maximum number of items of each list, by path. */
  maxItems: (path: string) => number
  /** A required parameter; null for none. */
  required: string | null
}

/** A valid body for each POST operation, with values of the taxonomy. All searches find stores. */
export async function validBodies({ app, key }: HostileApp): Promise<ValidBody[]> {
  const [known] = (await (await app.key({})).post('/contacts/search', {})).body.data
  const taxonomy = (await key.get('/taxonomy')).body
  const two = (facet: string): string[] => taxonomy[facet].slice(0, 2).map((item: { value: string }) => item.value)
  const technologies = (facet: string) => ({ any: [], all: [], none: two(facet) })
  const storeConditions = {
    categories: [],
    countries: ['DE', 'FR'],
    traffic_tiers: [],
    revenue_tiers: [],
    platform_plus: false,
    apps: technologies('apps'),
    pixels: technologies('pixels'),
    themes: { types: [] },
    meta_ads: { active_ads_min: 0 },
    first_discovered_at: { from: '2020-01-01T00:00:00Z', to: '2030-01-01T00:00:00+02:00' },
    store_created_at: { from: '2010-01-01T00:00:00.000Z' },
  }
  return [
    {
      path: '/stores/search',
      body: {
        filters: {
          ...storeConditions,
          contacts: { has_revealable_contacts: false, roles_any: [] },
        },
        limit: 10,
        cursor: null,
      },
      maxItems: () => 50,
      required: 'filters',
    },
    {
      path: '/stores/enrich',
      body: {
        domains: [knownDomain, `https://www.${knownDomain}/about?x=y#z`],
        include: ['store', 'technologies', 'contact_previews'],
        contact_roles: two('roles'),
        max_contacts_per_store: 10,
        reveal_contacts: false,
      },
      maxItems: (path) => (path === 'domains' ? 25 : 50),
      required: 'domains',
    },
    {
      path: '/contacts/search',
      body: {
        person: {
          roles_any: two('roles'),
          seniority_any: two('seniorities'),
          has_verified_email: true,
          has_phone: false,
          has_profile: false,
        },
        store: { domains: [knownDomain, `https://www.${knownDomain}/about?x=y#z`], ...storeConditions },
        max_contacts_per_store: 10,
        limit: 10,
        cursor: null,
      },
      maxItems: () => 50,
      required: null,
    },
    {
      path: '/contacts/reveal',
      body: { contact_ids: [known.id, known.id] },
      maxItems: () => 10,
      required: 'contact_ids',
    },
    {
      path: '/billing/subscription-link',
      body: { plan: 'business', billing: 'annual' },
      maxItems: () => 0,
      required: 'plan',
    },
  ]
}
