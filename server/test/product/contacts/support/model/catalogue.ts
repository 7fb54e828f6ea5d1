/** The people and shops of a run, and the expected replies about them, computed naively from the facts. */
export interface Shop {
  id: string
  domain: string
  name: string
  country: string
  traffic_tier: string
  revenue_tier: string
  lead_fit_score: number
}

export interface Person {
  id: string
  /** Index of the shop. */
  shop: number
  facts: Facts
  isErased: boolean
}

export interface Facts {
  first_name: string | null
  last_name: string | null
  title: string
  role: string | null
  seniority: 'executive' | 'decision_maker' | 'other'
  profile_url: string | null
  emails: { email: string; status: string; type: string; is_primary: boolean }[]
  phones: { phone: string; type: string; is_primary: boolean }[]
}

/** Shops are in result order, people within a shop in import order. */
export interface Catalogue {
  shops: readonly Shop[]
  people: readonly Person[]
}

export interface PersonFilter {
  roles_any?: string[]
  seniority_any?: string[]
  has_verified_email?: boolean
  has_phone?: boolean
  has_profile?: boolean
}

export interface StoreFilter {
  has_revealable_contacts?: boolean
  roles_any?: string[]
}

const withheld = ['bounced', 'invalid', 'guessed', 'suppressed']
const seniorities = ['executive', 'decision_maker', 'other']

const hasVerifiedEmail = ({ emails }: Facts) => emails.some(({ status }) => status === 'verified')
const deliverable = ({ emails }: Facts) => emails.filter(({ status }) => !withheld.includes(status))

export function isRevealable(person: Person): boolean {
  const { facts, isErased } = person
  return !isErased && (deliverable(facts).length > 0 || facts.phones.length > 0 || facts.profile_url !== null)
}

const peopleOf = ({ people }: Catalogue, shop: number) =>
  people.filter((person) => person.shop === shop && !person.isErased)

export function storeReply(catalogue: Catalogue, shop: number): object {
  const people = peopleOf(catalogue, shop)
  const roles = people.flatMap(({ facts }) => facts.role ?? [])
  return {
    ...catalogue.shops[shop]!,
    object: 'store',
    category: null,
    platform_plus: false,
    store_created_at: null,
    first_discovered_at: null,
    contacts_summary: {
      total: people.length,
      has_revealable_contacts: people.some(isRevealable),
      verified_email_count: people.flatMap(({ facts }) => facts.emails).filter(({ status }) => status === 'verified')
        .length,
      roles: [...new Set(roles)].sort(),
    },
    technologies: { apps: [], pixels: [], theme: { name: null, type: null } },
  }
}

export function previewReply(catalogue: Catalogue, person: Person, revealed: boolean): object {
  const { facts, id, shop } = person
  const { id: storeId, domain, name, traffic_tier } = catalogue.shops[shop]!
  return {
    id,
    object: 'contact_preview',
    first_name: facts.first_name,
    last_name_obfuscated: facts.last_name === null ? null : `${facts.last_name[0]}***`,
    role: facts.role,
    seniority: facts.seniority,
    title: facts.title,
    has_verified_email: hasVerifiedEmail(facts),
    has_phone: facts.phones.length > 0,
    has_profile: facts.profile_url !== null,
    revealed,
    store: { id: storeId, domain, name, category: null, traffic_tier, technologies: { apps: [], pixels: [] } },
  }
}

/** A revealed contact without the fields that depend on the account. */
export function contactReply(catalogue: Catalogue, person: Person): object {
  const { facts, id, shop } = person
  const { id: storeId, domain, name } = catalogue.shops[shop]!
  const emails = deliverable(facts)
  const primary = emails.find((email) => email.is_primary) ?? emails[0]
  return {
    id,
    object: 'contact',
    full_name: [facts.first_name, facts.last_name].filter((part) => part !== null).join(' ') || null,
    first_name: facts.first_name,
    last_name: facts.last_name,
    title: facts.title,
    role: facts.role,
    seniority: facts.seniority,
    profile_url: facts.profile_url,
    emails: emails.map((email) => ({ ...email, is_primary: email === primary })),
    phones: facts.phones,
    store: { id: storeId, domain, name },
  }
}

/** The matching shops after `after`. */
export function findShops(catalogue: Catalogue, filter: StoreFilter, after: number): number[] {
  return catalogue.shops
    .map((_, shop) => shop)
    .filter((shop) => {
      const people = peopleOf(catalogue, shop)
      const { has_revealable_contacts: wanted, roles_any: roles } = filter
      if (shop <= after) return false
      if (wanted !== undefined && people.some(isRevealable) !== wanted) return false
      return roles === undefined || people.some(({ facts }) => facts.role !== null && roles.includes(facts.role))
    })
}

