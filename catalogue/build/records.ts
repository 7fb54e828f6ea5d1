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
