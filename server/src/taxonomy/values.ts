/** Values of categories, apps, pixels, roles, tiers and the like. */
export const slugPattern = '^[a-z0-9][a-z0-9_.-]{0,63}$'

const slug = new RegExp(slugPattern)

/** The value that an unlisted word becomes when the taxonomy is extended by it; null when it cannot be one. */
export function extensionValueOf(word: string): string | null {
  const value = word.trim().toLowerCase()
  return slug.test(value) ? value : null
}

/** What people read for a value that came without a label: `google_ads` is Google Ads. */
export function labelOf(value: string): string {
  const words = value.split(/[_-]+/).filter((word) => word !== '')
  return words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join(' ')
}
