import type { TaxonomyList } from './taxonomy.ts'

/**
 * Every filter of both searches, once: its name in the page's URL, its place in the API's body and the group that it stands in.
 * The URL, the request, the chips and the filter column are all derived from this list.
 */

export type FilterGroupName =
  | 'Roles'
  | 'Seniority'
  | 'Channels'
  | 'Countries'
  | 'Categories'
  | 'Apps'
  | 'Pixels'
  | 'Traffic'
  | 'Revenue'
  | 'Theme'
  | 'Domains'
  | 'More'
  | 'Exclude'

interface FieldOf<Kind extends string> {
  kind: Kind
  group: FilterGroupName
  /** Where the value stands in `filters` of a store search, or in the whole body of a contact search. */
  path: readonly string[]
}

/** Values of the taxonomy. A store or person has one of them, unless `match` says otherwise. */
export interface ValuesField extends FieldOf<'values'> {
  list: TaxonomyList
  match?: 'all' | 'none'
  /** Stands before the value in a chip, where the value alone does not say enough. */
  prefix?: string
}

export interface FlagField extends FieldOf<'flag'> {
  label: string
  /** The words of a chip for yes and for no. */
  yes: string
  no: string
}

export interface NumberFilterField extends FieldOf<'number'> {
  label: string
  /** The words of a chip before the number. */
  prefix: string
  max: number
}

export interface DayField extends FieldOf<'day'> {
  label: string
  bound: 'from' | 'to'
  /** The words of a chip before the day. */
  prefix: string
}

interface DomainsField extends FieldOf<'domains'> {
  list: null
}

/** On, or not set. */
export interface SwitchField extends FieldOf<'switch'> {
  label: string
  /** The words of a chip behind "without". */
  chip: string
}

/** Lists of the account. */
interface ListsField extends FieldOf<'lists'> {
  list: null
}

export type FilterField =
  | ValuesField
  | FlagField
  | NumberFilterField
  | DayField
  | DomainsField
  | SwitchField
  | ListsField

/** The API leaves out at most this many lists. */
export const maxLists = 10

/** The API takes at most this many values in one list. */
export const maxListValues = 50

const values = (
  group: FilterGroupName,
  list: TaxonomyList,
  path: readonly string[],
  more: Pick<ValuesField, 'match' | 'prefix'> = {},
): ValuesField => ({ kind: 'values', group, list, path, ...more })

/** Conditions on stores, by their names in the URL. Those of the contact search stand below `store`. */
const storeConditions = {
  countries: values('Countries', 'countries', ['countries']),
  categories: values('Categories', 'categories', ['categories']),
  apps: values('Apps', 'apps', ['apps', 'any']),
  apps_all: values('Apps', 'apps', ['apps', 'all'], { match: 'all' }),
  apps_none: values('Apps', 'apps', ['apps', 'none'], { match: 'none' }),
  pixels: values('Pixels', 'pixels', ['pixels', 'any']),
  pixels_all: values('Pixels', 'pixels', ['pixels', 'all'], { match: 'all' }),
  pixels_none: values('Pixels', 'pixels', ['pixels', 'none'], { match: 'none' }),
  traffic: values('Traffic', 'traffic_tiers', ['traffic_tiers']),
  revenue: values('Revenue', 'revenue_tiers', ['revenue_tiers']),
  themes: values('Theme', 'theme_types', ['themes', 'types'], { prefix: 'Theme:' }),
  premium: {
    kind: 'flag',
    group: 'More',
    path: ['platform_plus'],
    label: 'Premium tier of the store platform',
    yes: 'Premium platform tier',
    no: 'No premium platform tier',
  },
  ads: {
    kind: 'number',
    group: 'More',
    path: ['meta_ads', 'active_ads_min'],
    label: 'Active ads, at least',
    prefix: 'Active ads: at least',
    max: 100_000,
  },
  opened_from: day('Opened from', ['store_created_at', 'from'], 'from'),
  opened_to: day('Opened until', ['store_created_at', 'to'], 'to'),
  seen_from: day('First seen from', ['first_discovered_at', 'from'], 'from'),
  seen_to: day('First seen until', ['first_discovered_at', 'to'], 'to'),
} as const satisfies Record<string, FilterField>

/** Items that the account has already. In both searches, `exclude` is a property of the request, not of `filters`. */
const exclusions = {
  exclude_exported: {
    kind: 'switch',
    group: 'Exclude',
    path: ['exclude', 'exported'],
    label: 'Leave out exported this period',
    chip: 'exported this period',
  },
  exclude_revealed: {
    kind: 'switch',
    group: 'Exclude',
    path: ['exclude', 'revealed'],
    label: 'Leave out revealed',
    chip: 'revealed',
  },
  exclude_lists: { kind: 'lists', group: 'Exclude', list: null, path: ['exclude', 'lists'] },
} as const satisfies Record<string, FilterField>

export const storeFields = {
  ...storeConditions,
  contactable: {
    kind: 'flag',
    group: 'More',
    path: ['contacts', 'has_revealable_contacts'],
    label: 'People who can be revealed',
    yes: 'People who can be revealed',
    no: 'Nobody who can be revealed',
  },
  contact_roles: values('More', 'roles', ['contacts', 'roles_any'], { prefix: 'Contact:' }),
  ...exclusions,
} as const satisfies Record<string, FilterField>

export const contactFields = {
  roles: values('Roles', 'roles', ['person', 'roles_any']),
  seniority: values('Seniority', 'seniorities', ['person', 'seniority_any'], { prefix: 'Seniority:' }),
  email: channel('Verified email', 'has_verified_email', 'No verified email'),
  phone: channel('Phone', 'has_phone', 'No phone'),
  profile: channel('Profile', 'has_profile', 'No profile'),
  ...belowStore(storeConditions),
  domains: { kind: 'domains', group: 'Domains', list: null, path: ['store', 'domains'] },
  ...exclusions,
} as const satisfies Record<string, FilterField>

export type FilterFields = typeof storeFields | typeof contactFields
export type FilterName = keyof typeof storeFields | keyof typeof contactFields

/** In a contact search the conditions on stores stand one level deeper. */
function belowStore<Fields extends Record<string, FilterField>>(fields: Fields): Record<keyof Fields, FilterField> {
  const below = ([name, field]: [string, FilterField]) => [name, { ...field, path: ['store', ...field.path] }]
  return Object.fromEntries(Object.entries(fields).map(below))
}

function day(label: string, path: readonly string[], bound: 'from' | 'to'): DayField {
  return { kind: 'day', group: 'More', path, label, bound, prefix: label }
}

function channel(label: string, name: string, no: string): FlagField {
  return { kind: 'flag', group: 'Channels', path: ['person', name], label, yes: label, no }
}

/** The fields with their names, in the order of the groups. */
export function entriesOf(fields: FilterFields): [FilterName, FilterField][] {
  return Object.entries(fields) as [FilterName, FilterField][]
}
