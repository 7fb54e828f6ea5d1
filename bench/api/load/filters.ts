import type { Random } from '../../../catalogue/build/random.ts'
import type { StoreRecord } from '../../../catalogue/build/records.ts'
import type { ContactPersonFilters, ContactStoreFilters } from '../../../server/src/search/filters.ts'
import type { BenchContact } from '../../support/contact-records.ts'
import { drawUntil } from '../store-filters.ts'
import type { Catalogue } from './workload.ts'

/** What a contact search says beside the page. */
export interface ContactSearchFilters {
  person: ContactPersonFilters
  store?: ContactStoreFilters
  max_contacts_per_store?: number
}

/** Draws filters of the kind asked for, by its number. */
export function drawContactFilters(
  { stores, contacts }: Catalogue,
  random: Random,
): (kind: number) => ContactSearchFilters {
  const storesByDomain = new Map(stores.map((store) => [store.domain, store]))
  return (kind) =>
    drawUntil(() => {
      const contact = random.pick(contacts)
      return templates[kind]!(contact, storesByDomain.get(contact.store_domain)!, random)
    })
}

/** A filter after the values of a person and their store; null where one of them lacks a value it needs. */
type Template = (contact: BenchContact, store: StoreRecord, random: Random) => ContactSearchFilters | null

/** Twelve kinds of search that callers make, from broad to narrow. */
const templates: readonly Template[] = [
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
