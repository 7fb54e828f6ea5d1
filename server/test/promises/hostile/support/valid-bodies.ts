import { type HostileApp, knownDomain } from './hostile-app.ts'

/** A request with every optional property, as a base for making one path invalid. */
export interface ValidBody {
  /** By default POST. */
  method?: 'PATCH'
  path: string
  body: object
  /** Maximum number of items of each list, by path. */
  maxItems: (path: string) => number
  /** A required parameter; null for none. */
  required: string | null
}

/** A valid body for each operation that takes one, with values of the taxonomy. All searches find stores. */
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
  const list = (await key.post('/lists', { name: 'Kept', kind: 'stores' })).body.id
  // Lists belong to one account, and the bodies are sent by two.
  const exclude = { exported: true, revealed: true, lists: [] }
  const maxItemsOfSearch = (path: string) => (path.startsWith('exclude') ? 10 : 50)
  return [
    {
      path: '/lists',
      body: { name: `Shops ${Math.random()}`, kind: 'stores', description: null },
      maxItems: () => 0,
      required: 'name',
    },
    {
      method: 'PATCH',
      path: `/lists/${list}`,
      body: { name: 'Shops', description: null },
      maxItems: () => 0,
      required: null,
    },
    {
      path: `/lists/${list}/items`,
      body: { domains: [knownDomain, 'unknown.example'], store_ids: [known.store.id] },
      maxItems: () => 1_000,
      required: null,
    },
    {
      path: `/lists/${list}/items/remove`,
      body: { from: { filters: { ...storeConditions, contacts: { has_revealable_contacts: false } } }, max: 10 },
      maxItems: () => 50,
      required: 'max',
    },
    {
      path: '/stores/search',
      body: {
        filters: {
          ...storeConditions,
          contacts: { has_revealable_contacts: false, roles_any: [] },
        },
        exclude,
        limit: 10,
        cursor: null,
      },
      maxItems: maxItemsOfSearch,
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
        exclude,
        limit: 10,
        cursor: null,
      },
      maxItems: maxItemsOfSearch,
      required: null,
    },
    {
      path: '/stores/count',
      body: {
        filters: {
          ...storeConditions,
          contacts: { has_revealable_contacts: false, roles_any: [] },
        },
        exclude,
        facets: [],
        facet_limit: 5,
      },
      maxItems: (path) => (path === 'facets' ? 9 : path === 'exclude.lists' ? 10 : 50),
      required: 'filters',
    },
    {
      path: '/contacts/count',
      body: {
        person: {
          roles_any: two('roles'),
          seniority_any: two('seniorities'),
          has_verified_email: true,
          has_phone: false,
          has_profile: false,
        },
        store: { domains: [knownDomain], ...storeConditions },
        max_contacts_per_store: 3,
        exclude,
        facets: [],
        facet_limit: 100,
      },
      maxItems: (path) => (path === 'facets' || path === 'exclude.lists' ? 10 : 50),
      required: null,
    },
    {
      path: '/exports',
      body: {
        kind: 'contacts',
        person: { roles_any: two('roles'), has_phone: false },
        store: { domains: [knownDomain], ...storeConditions },
        exclude,
        format: 'csv',
        columns: ['id', 'email'],
        gzip: true,
        max_rows: 5,
        max_credits: 0,
      },
      maxItems: (path) => (path === 'columns' ? 100 : maxItemsOfSearch(path)),
      required: 'kind',
    },
    {
      path: '/contacts/reveal',
      body: { contact_ids: [known.id, known.id] },
      maxItems: () => 10,
      required: 'contact_ids',
    },
    {
      path: '/quotes',
      body: { for: 'reveal', contact_ids: [known.id, known.id] },
      maxItems: () => 1_000,
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
