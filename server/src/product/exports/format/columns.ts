/** The columns of each kind of export in CSV: the path of a field, and its value for an item. */

import type { CsvValue } from '../../../foundation/kernel/csv.ts'
import type { Contact } from '../../contacts/schema.ts'

export const exportKinds = ['stores', 'previews', 'contacts'] as const
export type ExportKind = (typeof exportKinds)[number]

/** `read` gets an item as the API serves it, parsed. */
export interface Column<Item = unknown> {
  readonly name: string
  readonly read: (item: Item) => CsvValue
  /** Its values are moments, as ISO 8601 in UTC. */
  readonly isTime?: boolean
}

const timeFields: ReadonlySet<string> = new Set(['first_discovered_at', 'store_created_at.estimate', 'revealed_at'])

/** In the order of the API's description of a store. */
const storeColumns: readonly Column[] = [
  ...['id', 'object', 'domain', 'name', 'category', 'country', 'traffic_tier', 'revenue_tier', 'platform_plus'],
  'lead_fit_score',
  ...['estimate', 'resolution', 'source', 'confidence'].map((field) => `store_created_at.${field}`),
  'first_discovered_at',
  ...['apps', 'pixels', 'theme.name', 'theme.type'].map((field) => `technologies.${field}`),
  ...['total', 'has_revealable_contacts', 'verified_email_count', 'roles'].map((field) => `contacts_summary.${field}`),
].map(columnOfPath)

const previewColumns: readonly Column[] = [
  ...['id', 'object', 'first_name', 'last_name_obfuscated', 'role', 'seniority', 'title'],
  ...['has_verified_email', 'has_phone', 'has_profile', 'revealed'],
  ...['id', 'domain', 'name', 'category', 'traffic_tier', 'technologies.apps', 'technologies.pixels'].map(
    (field) => `store.${field}`,
  ),
].map(columnOfPath)

const primaryOf = <Channel extends { is_primary: boolean }>(channels: readonly Channel[]) =>
  channels.find((channel) => channel.is_primary)
const othersOf = <Channel extends { is_primary: boolean }>(channels: readonly Channel[]) =>
  channels.filter((channel) => !channel.is_primary)

/** A person's main channel in columns of its own, the others joined. */
export const contactColumns: readonly Column<Contact>[] = [
  ...['id', 'full_name', 'first_name', 'last_name', 'title', 'role', 'seniority', 'profile_url'].map(columnOfPath),
  { name: 'email', read: ({ emails }) => primaryOf(emails)?.email ?? null },
  { name: 'email_status', read: ({ emails }) => primaryOf(emails)?.status ?? null },
  { name: 'email_type', read: ({ emails }) => primaryOf(emails)?.type ?? null },
  { name: 'other_emails', read: ({ emails }) => joinList(othersOf(emails).map(({ email }) => email)) },
  { name: 'phone', read: ({ phones }) => primaryOf(phones)?.phone ?? null },
  { name: 'phone_type', read: ({ phones }) => primaryOf(phones)?.type ?? null },
  { name: 'other_phones', read: ({ phones }) => joinList(othersOf(phones).map(({ phone }) => phone)) },
  ...['store.id', 'store.domain', 'store.name', 'revealed_at', 'charged'].map(columnOfPath),
]

export const columnsOfKind: Readonly<Record<ExportKind, readonly Column[]>> = {
  stores: storeColumns,
  previews: previewColumns,
  contacts: contactColumns as readonly Column[],
}

function columnOfPath(name: string): Column {
  return { name, read: readerOfPath(name), isTime: timeFields.has(name) }
}

/** A closure per depth: a loop over the path takes several times as long. */
function readerOfPath(name: string): Column['read'] {
  const [first, second, third] = name.split('.') as [string, string?, string?]
  type Node = Record<string, unknown> | null | undefined
  const child = (item: unknown, key: string) => (item as Node)?.[key]
  if (second === undefined) return (item) => csvValueOf(child(item, first))
  if (third === undefined) return (item) => csvValueOf(child(child(item, first), second))
  return (item) => csvValueOf(child(child(child(item, first), second), third))
}

function csvValueOf(value: unknown): CsvValue {
  if (typeof value === 'string' || typeof value === 'number') return value
  if (value === null || value === undefined) return null
  return Array.isArray(value) ? joinList(value) : String(value)
}

/** A list in one cell; an empty one is an empty cell. */
function joinList(values: readonly string[]): string | null {
  return values.length === 0 ? null : values.join('|')
}
