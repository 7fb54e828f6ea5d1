export const scopes = [
  {
    id: 'usage:read',
    label: 'Read usage',
    description: 'What is used and left of each meter.',
    short: 'usage',
  },
  {
    id: 'stores:read',
    label: 'Search and look up stores',
    description: 'Uses search rows and store exports.',
    short: 'stores',
  },
  {
    id: 'contacts:search',
    label: 'Search people',
    description: 'Previews without channels. Uses search rows and store exports.',
    short: 'people',
  },
  {
    id: 'contacts:reveal',
    label: 'Reveal people',
    description: 'Who they are, with channels. Uses contact credits and store exports.',
    short: 'reveal',
  },
  {
    id: 'lists:manage',
    label: 'Manage lists',
    description: 'Lists of stores and people. Adding from a search uses search rows.',
    short: 'lists',
  },
  {
    id: 'exports:manage',
    label: 'Manage exports',
    description: 'Files of any size. Uses store exports, and contact credits with the scope to reveal.',
    short: 'exports',
  },
  {
    id: 'billing:read',
    label: 'Read billing',
    description: 'Plan, status and what happens next.',
    short: 'billing',
  },
  {
    id: 'billing:manage',
    label: 'Manage billing',
    description: 'Links to buy, change and end the plan. For owners only.',
    short: 'manage billing',
  },
] as const

export type Scope = (typeof scopes)[number]['id']

const dataScopes: readonly Scope[] = ['usage:read', 'stores:read', 'contacts:search', 'contacts:reveal']

/** All data, and to read why the account has lost its access, once it has. */
export const defaultScopes: readonly Scope[] = [...dataScopes, 'billing:read']

/** True if a key can do nothing at all while its account has no access. */
export function lacksBillingScopes(held: readonly Scope[]): boolean {
  return !held.includes('billing:read') && !held.includes('billing:manage')
}

/** `All data`, or the parts in a few words. */
export function describeScopes(held: readonly Scope[]): string {
  const isAllData = dataScopes.every((scope) => held.includes(scope))
  const named = scopes.filter(({ id }) => held.includes(id) && !(isAllData && dataScopes.includes(id)))
  return [...(isAllData ? ['all data'] : []), ...named.map(({ short }) => short)].join(', ')
}
