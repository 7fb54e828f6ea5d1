import type { Facts, Shop } from './catalogue.ts'
import type { Mode } from './model.ts'

/** Who is on file in a run of the proof, by mode. Runs share a database, so every run has people and shops of its own. */
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

/** Channels carry the person's own mark: erasing one person must not bear on another. */
function factsOf(
  mark: string,
  { role, seniority, emails, phones = 0, hasProfile = false }: Omit<Sketch, 'shop'>,
): Facts {
  const digits = mark.replace(/\D/g, '').padStart(8, '0')
  return {
    first_name: `Mara ${mark}`,
    last_name: 'Lindqvist',
    title: `Lead ${mark}`,
    role,
    seniority,
    profile_url: hasProfile ? `https://people.example/${mark}` : null,
    emails: emails.map((status, index) => ({
      email: `${mark}-${index}@mail.example`,
      status,
      type: 'work',
      is_primary: index === 0,
    })),
    phones: Array.from({ length: phones }, (_, index) => ({
      phone: `+999${mark.startsWith('live') ? 1 : 2}${index}${digits}`,
      type: 'office',
      is_primary: index === 0,
    })),
  }
}
