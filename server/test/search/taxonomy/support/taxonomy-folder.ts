import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

const smallest = {
  categories: [
    { value: 'home', label: 'Home' },
    { value: 'candles', label: 'Candles', parent: 'home' },
  ] as unknown,
  countries: [{ value: 'DE', label: 'Germany' }] as unknown,
  traffic_tiers: [
    { value: 'under_1k', label: 'Under 1K', min: 0, max: 1000 },
    { value: 'over_1k', label: 'Over 1K', min: 1000, max: null },
  ] as unknown,
  revenue_tiers: [{ value: 'any', label: 'Any', min: 0, max: null }] as unknown,
  theme_types: [{ value: 'free', label: 'Free' }] as unknown,
  roles: [{ value: 'founder', label: 'Founder' }] as unknown,
  seniorities: [{ value: 'other', label: 'Other' }] as unknown,
  apps: [
    { value: 'klaviyo', label: 'Klaviyo', category: 'email_marketing' },
    { value: 'oldie', label: 'Oldie', deprecated: true },
  ] as unknown,
  pixels: [] as unknown,
}

/** Writes a small taxonomy to a folder for one test, with some files replaced. A string is written unchanged. */
export async function createTaxonomyFolder(replaced: Partial<typeof smallest> = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'storedex-taxonomy-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  for (const [name, items] of Object.entries({ ...smallest, ...replaced }))
    await writeFile(join(folder, `${name}.json`), typeof items === 'string' ? items : JSON.stringify(items))
  return folder
}
