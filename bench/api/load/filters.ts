import type { Random } from '../../../catalogue/build/random.ts'
import type { StoreRecord } from '../../../catalogue/build/records.ts'
import type {
  ContactPersonFilters,
  ContactStoreFilters,
  StoreSearchFilters,
} from '../../../server/src/search/query/filters.ts'
import type { BenchContact } from '../../../server/test/support/records/contact-records.ts'

export interface Catalogue {
  stores: readonly StoreRecord[]
  /** A sample of the contacts. */
  contacts: readonly BenchContact[]
}

/** The body of a contact search without the page. */
export interface ContactSearchFilters {
  person: ContactPersonFilters
  store?: ContactStoreFilters
  max_contacts_per_store?: number
}

/** Returns a function that draws filters of the given kind. */
export function drawContactFilters(
  { stores, contacts }: Catalogue,
  random: Random,
): (kind: number) => ContactSearchFilters {
  const storesByDomain = new Map(stores.map((store) => [store.domain, store]))
  return (kind) =>
    drawUntil(() => {
      const contact = random.pick(contacts)
      return contactTemplates[kind]!(contact, storesByDomain.get(contact.store_domain)!, random)
    })
}

/** Makes a filter from the values of a contact and its store; null when a needed value is missing. */
type ContactTemplate = (contact: BenchContact, store: StoreRecord, random: Random) => ContactSearchFilters | null

/** Twelve typical kinds of search, from broad to narrow. */
const contactTemplates: readonly ContactTemplate[] = [
  ({ seniority }) => (seniority ? { person: { seniority_any: [seniority] } } : null),
  ({ role }) => (role ? { person: { roles_any: [role] } } : null),
  ({ role, seniority }) => (role && seniority ? { person: { roles_any: [role], seniority_any: [seniority] } } : null),
  (_, { country }) => (country ? { person: { has_verified_email: true }, store: { countries: [country] } } : null),
  ({ role }, { category }) =>
    role && category ? { person: { roles_any: [role] }, store: { categories: [category] } } : null,
  ({ role }, { country, traffic_tier: tier }) =>
    role && country && tier
      ? { person: { roles_any: [role], has_phone: true }, store: { countries: [country], traffic_tiers: [tier] } }
      : null,
  ({ seniority }, { country }) =>
    seniority && country
      ? {
          person: { seniority_any: [seniority], has_verified_email: true, has_profile: true },
          store: { countries: [country] },
        }
      : null,
  ({ role }, { technologies }, random) => {
    const apps = technologies?.apps ?? []
    if (!role || apps.length === 0) return null
    const roles = [...new Set([role, 'marketing'])]
    return { person: { roles_any: roles, has_verified_email: true }, store: { apps: { any: [random.pick(apps)] } } }
  },
  ({ role }, { revenue_tier: tier }) =>
    role && tier
      ? { person: { roles_any: [role] }, store: { revenue_tiers: [tier] }, max_contacts_per_store: 3 }
      : null,
  ({ seniority }, { country, category }) =>
    seniority && country && category
      ? {
          person: { seniority_any: [seniority] },
          store: { countries: [country], categories: [category] },
          max_contacts_per_store: 3,
        }
      : null,
  ({ role }, { category }) =>
    role && category
      ? { person: { roles_any: [role], has_verified_email: false }, store: { categories: [category] } }
      : null,
  ({ role, seniority }, { technologies, country }, random) => {
    const pixels = technologies?.pixels ?? []
    if (!role || !seniority || !country || pixels.length === 0) return null
    return {
      person: { roles_any: [role], seniority_any: [seniority], has_verified_email: true },
      store: { pixels: { any: [random.pick(pixels)] }, countries: [country] },
    }
  },
]

/** The body of a store search without the page. */
export interface StoreFilters {
  filters: StoreSearchFilters
}

/** Returns a function that draws filters of the given kind. */
export function drawStoreFilters(stores: readonly StoreRecord[], random: Random): (kind: number) => StoreFilters {
  return (kind) => ({ filters: drawUntil(() => storeTemplates[kind]!(random.pick(stores), random)) })
}

/** The first draw that gives filters. */
function drawUntil<T>(draw: () => T | null): T {
  for (let attempt = 0; attempt < 1_000; attempt++) {
    const filters = draw()
    if (filters) return filters
  }
  throw new Error('the catalogue has nothing to draw a search from')
}

/** Makes a filter from the values of a store; null when a needed value is missing. */
type StoreTemplate = (store: StoreRecord, random: Random) => StoreSearchFilters | null

const dayMs = 86_400_000
const daysAround = (moment: string, days: number) => ({
  from: new Date(Date.parse(moment) - days * dayMs).toISOString(),
  to: new Date(Date.parse(moment) + days * dayMs).toISOString(),
})

/** Twelve typical kinds of search, from broad to narrow. */
const storeTemplates: readonly StoreTemplate[] = [
  ({ country }) => (country ? { countries: [country] } : null),
  ({ category }) => (category ? { categories: [category] } : null),
  ({ country, category }) => (country && category ? { countries: [country], categories: [category] } : null),
  ({ country, traffic_tier: tier }) => (country && tier ? { countries: [country], traffic_tiers: [tier] } : null),
  ({ category, revenue_tier: tier }) => (category && tier ? { categories: [category], revenue_tiers: [tier] } : null),
  ({ technologies }, random) => {
    const apps = technologies?.apps ?? []
    return apps.length > 0 ? { apps: { any: [...new Set([random.pick(apps), random.pick(apps)])] } } : null
  },
  ({ technologies, country }) => {
    const [first, second] = technologies?.apps ?? []
    return first && second && country ? { apps: { all: [first, second] }, countries: [country] } : null
  },
  ({ technologies, category }, random) => {
    const [first, second] = technologies?.apps ?? []
    const pixels = technologies?.pixels ?? []
    if (!first || !second || pixels.length === 0 || !category) return null
    return { apps: { any: [first], none: [second] }, pixels: { any: [random.pick(pixels)] }, categories: [category] }
  },
  ({ category }) => (category ? { platform_plus: true, categories: [category] } : null),
  ({ country }) =>
    country ? { themes: { types: ['custom'] }, meta_ads: { active_ads_min: 5 }, countries: [country] } : null,
  ({ store_created_at: created, category }) =>
    created?.estimate && category
      ? { store_created_at: daysAround(created.estimate, 365), categories: [category] }
      : null,
  ({ first_discovered_at: discovered, country, technologies }, random) => {
    const pixels = technologies?.pixels ?? []
    if (!discovered || !country || pixels.length === 0) return null
    return {
      first_discovered_at: daysAround(discovered, 90),
      pixels: { all: [random.pick(pixels)] },
      countries: [country],
    }
  },
]
