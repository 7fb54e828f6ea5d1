/** What a key may be allowed to do. */
export const scopes = [
  'usage:read',
  'stores:read',
  'contacts:search',
  'contacts:reveal',
  'billing:read',
  'billing:manage',
] as const

export type Scope = (typeof scopes)[number]

/** A new key's scopes when none are named: all of the data, none of the billing. */
export const defaultScopes: readonly Scope[] = ['usage:read', 'stores:read', 'contacts:search', 'contacts:reveal']