/** Indexes of the matching people in result order, at most `perShop` of each shop. */
export function findPeople(catalogue: Catalogue, filter: PersonFilter, shops: number[], perShop: number): number[] {
  const rank = ({ facts }: Person) => seniorities.indexOf(facts.seniority) * 2 + (hasVerifiedEmail(facts) ? 0 : 1)
  return shops.flatMap((shop) =>
    peopleOf(catalogue, shop)
      .filter(({ facts }) => matches(facts, filter))
      .sort((a, b) => rank(a) - rank(b))
      .slice(0, perShop)
      .map((person) => catalogue.people.indexOf(person)),
  )
}

function matches(facts: Facts, filter: PersonFilter): boolean {
  const { roles_any: roles, seniority_any: among } = filter
  return (
    (roles === undefined || (facts.role !== null && roles.includes(facts.role))) &&
    (among === undefined || among.includes(facts.seniority)) &&
    (filter.has_verified_email ?? hasVerifiedEmail(facts)) === hasVerifiedEmail(facts) &&
    (filter.has_phone ?? facts.phones.length > 0) === facts.phones.length > 0 &&
    (filter.has_profile ?? facts.profile_url !== null) === (facts.profile_url !== null)
  )
}

export type Mode = 'live' | 'test'

/** The imported people of a run, by mode. Runs share a database, so each has people and shops of its own. */
export type Roster = Record<Mode, { shop: number; facts: Facts }[]>

export const shopCount = 5

export interface Place {
  country: string
  traffic_tier: string
  revenue_tier: string
}

export type ShopRecord = Omit<Shop, 'id'>

export function shopsOf(run: number, place: Place): ShopRecord[] {
  return Array.from({ length: shopCount }, (_, shop) => ({
    domain: `shop-${run}-${shop}.example`,
    name: `Shop ${run}-${shop}`,
    ...place,
    lead_fit_score: 90 - 7.5 * shop,
  }))
}

interface Sketch {
  shop: number
  role: Facts['role']
  seniority: Facts['seniority']
  emails: string[]
  phones?: number
  hasProfile?: boolean
}

const sketches: Record<Mode, Sketch[]> = {
  live: [
    { shop: 0, role: 'marketing', seniority: 'decision_maker', emails: ['verified'] },
    { shop: 0, role: 'founder', seniority: 'executive', emails: ['bounced', 'accept_all'], phones: 1 },
    { shop: 0, role: null, seniority: 'other', emails: [], hasProfile: true },
    { shop: 1, role: 'finance', seniority: 'other', emails: ['bounced'] },
    { shop: 1, role: 'finance', seniority: 'other', emails: ['verified', 'unverified'], phones: 2 },
    { shop: 2, role: 'marketing', seniority: 'executive', emails: ['unknown'] },
    { shop: 2, role: 'marketing', seniority: 'executive', emails: ['verified'], hasProfile: true },
    { shop: 3, role: 'founder', seniority: 'decision_maker', emails: ['guessed'] },
    { shop: 4, role: 'marketing', seniority: 'other', emails: [], phones: 1 },
  ],
  test: [
    { shop: 0, role: 'marketing', seniority: 'other', emails: ['verified'] },
    { shop: 0, role: 'founder', seniority: 'executive', emails: ['invalid'] },
    { shop: 1, role: 'finance', seniority: 'executive', emails: ['unknown'], phones: 1 },
  ],
}

export const peopleCounts: Record<Mode, number> = { live: sketches.live.length, test: sketches.test.length }

export function rosterOf(run: number): Roster {
  const people = (mode: Mode) =>
    sketches[mode].map(({ shop, ...sketch }, person) => ({ shop, facts: factsOf(`${mode}-${run}-${person}`, sketch) }))
  return { live: people('live'), test: people('test') }
}

/** Channels contain the person's name: erasing one person must not affect another. */
function factsOf(
  name: string,
  { role, seniority, emails, phones = 0, hasProfile = false }: Omit<Sketch, 'shop'>,
): Facts {
  const digits = name.replace(/\D/g, '').padStart(8, '0')
  return {
    first_name: `Mara ${name}`,
    last_name: 'Lindqvist',
    title: `Lead ${name}`,
    role,
    seniority,
    profile_url: hasProfile ? `https://people.example/${name}` : null,
    emails: emails.map((status, index) => ({
      email: `${name}-${index}@mail.example`,
      status,
      type: 'work',
      is_primary: index === 0,
    })),
    phones: Array.from({ length: phones }, (_, index) => ({
      phone: `+999${name.startsWith('live') ? 1 : 2}${index}${digits}`,
      type: 'office',
      is_primary: index === 0,
    })),
  }
}
