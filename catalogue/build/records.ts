import type { Seniority } from '@storedex/search-index'
import type { Email, Phone } from '../../server/src/foundation/encryption/contact-facts.ts'

/** A store as `storedex import stores` reads it; a missing field means unknown. */
export interface StoreRecord {
  domain: string
  name: string
  aliases?: string[]
  category?: string | null
  country?: string | null
  traffic_tier?: string | null
  revenue_tier?: string | null
  platform_plus?: boolean
  lead_fit_score?: number | null
  store_created_at?: CreatedAt | null
  first_discovered_at?: string | null
  active_ads?: number | null
  technologies?: Technologies
}

export interface CreatedAt {
  estimate: string | null
  resolution: 'exact' | 'month' | 'year' | null
  source: string | null
  confidence: 'high' | 'medium' | 'low' | null
}

export interface Technologies {
  apps: string[]
  pixels: string[]
  theme: { name: string | null; type: 'free' | 'paid' | 'custom' | null }
}

/** A contact as `storedex import contacts` reads it; a missing field means unknown. */
export interface ContactRecord {
  store_domain: string
  external_id: string
  first_name?: string
  last_name?: string
  /** Left out where it is first and last name joined. */
  full_name?: string
  title?: string
  role?: string
  seniority: Seniority
  profile_url?: string
  /** Without a primary one the first is it. */
  emails?: (Partial<Email> & Pick<Email, 'email'>)[]
  phones?: (Partial<Phone> & Pick<Phone, 'phone'>)[]
}

export function toNdjson(records: readonly object[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('')
}
